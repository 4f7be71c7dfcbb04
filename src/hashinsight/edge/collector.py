"""One edge, whole: opens what it keeps, runs its parts, starts a part anew that fails, and ends cleanly."""

import asyncio
import contextlib
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec

from hashinsight import __version__
from hashinsight.edge.cloud.heartbeat import Beat, Counts, body_of
from hashinsight.edge.cloud.intake import Intake
from hashinsight.edge.cloud.remote_config import Config
from hashinsight.edge.cloud.reporter import Teller
from hashinsight.edge.cloud.resources import Box, open_box
from hashinsight.edge.cloud.uplink import Uplink
from hashinsight.edge.commands.admission import Rules
from hashinsight.edge.commands.executor import Outcome
from hashinsight.edge.commands.runner import Obeyer
from hashinsight.edge.settings import Settings
from hashinsight.edge.settings_file import make_state_dir
from hashinsight.edge.storage.disk import FolderLock, write_whole
from hashinsight.wire.commands import Command

STATUS = "status.json"
_STATUS_SEC = 5.0
_TIDY_SEC = 60.0
_DRAIN_SEC = 15.0
_LAST_WORDS_SEC = 3.0
_MOST_PAUSE = 60.0

Part = Callable[[], Awaitable[None]]


class Site(Protocol):
    """The side of the machines: `site_side.SiteSide`. It ends what it holds when its `run` is cancelled."""

    async def run(self) -> None: ...

    def find(self, miner_id: str) -> Any: ...

    def counts(self) -> Counts: ...

    def follow(self, config: Config) -> None: ...

    async def execute(self, machine: Any, command: Command) -> Outcome: ...


MakeSite = Callable[[Settings, Intake, str], Site]  # the last is the device's id


class Edge:
    def __init__(self, box: Box, make_site: MakeSite) -> None:
        self._box, settings = box, box.settings
        self._began = time.monotonic()
        self._began_at = box.clock()
        self.intake = Intake(box)
        self.site = make_site(settings, self.intake, box.device_id)
        self.beat = Beat(box, self._gather, self._apply, self.intake.event)
        self.uplink = Uplink(box, lambda: self.beat.config)
        self.teller = Teller(box)
        self.obeyer = Obeyer(box, rules_of(box), self.site.find, self.site.execute, self.teller.wake)
        self._apply(self.beat.config)

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`. No part takes another with it: a line that is down is no reason to read no machines."""
        commands = self._box.settings.cloud.command_interval_sec
        parts: dict[str, Part] = {
            "store": self.intake.run,
            "read": self.site.run,
            "upload": self.uplink.run_live,
            "backlog": self.uplink.run_backlog,
            "acks": self.teller.run_acks,
            "events": self.teller.run_events,
            "heartbeat": self.beat.run,
            "commands": lambda: self.obeyer.run(commands, lambda: self.beat.config.remote_control),
            "tidy": self._tidy,
            "status": self._show,
        }
        tasks = {name: asyncio.create_task(self._supervise(name, part), name=name) for name, part in parts.items()}
        try:
            await stop.wait()
        finally:
            await self._end(tasks)

    async def _end(self, tasks: dict[str, "asyncio.Task[None]"]) -> None:
        """Take nothing new, let commands come to their end, store what was read, and say a last word if it is quick."""
        await _cancel(tasks.pop("commands"))
        await self.obeyer.drain(_DRAIN_SEC)
        await _cancel(*tasks.values())
        await self.intake.store()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SEC):
                if self._box.line.is_up:
                    await self.teller.tell_acks()
        await self._write_status()

    async def _supervise(self, name: str, part: Part) -> None:
        pause = 1.0
        while True:
            began = time.monotonic()
            try:
                await part()
                text = "ended by itself"
            except Exception as problem:  # noqa: BLE001 - a part that fails is started anew, whatever it was
                text = f"{type(problem).__name__}: {str(problem)[:200]}"
            pause = 1.0 if time.monotonic() - began > _MOST_PAUSE else min(pause * 2, _MOST_PAUSE)
            self._box.say.once(f"part {name}", f"{text}; started anew in {pause:.0f} s")
            await asyncio.sleep(pause)

    def _apply(self, config: Config) -> None:
        self.intake.max_hours = config.buffer_hours
        self.site.follow(config)

    async def _gather(self) -> dict[str, Any]:
        box = self._box
        depth = await box.on_spool(box.spool.depth)
        acks = await box.on_journal(box.journal.counts)
        machines = self.site.counts()
        extra = {
            "config_version": self.beat.config.version,
            "samples_read": self.intake.taken,
            "samples_delivered": self.uplink.figures.delivered,
            "samples_rejected": self.uplink.figures.rejected,
            "spool_bytes": depth.size,
            "acks_waiting": acks.undelivered,
        }
        return body_of(box, depth, machines, extra, uptime_sec=time.monotonic() - self._began)

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(_TIDY_SEC)
            await self._box.on_spool(self._box.spool.tidy)
            await self._box.on_journal(self._box.journal.tidy, now=self._box.clock())

    async def _show(self) -> None:
        while True:
            await self._write_status()
            await asyncio.sleep(_STATUS_SEC)

    async def _write_status(self) -> None:
        """What `edge status` cannot read from the spool and the journal."""
        counts = self.site.counts()
        told = {
            "at": self._box.clock(),
            "started_at": self._began_at,
            "version": __version__,
            "device_id": self._box.device_id,
            "machines": {
                "online": counts.online,
                "failed": counts.away,
                "unasked": counts.total - counts.online - counts.away,
                "total": counts.total,
                "by_reader": dict(counts.by_reader),
                "troubles": dict(counts.troubles),
            },
            "cloud": {"is_up": self._box.line.is_up, "last_ok_at": self._box.line.last_ok_at},
            "uploads": msgspec.to_builtins(self.uplink.figures),
            "config_version": self.beat.config.version,
            "errors": msgspec.to_builtins(list(self._box.say.last)),
        }
        path = self._box.settings.state_dir / STATUS
        await asyncio.to_thread(write_whole, path, msgspec.json.encode(told))


def rules_of(box: Box) -> Rules:
    settings, place = box.settings, box.settings.place
    keys = settings.signing.ring() if settings.signing.is_on else None
    return Rules(place.site, place.zone, place.tenant_id, settings.limits, keys, box.journal.accept_from)


async def run_collector(
    settings: Settings,
    make_site: MakeSite,
    *,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Until SIGTERM or SIGINT."""
    lock = FolderLock(make_state_dir(settings))
    try:
        box = open_box(settings)
        try:
            stop, loop = asyncio.Event(), asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stop.set)
            edge = Edge(box, make_site)
            ready()
            await edge.run(stop)
        finally:
            await box.aclose()
    finally:
        lock.release()


async def _cancel(*tasks: "asyncio.Task[None]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
