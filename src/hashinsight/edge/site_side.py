"""The side of the machines, whole: reads them, protects them, and carries out what it is told. Knows no cloud."""

from hashinsight.edge.config import Config
from hashinsight.edge.executing import Executor, Outcome
from hashinsight.edge.miners import Machine
from hashinsight.edge.polling import Counts, Poller, Sink
from hashinsight.edge.protecting import Protector
from hashinsight.edge.settings import Settings
from hashinsight.wire.command import Command


class SiteSide:
    def __init__(self, settings: Settings, sink: Sink, device_id: str = "") -> None:
        self.poller = Poller(settings, sink, device_id=device_id)
        self.executor = Executor(self.poller)
        self.protector = Protector(self.poller, self.executor, settings.protection)

    async def run(self) -> None:
        """Until cancelled; it ends its children then."""
        try:
            await self.poller.run()
        finally:
            await self.protector.close()

    def find(self, miner_id: str) -> Machine | None:
        return self.poller.find(miner_id)

    def counts(self) -> Counts:
        return self.poller.counts()

    def follow(self, config: Config) -> None:
        self.poller.follow(config.collection_interval_sec, config.api_timeout_sec, discovers=config.auto_discovery)

    async def execute(self, machine: Machine, command: Command) -> Outcome:
        return await self.executor.execute(machine, command)
