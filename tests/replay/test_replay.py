"""The same cycle over a file: what the simulator writes, what others write, and what cannot be read."""

import json
from pathlib import Path

import polars as pl
import pytest

from hashinsight.problems.config import Config
from hashinsight.replay.driving import Replayed, replay
from hashinsight.replay.reading import Unreadable, interval_of, open_rows
from hashinsight.sim.frames import Run, Shape
from hashinsight.sim.scenario import parse_scenario
from hashinsight.sim.writing import write_frames
from tests.running import hashinsight

SCENARIO = """
days = 1
[[pools]]
name = "main"
url = "stratum+tcp://main.pool.example:3333"
user = "farm.worker"
[[sites]]
name = "north"
pools = ["main"]
[[sites.zones]]
name = "a"
machines = [{ model = "Antminer S19j Pro", count = 12 }]
[[fault]]
kind = "hashboard_lost"
at = "1h"
for = "90m"
[[fault]]
kind = "network_lost"
at = "2h"
for = "1h"
[[cause]]
kind = "collector_silent"
site = "north"
at = "210m"
for = "1h"
"""


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    run = Run(parse_scenario(SCENARIO, "few"), seed=5, start=1_780_000_200.0, days=0.25, shape=Shape(cadence_sec=300))
    return pl.concat(list(run.frames()))


def told(done: Replayed) -> list[tuple[object, ...]]:
    return done.events.select("miner_id", "issue_code", "opened_ts", "resolved_ts").rows()


def written(rows: pl.DataFrame, file: Path) -> Path:
    write_frames(iter([rows]), file, wrote=lambda _: None)
    return file


def test_faults_of_a_file_are_found_and_end_with_it(rows: pl.DataFrame, tmp_path: Path) -> None:
    done = replay(written(rows, tmp_path / "rows.parquet"))
    assert (done.machines, done.interval_sec, done.cycles) == (12, 300.0, 72)
    codes = {(one, code): end for one, code, _, end in told(done)}
    assert {code for _, code in codes} >= {"boards_degrading", "hashrate_degradation", "offline", "collector_down"}
    assert ("collector:north", "collector_down") in codes
    assert all(end is not None for end in codes.values())
    opened = done.moves.filter(pl.col("action") == "created")
    assert opened.height == len(codes)


def test_csv_and_rows_in_any_order_give_the_same_events(rows: pl.DataFrame, tmp_path: Path) -> None:
    first = told(replay(written(rows, tmp_path / "rows.parquet")))
    assert told(replay(written(rows, tmp_path / "rows.csv"))) == first
    assert told(replay(written(rows.sample(fraction=1.0, shuffle=True, seed=1), tmp_path / "mixed.parquet"))) == first
    seconds = rows.with_columns(ts=pl.col("ts").dt.epoch("ms") / 1000)
    assert told(replay(written(seconds, tmp_path / "seconds.csv"))) == first


def test_twice_the_same_row_is_once(rows: pl.DataFrame, tmp_path: Path) -> None:
    double = pl.concat([rows, rows]).sort("ts", maintain_order=True)
    assert told(replay(written(double, tmp_path / "double.parquet"))) == told(
        replay(written(rows, tmp_path / "rows.parquet"))
    )


def test_a_file_with_a_time_and_a_name_alone_says_who_is_gone(rows: pl.DataFrame, tmp_path: Path) -> None:
    gone = rows.filter(pl.col("online") == 1).select("ts", "miner_id", site=pl.col("site").cast(pl.String))
    done = replay(written(gone, tmp_path / "bare.csv"))
    assert {code for _, code, *_ in told(done)} == {"offline", "collector_down"}


def test_the_interval_is_that_of_the_file(rows: pl.DataFrame, tmp_path: Path) -> None:
    thinner = rows.filter(pl.col("ts").dt.epoch("s") % 900 == 0)
    file = written(thinner, tmp_path / "thin.parquet")
    assert interval_of(open_rows(file)) == 900.0
    assert replay(file).cycles == pytest.approx(24, abs=1)


def test_an_expected_stop_in_the_file_excuses(rows: pl.DataFrame, tmp_path: Path) -> None:
    stopped = rows.with_columns(hashrate_ths=pl.lit(0.0), expected_state=pl.lit("curtailed"))
    done = replay(written(stopped, tmp_path / "stopped.parquet"))
    assert "hashrate_zero" not in {code for _, code, *_ in told(done)}
    assert "hashrate_zero" in {
        code for _, code, *_ in told(replay(written(stopped.drop("expected_state"), tmp_path / "not.parquet")))
    }


def test_wrong_pools_are_told_where_a_list_is_given(rows: pl.DataFrame, tmp_path: Path) -> None:
    elsewhere = rows.with_columns(pool_url=pl.lit("stratum+tcp://evil.example:3333"))
    file = written(elsewhere.head(12 * 20), tmp_path / "pools.parquet")
    done = replay(file, Config(allowed_pools=("good.example",)))
    assert {code for _, code, *_ in told(done)} == {"wrong_pool"}


def test_what_cannot_be_replayed_is_refused_in_one_sentence(rows: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="no column ts"):
        replay(written(rows.drop("ts"), tmp_path / "timeless.csv"))
    with pytest.raises(Unreadable, match=r"no .parquet or .csv file"):
        replay(tmp_path / "absent.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"nothing")
    with pytest.raises(Unreadable, match="cannot be read"):
        replay(tmp_path / "broken.parquet")


def test_the_command_prints_and_writes_events(rows: pl.DataFrame, tmp_path: Path) -> None:
    file = written(rows, tmp_path / "rows.parquet")
    said = hashinsight("replay", str(file), "--out", str(tmp_path / "events.csv"), "--json")
    assert said.returncode == 0, said.stderr
    events = json.loads(said.stdout)["events"]
    assert len(events) == pl.read_csv(tmp_path / "events.csv").height > 3
    refused = hashinsight("replay", str(tmp_path / "absent.csv"))
    assert refused.returncode == 78
    assert "absent.csv is no .parquet or .csv file." in refused.stderr
