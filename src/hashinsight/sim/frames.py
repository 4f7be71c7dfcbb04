"""Simulates days of a fleet in fast time: frames in the columns of `hashinsight replay`, and the true labels."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl

from hashinsight.sim.columns import (
    Block,
    DefectInjector,
    FrameBuilder,
    Millis,
    arrival_ms,
    empty_block,
    fill_row,
    include_spooled,
)
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.faults.family import Families
from hashinsight.sim.plan import Scenario, ScenarioError
from hashinsight.sim.readings import Flags
from hashinsight.sim.world import World

LONGEST_STEP_SEC = 300.0
_CHUNK_ROWS = 200_000
_DAY = 86_400.0
COLUMNS = (
    "ts", "site", "miner_id", "model", "firmware", "hashrate_ths", "expected_ths", "temp_avg", "temp_max", "power_w",
    "fan_rpm", "boards_healthy", "boards_total", "hw_errors", "accepted", "rejected", "online", "mode", "zone",
    "uptime_seconds", "fan_avg_rpm",
)  # fmt: skip
LABELS: dict[str, pl.DataType | type[pl.DataType]] = {
    "no": pl.Int64,
    "site": pl.String,
    "miner_id": pl.String,
    "kind": pl.String,
    "family": pl.String,
    "start": pl.Datetime("ms", "UTC"),
    "end": pl.Datetime("ms", "UTC"),
    "precursor_start": pl.Datetime("ms", "UTC"),
    "scope": pl.String,
    "severity": pl.Float64,
    "members": pl.List(pl.String),
}


@dataclass(frozen=True)
class Shape:
    """Form of the frames: `parts` adds boards and fans, `arrived` the arrival time, `by_arrival` orders by it."""

    cadence_sec: float = 300.0
    chunk_hours: float | None = None
    parts: bool = False
    arrived: bool = False
    by_arrival: bool = False


class Run:
    """One run of a scenario in fast time. Frames can be read once; labels are complete after the last frame."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        seed: int,
        start: float,
        days: float,
        shape: Shape | None = None,
        families: Families = PUBLIC,
    ) -> None:
        self._shape = shape or Shape()
        cadence = self._shape.cadence_sec
        if cadence <= 0 or days * _DAY < cadence:
            raise ScenarioError(f"no rows: {days:g} days are shorter than the cadence of {cadence:g} s")
        self.world = World(
            scenario, seed=seed, start=start, families=families, max_step_sec=min(cadence, LONGEST_STEP_SEC)
        )
        self._injector = DefectInjector(self.world, scenario.defects, seed) if scenario.defects.any else None
        self._start, self._steps = start, int(days * _DAY / cadence)
        self._pending = pl.DataFrame()

    def frames(self) -> Iterator[pl.DataFrame]:
        """Rows in order of time and machine, one chunk in memory at a time."""
        builder = FrameBuilder(self.world)
        hours = self._shape.chunk_hours
        usual = _CHUNK_ROWS // self.world.fleet.n
        size = max(usual if hours is None else int(hours * 3600 / self._shape.cadence_sec), 1)
        for first in range(0, self._steps, size):
            last = min(first + size, self._steps)
            frame = self._chunk(builder, first, last)
            yield self._in_order(frame, final=last == self._steps)

    def labels(self) -> pl.DataFrame:
        """True episodes so far, one row each; a common cause has members instead of a miner_id."""
        ids = self.world.fleet.machine_id
        rows = [
            (
                *(episode.no, episode.site, episode.machine_id, episode.kind, episode.family),
                *(_moment(episode.start), _moment(episode.end), _moment(episode.precursor_start)),
                *(episode.scope, episode.severity, [ids[member] for member in episode.members]),
            )
            for episode in self.world.episodes()
        ]
        return pl.DataFrame(rows, schema=LABELS, orient="row")

    def finish(self) -> None:
        """Runs to the end without building frames."""
        for number in range(self._steps):
            self.world.advance(self._start + (number + 1) * self._shape.cadence_sec)

    def _chunk(self, builder: FrameBuilder, first: int, last: int) -> pl.DataFrame:
        n, parts = self.world.fleet.n, self._shape.parts
        block = empty_block(last - first, n, parts=parts)
        ts = np.empty((last - first, n), dtype=np.int64)
        arrived = np.empty_like(ts) if self._shape.arrived or self._shape.by_arrival else None
        duplicated = np.zeros(ts.shape, dtype=np.bool_)
        for row in range(last - first):
            self.world.advance(self._start + (first + row + 1) * self._shape.cadence_sec)
            fill_row(block, row, self.world, parts=parts)
            if arrived is not None:
                include_spooled(self.world, block, row)
            delay = np.full(n, 2.0)
            if self._injector is None:
                ts[row] = round(self.world.at * 1000)
            else:
                ts[row], delay, duplicated[row] = self._injector.apply(block, row, self.world.at)
            if arrived is not None:
                arrived[row] = arrival_ms(self.world, delay)
        return self._build(builder, block, ts=ts, arrived=arrived, duplicated=duplicated)

    def _build(
        self,
        builder: FrameBuilder,
        block: Block,
        *,
        ts: Millis,
        arrived: Millis | None,
        duplicated: Flags,
    ) -> pl.DataFrame:
        collected = block["collected"].reshape(-1)
        frame = builder.frame(block, ts)
        order: tuple[str, ...] = COLUMNS + tuple(name for name in block if name not in {*COLUMNS, "collected"})
        if arrived is not None:
            frame = frame.with_columns(
                arrived_at=pl.Series(arrived.reshape(-1)[collected]).cast(pl.Datetime("ms", "UTC"))
            )
            order += ("arrived_at",)
        frame = frame.select(order)
        doubled = duplicated.reshape(-1)[collected]
        if doubled.any():
            frame = frame[np.repeat(np.arange(len(doubled)), 1 + doubled)]
        return frame

    def _in_order(self, frame: pl.DataFrame, *, final: bool) -> pl.DataFrame:
        """Orders by arrival: rows that arrive after the end of this chunk wait for a later one."""
        if not self._shape.by_arrival:
            return frame
        waiting = pl.concat([self._pending, frame]) if self._pending.height else frame
        waiting = waiting.sort("arrived_at", maintain_order=True)
        if final:
            return waiting
        here = pl.col("arrived_at") <= _moment(self.world.at)
        self._pending = waiting.filter(~here)
        return waiting.filter(here)


def stream(
    scenario: Scenario,
    *,
    seed: int,
    start: float,
    days: float | None = None,
    until: float | None = None,
    families: Families = PUBLIC,
    cadence_sec: float = 300.0,
    chunk_hours: float | None = None,
    parts: bool = False,
    arrived: bool = False,
    by_arrival: bool = False,
) -> Iterator[pl.DataFrame]:
    """Frames of a run; memory is bounded by the chunk size."""
    shape = Shape(cadence_sec, chunk_hours, parts, arrived, by_arrival)
    return Run(
        scenario, seed=seed, start=start, days=_days(scenario, start, days, until), shape=shape, families=families
    ).frames()


def labels(
    scenario: Scenario,
    *,
    seed: int,
    start: float,
    days: float | None = None,
    until: float | None = None,
    families: Families = PUBLIC,
    cadence_sec: float = 300.0,
) -> pl.DataFrame:
    """Labels of the same run. To get frames and labels in one pass, use `Run`."""
    span = _days(scenario, start, days, until)
    run = Run(scenario, seed=seed, start=start, days=span, shape=Shape(cadence_sec), families=families)
    run.finish()
    return run.labels()


def _days(scenario: Scenario, start: float, days: float | None, until: float | None) -> float:
    if until is not None:
        return (until - start) / _DAY
    return scenario.days if days is None else days


def _moment(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)
