"""The heartbeat, and the remote configuration that its answer announces."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import psutil

from hashinsight import __version__
from hashinsight.edge.cloud.answers import AnswerKind
from hashinsight.edge.cloud.remote_config import ConfigError, ConfigStore, EffectiveConfig, build_config
from hashinsight.edge.cloud.resources import Resources
from hashinsight.edge.polling import PollCounts
from hashinsight.edge.storage.spool import SpoolDepth
from hashinsight.wire.times import write_time

_BACKLOG_SEC = 600.0
_SKEW_SEC = 60.0

Report = Callable[[str, str, str, str], None]  # kind, severity, title, message


class Heartbeat:
    """`gather` makes the body; `apply` is called with each configuration that takes effect."""

    def __init__(
        self,
        resources: Resources,
        gather: Callable[[], Awaitable[Mapping[str, Any]]],
        apply: Callable[[EffectiveConfig], None],
        report: Report,
    ) -> None:
        self._resources, self._faults, self._client = resources, resources.faults, resources.client
        self._store = ConfigStore(resources.settings)
        self._gather, self._apply, self._report = gather, apply, report
        self.config = self._store.load()
        self._reported: str | None = None
        self._rejected: str | None = None
        psutil.cpu_percent()  # the first call only starts the measurement

    async def run(self) -> None:
        while True:
            began = time.monotonic()
            await self.send()
            await asyncio.sleep(max(self.config.heartbeat_interval_sec - (time.monotonic() - began), 1.0))

    async def send(self) -> None:
        answer = await self._client.post("/heartbeat", await self._gather())
        if answer.kind is not AnswerKind.DELIVERED:
            if answer.kind is AnswerKind.REFUSED:
                self._faults.open("heartbeat", f"refused: {answer.code} {answer.reason}")
            return
        self._faults.close("heartbeat", "accepted again")
        self._check_clock(answer.body.get("clock_skew_sec"))
        version = answer.body.get("config_version")
        if isinstance(version, str) and version:
            await self._follow(version)

    async def _follow(self, version: str) -> None:
        """Fetch, check, apply, report. A rejected version is not fetched again until the cloud announces another."""
        if version == self._rejected:
            return
        if version != self.config.version:
            answer = await self._client.get("/config")
            if answer.kind is not AnswerKind.DELIVERED or not isinstance(answer.body.get("version"), str):
                return
            self._take_over(answer.body["version"], answer.body.get("config"))
        if self.config.version is not None and self._reported != self.config.version:
            answer = await self._client.post("/config/applied", {"version": self.config.version})
            if answer.kind is AnswerKind.DELIVERED:
                self._reported = self.config.version

    def _take_over(self, version: str, document: Any) -> None:
        try:
            config = build_config(version, document, self._resources.settings)
        except ConfigError as error:
            self._rejected = version
            self._faults.open("configuration", f"{version} rejected: {error}")
            self._report("config_rejected", "error", f"Configuration {version} rejected", str(error))
            return
        self._rejected = None
        self._store.save(version, document)
        self.config = config
        self._faults.close("configuration", f"{version} applied")
        self._apply(config)

    def _check_clock(self, skew_sec: Any) -> None:
        if not isinstance(skew_sec, int | float):
            return
        if abs(skew_sec) > _SKEW_SEC:
            self._faults.open("clock", "off by more than a minute: samples and commands may be rejected")
        else:
            self._faults.close("clock", "correct again")


def heartbeat_body(
    resources: Resources, depth: SpoolDepth, machines: PollCounts, extra: Mapping[str, Any], *, uptime_sec: float
) -> dict[str, Any]:
    """As the registry accepts it."""
    now, faults = resources.clock(), resources.faults
    is_late = depth.oldest_at is not None and now - depth.oldest_at > _BACKLOG_SEC
    is_degraded = is_late or faults.is_open()
    status = "error" if machines.offline and not machines.online else "degraded" if is_degraded else "online"
    oldest = depth.oldest_at
    return {
        "status": status,
        "cpu_usage": _percent(psutil.cpu_percent()),
        "memory_usage": _percent(psutil.virtual_memory().percent),
        "disk_usage": _percent(psutil.disk_usage(str(resources.settings.state_dir)).percent),
        "uptime": int(uptime_sec),
        "version": __version__,
        "miners_online": machines.online,
        "miners_total": machines.total,
        "errors_count": faults.count,
        "spool_depth": depth.samples,
        "spool_oldest_at": None if oldest is None else write_time(datetime.fromtimestamp(oldest, UTC)),
        "sent_at": write_time(datetime.fromtimestamp(now, UTC)),
        "extra_data": dict(extra),
    }


def _percent(value: float) -> float:
    return round(min(max(value, 0.0), 100.0), 1)
