"""A file replayed in memory and the same days lived through in the database end with the same events."""

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from hashinsight.kit.db.database import Database
from hashinsight.problems.frame import READINGS, Frame
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.state import State
from hashinsight.replay.runner import ReplayResult, replay
from hashinsight.sim.frame_files import write_frames
from hashinsight.sim.frames import Run, Shape
from hashinsight.sim.scenario import parse_scenario
from tests.people import People
from tests.problems.stored_site import StoredSite

SITE = """
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
"""
# kind, when it begins, for how long, on how many machines; the collector of the site is silent for a while
TWO_DAYS = (
    *(("hashboard_lost", "5h", "9h", 6), ("network_lost", "8h", "3h", 5), ("fan_failing", "12h", "5h", 4)),
    *(("psu_reboot_loop", "20h", "10h", 3), ("collector_silent", "30h", "4h", 0), ("network_lost", "34h", "3h", 5)),
)
AN_AFTERNOON = (
    *(("hashboard_lost", "60m", "90m", 6), ("network_lost", "80m", "30m", 5), ("fan_failing", "90m", "60m", 4)),
    *(("collector_silent", "160m", "40m", 0), ("network_lost", "205m", "20m", 5)),
)
_SHARES = "select miner_id, board_share_min from feature_store_5min where ts = (select max(ts) from feature_chunks)"
RUNS = {
    "two days of a sample in half an hour": (TWO_DAYS, 48.0, 1800),
    "an afternoon of one in five minutes": (AN_AFTERNOON, 4.0, 300),  # as a site is judged; two days of it are minutes
}


def scenario(faults: tuple[tuple[str, str, str, int], ...]) -> str:
    answer = [SITE]
    for kind, begins, lasts, machines in faults:
        of = f"[[fault]]\ncount = {machines}" if machines else '[[cause]]\nsite = "north"'
        answer.append(f'{of}\nkind = "{kind}"\nat = "{begins}"\nfor = "{lasts}"\n')
    return "".join(answer)


def rows(faults: tuple[tuple[str, str, str, int], ...], hours: float, interval: int) -> pl.DataFrame:
    """With boards, and with readings as exact as they come: the live layer keeps them as `real`, memory as doubles."""
    made = parse_scenario(scenario(faults), "both ways")
    shape = Shape(cadence_sec=interval, parts=True)
    return pl.concat(list(Run(made, seed=11, start=1_780_000_200.0, days=hours / 24, shape=shape).frames()))


@pytest.mark.parametrize("name", list(RUNS)[: int(os.environ.get("HI_PATHS", "1"))])  # both in `make chaos`
async def test_200_machines_end_the_same_in_memory_and_in_the_database(
    name: str, tmp_path: Path, database: Database, superuser_url: str, people: People
) -> None:
    faults, hours, interval = RUNS[name]
    file = tmp_path / "days.parquet"
    write_frames(iter([rows(faults, hours, interval)]), file, wrote=lambda _: None)
    moments: list[tuple[float, Frame]] = []
    shares: list[Any] = []

    def watch(now: float, frame: Frame, _state: State, result: CycleResult) -> None:
        moments.append((now, _kept(frame)))
        shares.append(result.observed.features.board_share_min.copy())

    done = replay(file, watch=watch)
    site = StoredSite(database, superuser_url, await people.tenant_id("a"))
    try:
        site.open(done.machine_ids, interval_sec=interval)
        for now, frame in moments:
            site.show(frame)
            assert await site.cycle(now) is not None
        stored = site.events("opened_ts is not null")
        answer = dict(site.rows(_SHARES))
    finally:
        site.close()
    assert done.interval_sec == interval
    assert done.events.height > 20
    assert {"offline", "collector_down"} <= set(done.events["issue_code"]), done.events["issue_code"].value_counts()
    assert [_stored(each) for each in stored] == _replayed(done)
    known = {
        each: float(share) for each, share in zip(done.machine_ids, shares[-1], strict=True) if not np.isnan(share)
    }
    assert len(known) > 100
    assert {each: share for each, share in answer.items() if share is not None} == pytest.approx(known, rel=1e-5)


def _kept(frame: Frame) -> Frame:
    copies: dict[str, Any] = {name: getattr(frame, name).copy() for name in (*READINGS, "ts", "heard_at", "status")}
    return dataclasses.replace(frame, **copies, board_ths=frame.board_ths.copy())


def _stored(sample: dict[str, Any]) -> tuple[Any, ...]:
    times = (sample[name] and sample[name].timestamp() for name in ("start_ts", "opened_ts", "resolved_ts"))
    whose = sample["miner_id"] or "collector:north"
    answer = (sample[name] for name in ("issue_code", "severity", "status", "recurrence_count", "flapping"))
    return (sample["event_no"], whose, *answer, *times, sample["predecessor_id"] is not None)


def _replayed(done: ReplayResult) -> list[tuple[Any, ...]]:
    rows = done.events.sort("event_no").to_dicts()
    return [
        (
            row["event_no"], row["miner_id"],
            *(row[name] for name in ("issue_code", "severity", "status", "recurrence_count", "flapping")),
            *(row[name] and row[name].timestamp() for name in ("start_ts", "opened_ts", "resolved_ts")),
            row["predecessor"] >= 0,
        )
        for row in rows
    ]  # fmt: skip
