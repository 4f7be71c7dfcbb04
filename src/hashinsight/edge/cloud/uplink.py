"""Sends samples: the newest at once, what lies behind them in order and no faster than the site allows.

Two lanes, so that a backlog of a day never stands before the state of this minute. Each gives a batch back to the
spool unless the cloud has said 200; a batch that is refused for good is halved until the one bad sample stands alone.
"""

import asyncio
import gzip
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec

from hashinsight.edge.cloud.answers import Answer, Backoff, Kind
from hashinsight.edge.cloud.remote_config import Config
from hashinsight.edge.cloud.resources import Box
from hashinsight.edge.settings import Settings
from hashinsight.edge.storage.spool import Batch
from hashinsight.wire.times import write_time

PATH = "/telemetry/batch"
_LEVEL = 3
_MOST_ASIDE_IN_A_ROW = 10
_MOST_CODES = 50
_MOST_LIVE_WAIT = 15.0  # the cloud is looked for so often: its view is right within a round of its return


@dataclass
class Figures:
    """Since the start, for the heartbeat and for `edge status`."""

    delivered: int = 0
    duplicates: int = 0
    rejected: int = 0
    aside: int = 0
    batches: int = 0
    last_upload_at: float | None = None
    rejected_codes: dict[str, int] = field(default_factory=dict)


class Uplink:
    def __init__(self, box: Box, config: Callable[[], Config]) -> None:
        self._box, self._settings, self._config = box, box.settings, config
        self._aside_in_a_row = 0
        self.figures = Figures()

    @property
    def _edge_of_live(self) -> float:
        """One and a half rounds: the newest sample of every machine is younger."""
        return (
            self._box.clock() - 1.5 * self._config().collection_interval_sec - self._settings.cloud.upload_interval_sec
        )

    async def run_live(self) -> None:
        """A full batch is followed by the next at once, a small one by a pause."""
        most, pause = self._settings.spool.batch_samples, self._settings.cloud.upload_interval_sec
        wait = Backoff(most_sec=_MOST_LIVE_WAIT)
        await self._run(self._take_live, lambda count: 0.0 if count > most / 2 else pause, wait)

    async def run_backlog(self) -> None:
        per_sec = self._settings.spool.backlog_per_sec
        await self._run(self._take_backlog, lambda count: count / per_sec, Backoff())

    async def _run(
        self, take: Callable[[], Awaitable[Batch | None]], pause: Callable[[int], float], backoff: Backoff
    ) -> None:
        while True:
            began, batch = time.monotonic(), await take()
            if batch is None:
                await asyncio.sleep(self._settings.cloud.upload_interval_sec)
                continue
            answer = await self.deliver(batch)
            if answer.kind in (Kind.DELIVERED, Kind.REFUSED):
                backoff.reset()
                waits = pause(batch.count) if answer.kind is Kind.DELIVERED else 0.0
                await asyncio.sleep(max(waits - (time.monotonic() - began), 0.0))
            else:
                await self._box.line.rest(backoff.after(answer), until_back=answer.may_be_cut_short)

    async def deliver(self, batch: Batch) -> Answer:
        """Send it, and do with it what the answer says. Cancelled half way, it stays in the spool."""
        spool, worker, now = self._box.spool, self._box.on_spool, self._box.clock()
        try:
            body = await asyncio.to_thread(seal, batch, self._settings, self._box.device_id, now=now)
            headers = {"Content-Type": "application/octet-stream", "X-Upload-Mode": "raw"}
            answer = await self._box.line.post_bytes(PATH, body, headers)
        except BaseException:
            spool.release(batch)
            raise
        if answer.kind is Kind.DELIVERED and answer.body.get("success") is True:
            await worker(spool.confirm, batch)
            self._count(batch, answer)
        elif answer.kind is Kind.REFUSED and self._may_split(batch, answer):
            aside = await worker(spool.split, batch, answer.code or "HTTP_413", now=now)
            self._aside_in_a_row += aside
            self.figures.aside += aside
            if aside:
                self._box.say.once("sample refused", f"set aside: {answer.code} {answer.reason}")
        else:
            spool.release(batch)
            if answer.kind is not Kind.NOT_LET_IN:
                return replace(answer, kind=Kind.LATER)
        return answer

    def _may_split(self, batch: Batch, answer: Answer) -> bool:
        """One sample is set aside only by the cloud's own word, and not when nothing at all is taken any more."""
        if batch.count > 1:
            return True
        return bool(answer.code) and self._aside_in_a_row < _MOST_ASIDE_IN_A_ROW

    def _count(self, batch: Batch, answer: Answer) -> None:
        figures, body = self.figures, answer.body
        self._aside_in_a_row = 0
        figures.delivered += batch.count
        figures.batches += 1
        figures.last_upload_at = self._box.clock()
        figures.duplicates += _whole(body.get("duplicates"))
        figures.rejected += _whole(body.get("rejected"))
        errors = body.get("errors")
        for fault in errors if isinstance(errors, list) else []:
            code = str(fault.get("error_code", ""))[:64] if isinstance(fault, dict) else ""
            if code not in figures.rejected_codes and len(figures.rejected_codes) < _MOST_CODES:
                figures.rejected_codes[code] = 0
                self._box.say.once("samples rejected", f"by the cloud, for {code}")
            if code in figures.rejected_codes:
                figures.rejected_codes[code] += 1

    async def _take_live(self) -> Batch | None:
        return await self._box.on_spool(
            self._box.spool.take_live, since=self._edge_of_live, most=self._settings.spool.batch_samples
        )

    async def _take_backlog(self) -> Batch | None:
        return await self._box.on_spool(
            self._box.spool.take_backlog, before=self._edge_of_live, most=self._settings.spool.batch_samples
        )


def seal(batch: Batch, settings: Settings, device_id: str, *, now: float) -> bytes:
    """The envelope around lines that were written when they were spooled: nothing is decoded on the way."""
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
        "zeros_are_readings": True,  # what is not known is left out: a fan at 0 rpm stands
    }
    said = msgspec.json.encode({name: value for name, value in head.items() if value is not None})
    return gzip.compress(said[:-1] + b',"records":[' + b",".join(batch.lines) + b"]}", _LEVEL, mtime=0)


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
