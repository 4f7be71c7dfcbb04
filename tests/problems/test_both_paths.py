"""A file replayed in memory and the same days lived through in the database end with the same events."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from hashinsight.kit.db.database import Database
from hashinsight.problems.frame import READINGS, Frame
from hashinsight.replay.columns import BOARDS
from hashinsight.replay.driving import Replayed, replay
from hashinsight.sim.frames import Run, Shape
from hashinsight.sim.scenario import parse_scenario
from hashinsight.sim.writing import write_frames
from tests.people import People
from tests.problems.stored import StoredSite

SCENARIO = """
days = 2
[[pools]]
name = "main"
url = "stratum+tcp://main.pool.example:3333"
user = "farm.worker"
[[sites]]
name = "north"
pools = ["main"]
[[sites.zones]]
name = "a"
machines = [{ model = "Antminer S19j Pro", count = 120 }, { model = "Antminer S21", count = 80 }]
[[fault]]
kind = "hashboard_lost"
at = "5h"
for = "9h"
count = 6
[[fault]]
kind = "network_lost"
at = "8h"
for = "3h"
count = 5
[[fault]]
kind = "fan_failing"
at = "12h"
for = "5h"
count = 4
[[fault]]
kind = "psu_reboot_loop"
at = "20h"
for = "10h"
count = 3
[[cause]]
kind = "collector_silent"
site = "north"
at = "30h"
for = "4h"
[[fault]]
kind = "network_lost"
at = "34h"
for = "3h"
count = 5
"""
INTERVAL = 1800


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    run = Run(
        parse_scenario(SCENARIO, "two days"),
        seed=11, start=1_780_000_200.0, days=2.0, shape=Shape(cadence_sec=INTERVAL),
    )  # fmt: skip
    made = pl.concat(list(run.frames()))
    boards = [name for name in made.columns if name in BOARDS]
    # the live layer keeps readings as real: both paths are given what it can hold
    return made.drop(boards).with_columns(pl.col(pl.Float64).cast(pl.Float32).cast(pl.Float64))


@pytest.mark.timeout(240)
async def test_two_days_of_200_machines_end_the_same_in_memory_and_in_the_database(
    rows: pl.DataFrame, tmp_path: Path, database: Database, superuser_url: str, people: People
) -> None:
    file = tmp_path / "days.parquet"
    write_frames(iter([rows]), file, wrote=lambda _: None)
    moments: list[tuple[float, Frame]] = []
    done = replay(file, watch=lambda now, frame, _state, _found: moments.append((now, _kept(frame))))
    site = StoredSite(database, superuser_url, await people.tenant_id("a"))
    try:
        site.open(done.machine_ids, interval_sec=INTERVAL)
        for now, frame in moments:
            site.show(frame)
            assert await site.cycle(now) is not None
        stored = site.events("opened_ts is not null")
    finally:
        site.close()
    assert done.events.height > 20
    assert {"offline", "collector_down"} <= set(done.events["issue_code"]), done.events["issue_code"].value_counts()
    assert [_stored(one) for one in stored] == _replayed(done)


def _kept(frame: Frame) -> Frame:
    copies: dict[str, Any] = {name: getattr(frame, name).copy() for name in (*READINGS, "ts", "heard_at", "status")}
    return dataclasses.replace(frame, **copies, board_ths=np.empty((0, frame.n)))


def _stored(one: dict[str, Any]) -> tuple[Any, ...]:
    times = (one[name] and one[name].timestamp() for name in ("start_ts", "opened_ts", "resolved_ts"))
    whose = one["miner_id"] or "collector:north"
    told = (one[name] for name in ("issue_code", "severity", "status", "recurrence_count", "flapping"))
    return (one["event_no"], whose, *told, *times, one["predecessor_id"] is not None)


def _replayed(done: Replayed) -> list[tuple[Any, ...]]:
    rows = done.events.sort("event_no").to_dicts()
    return [
        (
            one["event_no"], one["miner_id"],
            *(one[name] for name in ("issue_code", "severity", "status", "recurrence_count", "flapping")),
            *(one[name] and one[name].timestamp() for name in ("start_ts", "opened_ts", "resolved_ts")),
            one["predecessor"] >= 0,
        )
        for one in rows
    ]  # fmt: skip
