"""The heartbeat, and the configuration that its answer points to."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

import psutil

from hashinsight import __version__
from hashinsight.edge.cloud.answers import Kind
from hashinsight.edge.cloud.remote_config import Config, ConfigRefused, KeptConfig, read_config
from hashinsight.edge.cloud.resources import Box
from hashinsight.edge.storage.spool import Depth
from hashinsight.wire.times import write_time

_LATE_SEC = 600.0
_SKEW_SEC = 60.0

Report = Callable[[str, str, str, str], None]  # kind, severity, title, message


class Counts(Protocol):
    """Of machines: those that are read and by what, those that were asked in vain and why, and all."""

    @property
    def online(self) -> int: ...

    @property
    def away(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def by_reader(self) -> Mapping[str, int]: ...

    @property
    def troubles(self) -> Mapping[str, int]: ...


class Beat:
    """`gather` gives the figures of the moment; `applied` is called with each configuration that begins to hold."""

    def __init__(
        self,
        box: Box,
        gather: Callable[[], Awaitable[Mapping[str, Any]]],
        applied: Callable[[Config], None],
        report: Report,
    ) -> None:
        self._box, self._say, self._line = box, box.say, box.line
        self._kept = kept = KeptConfig(box.settings)
        self._gather, self._applied, self._report = gather, applied, report
        self.config = kept.load()
        self._reported: str | None = None
        self._rejected: str | None = None
        psutil.cpu_percent()  # the first call only marks the time from which the next one counts

    async def run(self) -> None:
        while True:
            began = time.monotonic()
            await self.beat()
            await asyncio.sleep(max(self.config.heartbeat_interval_sec - (time.monotonic() - began), 1.0))

    async def beat(self) -> None:
        answer = await self._line.post("/heartbeat", await self._gather())
        if answer.kind is not Kind.DELIVERED:
            if answer.kind is Kind.REFUSED:
                self._say.bad("heartbeat", f"refused: {answer.code} {answer.reason}")
            return
        self._say.good("heartbeat", "taken again")
        self._look_at_clock(answer.body.get("clock_skew_sec"))
        wanted = answer.body.get("config_version")
        if isinstance(wanted, str) and wanted:
            await self.follow(wanted)

    async def follow(self, wanted: str) -> None:
        """Fetch, judge, apply, report. A version that was rejected is not fetched again until another is wanted."""
        if wanted == self._rejected:
            return
        if wanted != self.config.version:
            answer = await self._line.get("/config")
            if answer.kind is not Kind.DELIVERED or not isinstance(answer.body.get("version"), str):
                return
            self._take(answer.body["version"], answer.body.get("config"))
        if self.config.version is not None and self._reported != self.config.version:
            answer = await self._line.post("/config/applied", {"version": self.config.version})
            if answer.kind is Kind.DELIVERED:
                self._reported = self.config.version

    def _take(self, version: str, document: Any) -> None:
        try:
            config = read_config(version, document, self._box.settings)
        except ConfigRefused as problem:
            self._rejected = version
            self._say.bad("configuration", f"{version} is rejected: {problem}")
            self._report("config_rejected", "error", f"configuration {version} is rejected", str(problem))
            return
        self._rejected = None
        self._kept.keep(version, document)
        self.config = config
        self._say.good("configuration", f"{version} is applied")
        self._applied(config)

    def _look_at_clock(self, skew_sec: Any) -> None:
        if not isinstance(skew_sec, int | float):
            return
        if abs(skew_sec) > _SKEW_SEC:
            self._say.bad("clock", "this box's clock is off by more than a minute: samples and commands suffer")
        else:
            self._say.good("clock", "right again")


def body_of(box: Box, depth: Depth, machines: Counts, extra: Mapping[str, Any], *, uptime_sec: float) -> dict[str, Any]:
    """As the registry takes it."""
    now, say = box.clock(), box.say
    is_late = depth.oldest_at is not None and now - depth.oldest_at > _LATE_SEC
    status = "error" if machines.away and not machines.online else "degraded" if is_late or say.is_bad() else "online"
    oldest = depth.oldest_at
    return {
        "status": status,
        "cpu_usage": _percent(psutil.cpu_percent()),
        "memory_usage": _percent(psutil.virtual_memory().percent),
        "disk_usage": _percent(psutil.disk_usage(str(box.settings.state_dir)).percent),
        "uptime": int(uptime_sec),
        "version": __version__,
        "miners_online": machines.online,
        "miners_total": machines.total,
        "errors_count": say.count,
        "spool_depth": depth.samples,
        "spool_oldest_at": None if oldest is None else write_time(datetime.fromtimestamp(oldest, UTC)),
        "sent_at": write_time(datetime.fromtimestamp(now, UTC)),
        "extra_data": dict(extra),
    }


def _percent(value: float) -> float:
    return round(min(max(value, 0.0), 100.0), 1)
