"""A site in a real database whose live layer a test writes, cycle by cycle, and whose registry runs for real."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
import polars as pl
import psycopg
from psycopg.rows import dict_row

from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id
from hashinsight.problems.frame import Frame, TextColumn
from hashinsight.problems.service.cycle import CycleRun, run_cycle
from tests.problems.fleet import Change, Fleet

_READINGS = {
    "hashrate_5min_ths": "hashrate_ths", "expected_ths": "expected_ths", "temp_c": "temp_c",
    "temp_max_c": "temp_max_c", "temp_chip_max_c": "temp_chip_c", "temp_board_max_c": "temp_board_c",
    "fan_min_rpm": "fan_min_rpm", "fan_rpm": "fan_rpm", "power_w": "power_w",
    "reject_rate": "reject_rate", "accepted": "accepted", "rejected": "rejected", "hw_errors": "hw_errors",
    "uptime_sec": "uptime_sec", "boards_healthy": "boards_healthy", "boards_total": "boards_total",
}  # fmt: skip
_WHOLE = ("accepted", "rejected", "hw_errors", "uptime_sec", "boards_healthy", "boards_total")
_TEXTS = {"model": "model", "firmware": "firmware", "pool_url": "pool", "worker": "worker", "mode": "mode",
          "temp_limits": "temp_limits"}  # fmt: skip
_COLUMNS = ("miner_no", "ts", "status", "flags", *_READINGS, *_TEXTS, "boards", "hashrate_ths")
_COLUMNS += ("power_5min_w", "powered_5min_ths")


class StoredSite:
    """Machines of a frame by their row: row 0 is `numbers[0]`."""

    def __init__(self, database: Database, superuser_url: str, tenant_id: UUID) -> None:
        self.database = database
        self.tenant_id = tenant_id
        self.connection = psycopg.connect(superuser_url, autocommit=True)
        self.site_id = 0
        self.numbers: list[int] = []
        self.collector_id = new_id()
        self.brought_by: dict[int, UUID] = {}  # machines whose samples another collector brings
        self.dead: set[UUID] = set()  # collectors that are heard no more

    def close(self) -> None:
        self.connection.close()

    def open(self, miner_ids: Sequence[str], *, code: str = "north", interval_sec: int = 300) -> None:
        now = datetime(2026, 1, 1, tzinfo=UTC)
        (self.site_id,) = self._one(
            "insert into sites (tenant_id, code, name, created_at) values (%s, %s, %s, %s) returning id",
            self.tenant_id, code, code, now,
        )  # fmt: skip
        self._run(
            "insert into collectors (id, tenant_id, site_id, name, status, permissions, collection_interval_sec,"
            " created_at, updated_at) values (%s, %s, %s, 'north', 'active', '{read}', %s, %s, %s)",
            self.collector_id, self.tenant_id, self.site_id, interval_sec, now, now,
        )  # fmt: skip
        rows = self.connection.execute(
            "insert into miners (tenant_id, site_id, miner_id, created_at, updated_at)"
            " select %s, %s, name, %s, %s from unnest(%s::text[]) with ordinality as given (name, n) order by n"
            " returning miner_no",
            [self.tenant_id, self.site_id, now, now, list(miner_ids)],
        )
        self.numbers = [number for (number,) in rows]

    def show(self, frame: Frame) -> None:
        """The live layer as this frame has it; machines without a time were never heard."""
        heard = float(np.nanmax(frame.heard_at)) if frame.n else 0.0
        self._run(
            "update collectors set last_seen_at = to_timestamp(%s) where site_id = %s and not id = any(%s)",
            heard, self.site_id, list(self.dead),
        )  # fmt: skip
        self._run("delete from telemetry_live where site_id = %s", self.site_id)
        rows = _rows(frame, self.numbers)
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute(
                "create temporary table shown on commit drop as select "
                + ", ".join(_COLUMNS)
                + " from telemetry_live with no data"
            )
            with cursor.copy(f"copy shown ({', '.join(_COLUMNS)}) from stdin (format csv)") as copy:
                copy.write(rows.write_csv(include_header=False, datetime_format="%Y-%m-%dT%H:%M:%S%.f+00:00"))
            names = ", ".join(_COLUMNS)
            cursor.execute(
                f"insert into telemetry_live ({names}, tenant_id, site_id, online, updated_at, overall_health)"
                f" select {names}, %s, %s, status <> 0, ts, 'unknown' from shown",
                [self.tenant_id, self.site_id],
            )
            for number, collector in self.brought_by.items():
                cursor.execute(
                    "update telemetry_live set collector_no = c.number from collectors c"
                    " where miner_no = %s and c.id = %s",
                    [number, collector],
                )

    async def cycle(self, now: float) -> CycleRun | None:
        moment = datetime.fromtimestamp(now, UTC)
        async with self.database.transaction(job_context()) as session:
            return await run_cycle(self.database, session, self.site_id, period=moment, now=moment)

    def events(self, where: str = "true") -> list[dict[str, Any]]:
        with self.connection.cursor(row_factory=dict_row) as cursor:
            query = f"select * from problem_events where site_id = %s and ({where}) order by event_no"
            return cursor.execute(query.encode(), [self.site_id]).fetchall()

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(query.encode(), values).fetchall()

    def _one(self, query: str, *values: Any) -> tuple[Any, ...]:
        (row,) = self.rows(query, *values)
        return row

    def _run(self, query: str, *values: Any) -> None:
        self.connection.execute(query.encode(), values)


def _rows(frame: Frame, numbers: Sequence[int]) -> pl.DataFrame:
    times = pl.Series(frame.ts * 1e6).fill_nan(None).cast(pl.Int64).cast(pl.Datetime("us"))
    columns: dict[str, Any] = {
        "miner_no": pl.Series(np.array(numbers)[frame.miner_no]),
        "ts": times,
        "status": frame.status,
        "flags": frame.flags,
    }
    for name, ours in _READINGS.items():
        values = pl.Series(getattr(frame, ours)).fill_nan(None)
        columns[name] = values.cast(pl.Int64) if name in _WHOLE else values.cast(pl.Float32)
    columns |= {name: _words(getattr(frame, ours)) for name, ours in _TEXTS.items()}
    # a sample's own hashrate is told with its boards: where there is one sample in five minutes it is the mean, too
    columns |= {"boards": _boards(frame), "hashrate_ths": columns["hashrate_5min_ths"]}
    columns |= {"power_5min_w": columns["power_w"], "powered_5min_ths": columns["hashrate_5min_ths"]}
    return pl.DataFrame(columns).filter(pl.col("ts").is_not_null())


def _boards(frame: Frame) -> pl.Series:
    """As a sample lists them; a board that tells nothing is listed without a number."""
    lists = [[{"hashrate_ths": ths} for ths in readings] for readings in frame.board_ths.T.tolist()] or [[]] * frame.n
    return pl.Series(
        [msgspec.json.encode(readings).decode() if readings else None for readings in lists], dtype=pl.String
    )


def _words(texts: TextColumn) -> pl.Series:
    words = pl.Series([*texts.of, None], dtype=pl.String)
    return words.gather(np.where(texts.no < 0, len(texts.of), texts.no))


class StoredFleet:
    """A fleet of `n` machines whose cycles run in the database."""

    def __init__(self, site: StoredSite, n: int = 12, **options: Any) -> None:
        self.fleet = Fleet(n=n, **options)
        self.site = site
        site.open([f"m-{number:03}" for number in range(n)])

    @property
    def now(self) -> float:
        return self.fleet.now

    async def cycle(self, change: Change | None = None, *, times: int = 1) -> CycleRun:
        ran = None
        for _ in range(times):
            self.fleet.now += self.fleet.config.cycle_sec
            readings = self.fleet.readings()
            if change is not None:
                change(readings)
            self.site.show(self.fleet.frame(readings))
            ran = await self.site.cycle(self.fleet.now)
        assert ran is not None
        return ran

    def open(self) -> set[tuple[str, str]]:
        rows = self.site.events("status in ('open', 'ack', 'in_progress')")
        return {(row["miner_id"] or "collector", row["issue_code"]) for row in rows}
