"""Uploads samples: live ones at once, the backlog in order and no faster than the site allows.

Live and backlog run side by side, so that a day of backlog never delays the current minute. A batch goes back to the
spool unless the cloud answers 200; a batch refused for good is halved until the bad sample is found.
"""

import asyncio
import gzip
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec

from hashinsight.edge.cloud.answers import Answer, AnswerKind, Backoff
from hashinsight.edge.cloud.remote_config import EffectiveConfig
from hashinsight.edge.cloud.resources import Resources
from hashinsight.edge.settings import Settings
from hashinsight.edge.storage.spool import SampleBatch
from hashinsight.wire.times import write_time

PATH = "/telemetry/batch"
_LEVEL = 3
_MAX_ASIDE_IN_A_ROW = 10
_MAX_CODES = 50
_MAX_LIVE_WAIT = 15.0  # so that the live view is right within one interval after an outage


@dataclass
class UploadFigures:
    """Since the start of the collector, for heartbeat and `edge status`."""

    delivered: int = 0
    duplicates: int = 0
    rejected: int = 0
    aside: int = 0
    batches: int = 0
    last_upload_at: float | None = None
    rejected_codes: dict[str, int] = field(default_factory=dict)


class Uplink:
    def __init__(self, resources: Resources, config: Callable[[], EffectiveConfig]) -> None:
        self._resources, self._settings, self._config = resources, resources.settings, config
        self._aside_in_a_row = 0
        self.figures = UploadFigures()

    @property
    def _live_since(self) -> float:
        """1.5 intervals: the newest sample of every machine is younger."""
        return (
            self._resources.clock()
            - 1.5 * self._config().collection_interval_sec
            - self._settings.cloud.upload_interval_sec
        )

    async def run_live(self) -> None:
        """After a full batch the next follows at once, after a small one a pause."""
        limit, pause = self._settings.spool.batch_samples, self._settings.cloud.upload_interval_sec
        backoff = Backoff(max_sec=_MAX_LIVE_WAIT)
        await self._run(self._take_live, lambda count: 0.0 if count > limit / 2 else pause, backoff)

    async def run_backlog(self) -> None:
        per_sec = self._settings.spool.backlog_per_sec
        await self._run(self._take_backlog, lambda count: count / per_sec, Backoff())

    async def _run(
        self, take: Callable[[], Awaitable[SampleBatch | None]], pause: Callable[[int], float], backoff: Backoff
    ) -> None:
        while True:
            began, batch = time.monotonic(), await take()
            if batch is None:
                await asyncio.sleep(self._settings.cloud.upload_interval_sec)
                continue
            answer = await self.deliver(batch)
            if answer.kind in (AnswerKind.DELIVERED, AnswerKind.REFUSED):
                backoff.reset()
                wait_sec = pause(batch.count) if answer.kind is AnswerKind.DELIVERED else 0.0
                await asyncio.sleep(max(wait_sec - (time.monotonic() - began), 0.0))
            else:
                await self._resources.client.wait(backoff.after(answer), until_online=answer.can_retry_early)

    async def deliver(self, batch: SampleBatch) -> Answer:
        """Send a batch and act on the answer. If cancelled, the batch stays in the spool."""
        spool, thread, now = self._resources.spool, self._resources.spool_thread, self._resources.clock()
        try:
            body = await asyncio.to_thread(seal, batch, self._settings, self._resources.device_id, now=now)
            headers = {"Content-Type": "application/octet-stream", "X-Upload-Mode": "raw"}
            answer = await self._resources.client.post_bytes(PATH, body, headers)
        except BaseException:
            spool.release(batch)
            raise
        if answer.kind is AnswerKind.DELIVERED and answer.body.get("success") is True:
            await thread(spool.confirm, batch)
            self._count(batch, answer)
        elif answer.kind is AnswerKind.REFUSED and self._may_split(batch, answer):
            aside = await thread(spool.split, batch, answer.code or "HTTP_413", now=now)
            self._aside_in_a_row += aside
            self.figures.aside += aside
            if aside:
                self._resources.faults.note("sample refused", f"set aside: {answer.code} {answer.reason}")
        else:
            spool.release(batch)
            if answer.kind is not AnswerKind.DENIED:
                return replace(answer, kind=AnswerKind.RETRY)
        return answer

    def _may_split(self, batch: SampleBatch, answer: Answer) -> bool:
        """A single sample is set aside only on the cloud's own error code, and not if everything is refused."""
        if batch.count > 1:
            return True
        return bool(answer.code) and self._aside_in_a_row < _MAX_ASIDE_IN_A_ROW

    def _count(self, batch: SampleBatch, answer: Answer) -> None:
        figures, body = self.figures, answer.body
        self._aside_in_a_row = 0
        figures.delivered += batch.count
        figures.batches += 1
        figures.last_upload_at = self._resources.clock()
        figures.duplicates += _positive_int(body.get("duplicates"))
        figures.rejected += _positive_int(body.get("rejected"))
        errors = body.get("errors")
        for error in errors if isinstance(errors, list) else []:
            code = str(error.get("error_code", ""))[:64] if isinstance(error, dict) else ""
            if code not in figures.rejected_codes and len(figures.rejected_codes) < _MAX_CODES:
                figures.rejected_codes[code] = 0
                self._resources.faults.note("samples rejected", f"rejected by the cloud: {code}")
            if code in figures.rejected_codes:
                figures.rejected_codes[code] += 1

    async def _take_live(self) -> SampleBatch | None:
        return await self._resources.spool_thread(
            self._resources.spool.take_live, since=self._live_since, limit=self._settings.spool.batch_samples
        )

    async def _take_backlog(self) -> SampleBatch | None:
        return await self._resources.spool_thread(
            self._resources.spool.take_backlog, before=self._live_since, limit=self._settings.spool.batch_samples
        )


def seal(batch: SampleBatch, settings: Settings, device_id: str, *, now: float) -> bytes:
    """The envelope around lines that were encoded when spooled: nothing is decoded again."""
    head = {
        "schema": "telemetry_envelope.v1",
        "site_id": settings.place.site,
        "zone_id": settings.place.zone,
        "device_id": device_id,
        "sent_at": write_time(datetime.fromtimestamp(now, UTC)),
        "mode": "raw",
        "record_count": batch.count,
        "source_seq_start": batch.first,
        "source_seq_end": batch.last,
        "compression": "gzip",
        "zeros_are_readings": True,  # unknown fields are left out, so 0 rpm means a stopped fan
    }
    envelope = msgspec.json.encode({name: value for name, value in head.items() if value is not None})
    return gzip.compress(envelope[:-1] + b',"records":[' + b",".join(batch.lines) + b"]}", _LEVEL, mtime=0)


def _positive_int(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
