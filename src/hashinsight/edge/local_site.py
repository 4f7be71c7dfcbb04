"""The machines of this site: polling, protection and command execution together. Knows nothing of the cloud."""

from typing import Protocol

from hashinsight.edge.cloud.remote_config import EffectiveConfig
from hashinsight.edge.commands.executor import Executor
from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.commands.restarts import RestartFinisher, Restarts, RestartStore
from hashinsight.edge.polling import PollCounts, Poller, Sink
from hashinsight.edge.protection.holds import StopStore
from hashinsight.edge.protection.protector import Protector
from hashinsight.edge.readings.record import Record
from hashinsight.edge.roster import Machine
from hashinsight.edge.settings import Settings
from hashinsight.wire.commands import Command


class SiteStore(Sink, RestartStore, StopStore, Protocol):
    """`cloud.intake.Intake`: keeps everything that must survive this process."""


class LocalSite:
    def __init__(self, settings: Settings, sink: SiteStore, device_id: str = "") -> None:
        restarts = Restarts(sink)
        self.poller = Poller(settings, sink, device_id=device_id)
        self.executor = Executor(self.poller, restarts)
        self.protector = Protector(self.poller, self.executor, settings.protection, sink)
        self.restart_finisher = RestartFinisher(self.executor, restarts, sink)
        self.poller.on_record = self._evaluate

    async def run(self) -> None:
        """Until cancelled; ends its child processes."""
        try:
            await self.poller.run()
        finally:
            await self.protector.close()
            await self.restart_finisher.close()

    def _evaluate(self, machine: Machine, record: Record) -> None:
        self.protector.evaluate(machine, record)
        self.restart_finisher.evaluate(machine)

    def find(self, miner_id: str) -> Machine | None:
        return self.poller.find(miner_id)

    def counts(self) -> PollCounts:
        return self.poller.counts()

    def apply_config(self, config: EffectiveConfig) -> None:
        self.poller.apply_config(
            config.collection_interval_sec, config.api_timeout_sec, discovers=config.auto_discovery
        )

    async def execute(self, machine: Machine, command: Command) -> Outcome:
        return await self.executor.execute(machine, command)
