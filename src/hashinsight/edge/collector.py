"""The whole collector: opens its state, runs its parts, restarts a part that fails, and shuts down cleanly."""

import asyncio
import contextlib
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec

from hashinsight import __version__
from hashinsight.edge.cloud.heartbeat import Heartbeat, heartbeat_body
from hashinsight.edge.cloud.intake import Intake
from hashinsight.edge.cloud.remote_config import EffectiveConfig
from hashinsight.edge.cloud.reporter import Reporter
from hashinsight.edge.cloud.resources import Resources, open_resources
from hashinsight.edge.cloud.uplink import Uplink
from hashinsight.edge.commands.admission import SiteRules
from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.commands.runner import CommandRunner
from hashinsight.edge.polling import PollCounts
from hashinsight.edge.settings import Settings
from hashinsight.edge.settings_file import make_state_dir
from hashinsight.edge.status import STATUS_FILE
from hashinsight.edge.storage.disk import FolderLock, replace_file
from hashinsight.wire.commands import Command

_STATUS_SEC = 5.0
_PRUNE_SEC = 60.0
_DRAIN_SEC = 15.0
_LAST_ACKS_SEC = 3.0
_MAX_PAUSE_SEC = 60.0

Part = Callable[[], Awaitable[None]]


class Site(Protocol):
    """The machines: `local_site.LocalSite`. It ends its child processes when its `run` is cancelled."""

    async def run(self) -> None: ...

    def find(self, miner_id: str) -> Any: ...

    def counts(self) -> PollCounts: ...

    def apply_config(self, config: EffectiveConfig) -> None: ...

    async def execute(self, machine: Any, command: Command) -> Outcome: ...


MakeSite = Callable[[Settings, Intake, str], Site]  # settings, sink, device id


class Collector:
    def __init__(self, resources: Resources, make_site: MakeSite) -> None:
        self._resources, settings = resources, resources.settings
        self._began = time.monotonic()
        self._began_at = resources.clock()
        self.intake = Intake(resources)
        self.site = make_site(settings, self.intake, resources.device_id)
        self.heartbeat = Heartbeat(resources, self._heartbeat_body, self._apply, self.intake.add_event)
        self.uplink = Uplink(resources, lambda: self.heartbeat.config)
        self.reporter = Reporter(resources)
        self.runner = CommandRunner(
            resources, site_rules(resources), self.site.find, self.site.execute, self.reporter.wake
        )
        self._apply(self.heartbeat.config)

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`. Parts are independent: machines are also read while the cloud is unreachable."""
        commands = self._resources.settings.cloud.command_interval_sec
        parts: dict[str, Part] = {
            "store": self.intake.run,
            "read": self.site.run,
            "upload": self.uplink.run_live,
            "backlog": self.uplink.run_backlog,
            "acks": self.reporter.run_acks,
            "events": self.reporter.run_events,
            "heartbeat": self.heartbeat.run,
            "commands": lambda: self.runner.run(commands, lambda: self.heartbeat.config.remote_control),
            "prune": self._prune,
            "status": self._keep_status,
        }
        tasks = {name: asyncio.create_task(self._supervise(name, part), name=name) for name, part in parts.items()}
        try:
            await stop.wait()
        finally:
            await self._end(tasks)

    async def _end(self, tasks: dict[str, "asyncio.Task[None]"]) -> None:
        """Accept nothing new, let commands finish, store what was read, and send the last acks if that is quick."""
        await _cancel(tasks.pop("commands"))
        await self.runner.drain(_DRAIN_SEC)
        await _cancel(*tasks.values())
        await self.intake.store()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_ACKS_SEC):
                if self._resources.client.is_up:
                    await self.reporter.send_acks()
        await self._write_status()

    async def _supervise(self, name: str, part: Part) -> None:
        pause = 1.0
        while True:
            began = time.monotonic()
            try:
                await part()
                text = "returned"
            except Exception as error:  # noqa: BLE001 - a part that fails is restarted, whatever the error
                text = f"{type(error).__name__}: {str(error)[:200]}"
            pause = 1.0 if time.monotonic() - began > _MAX_PAUSE_SEC else min(pause * 2, _MAX_PAUSE_SEC)
            self._resources.faults.note(f"part {name}", f"{text}; restarting in {pause:.0f} s")
            await asyncio.sleep(pause)

    def _apply(self, config: EffectiveConfig) -> None:
        self.intake.max_hours = config.buffer_hours
        self.site.apply_config(config)

    async def _heartbeat_body(self) -> dict[str, Any]:
        resources = self._resources
        depth = await resources.spool_thread(resources.spool.depth)
        acks = await resources.journal_thread(resources.journal.counts)
        machines = self.site.counts()
        extra = {
            "config_version": self.heartbeat.config.version,
            "samples_read": self.intake.taken,
            "samples_delivered": self.uplink.figures.delivered,
            "samples_rejected": self.uplink.figures.rejected,
            "spool_bytes": depth.size,
            "acks_waiting": acks.undelivered,
        }
        return heartbeat_body(resources, depth, machines, extra, uptime_sec=time.monotonic() - self._began)

    async def _prune(self) -> None:
        while True:
            await asyncio.sleep(_PRUNE_SEC)
            await self._resources.spool_thread(self._resources.spool.prune)
            await self._resources.journal_thread(self._resources.journal.prune, now=self._resources.clock())

    async def _keep_status(self) -> None:
        while True:
            await self._write_status()
            await asyncio.sleep(_STATUS_SEC)

    async def _write_status(self) -> None:
        """What `edge status` cannot read from the spool and the journal."""
        counts = self.site.counts()
        status = {
            "at": self._resources.clock(),
            "started_at": self._began_at,
            "version": __version__,
            "device_id": self._resources.device_id,
            "machines": {
                "online": counts.online,
                "failed": counts.offline,
                "unasked": counts.total - counts.online - counts.offline,
                "total": counts.total,
                "by_reader": dict(counts.by_reader),
                "troubles": dict(counts.errors_by_kind),
            },
            "cloud": {"is_up": self._resources.client.is_up, "last_ok_at": self._resources.client.last_ok_at},
            "uploads": msgspec.to_builtins(self.uplink.figures),
            "config_version": self.heartbeat.config.version,
            "errors": msgspec.to_builtins(list(self._resources.faults.last)),
        }
        path = self._resources.settings.state_dir / STATUS_FILE
        await asyncio.to_thread(replace_file, path, msgspec.json.encode(status))


def site_rules(resources: Resources) -> SiteRules:
    settings, place = resources.settings, resources.settings.place
    keys = settings.signing.ring() if settings.signing.is_on else None
    return SiteRules(place.site, place.zone, place.tenant_id, settings.limits, keys, resources.journal.accept_from)


async def run_collector(
    settings: Settings,
    make_site: MakeSite,
    *,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Until SIGTERM or SIGINT."""
    lock = FolderLock(make_state_dir(settings))
    try:
        resources = open_resources(settings)
        try:
            stop, loop = asyncio.Event(), asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stop.set)
            collector = Collector(resources, make_site)
            ready()
            await collector.run(stop)
        finally:
            await resources.aclose()
    finally:
        lock.release()


async def _cancel(*tasks: "asyncio.Task[None]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
