"""The side of the machines, whole: reads them, protects them, and carries out what it is told. Knows no cloud."""

from typing import Protocol

from hashinsight.edge.cloud.remote_config import Config
from hashinsight.edge.commands.executor import Executor, Outcome
from hashinsight.edge.commands.half_restarts import Finisher
from hashinsight.edge.commands.restarts import Book, Restarts
from hashinsight.edge.polling import Counts, Poller, Sink
from hashinsight.edge.protection.holds import StopBook
from hashinsight.edge.protection.protector import Protector
from hashinsight.edge.readings.record import Record
from hashinsight.edge.roster import Machine
from hashinsight.edge.settings import Settings
from hashinsight.wire.commands import Command


class Cloudward(Sink, Book, StopBook, Protocol):
    """`intake.Intake`: where everything goes that must outlive this process."""


class LocalSite:
    def __init__(self, settings: Settings, sink: Cloudward, device_id: str = "") -> None:
        restarts = Restarts(sink)
        self.poller = Poller(settings, sink, device_id=device_id)
        self.executor = Executor(self.poller, restarts)
        self.protector = Protector(self.poller, self.executor, settings.protection, sink)
        self.finisher = Finisher(self.executor, restarts, sink)
        self.poller.on_record = self._consider

    async def run(self) -> None:
        """Until cancelled; it ends its children then."""
        try:
            await self.poller.run()
        finally:
            await self.protector.close()
            await self.finisher.close()

    def _consider(self, machine: Machine, record: Record) -> None:
        self.protector.consider(machine, record)
        self.finisher.consider(machine)

    def find(self, miner_id: str) -> Machine | None:
        return self.poller.find(miner_id)

    def counts(self) -> Counts:
        return self.poller.counts()

    def follow(self, config: Config) -> None:
        self.poller.follow(config.collection_interval_sec, config.api_timeout_sec, discovers=config.auto_discovery)

    async def execute(self, machine: Machine, command: Command) -> Outcome:
        return await self.executor.execute(machine, command)
