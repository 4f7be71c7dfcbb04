"""The same cycle over a file: what the simulator writes, what others write, and what cannot be read."""

import json
from pathlib import Path

import polars as pl
import pytest

from hashinsight.problems.config import Config
from hashinsight.replay import files
from hashinsight.replay.files import UnreadableFile
from hashinsight.replay.rows import interval_of, open_rows
from hashinsight.replay.runner import ReplayResult, replay
from hashinsight.sim.frames import Run, Shape
from hashinsight.sim.scenario import parse_scenario
from hashinsight.sim.writing import write_frames
from tests.installation import hashinsight

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


def read_all(file: Path) -> pl.DataFrame:
    with open_rows(file) as opened:
        return pl.concat(list(opened.pieces()))


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    run = Run(parse_scenario(SCENARIO, "few"), seed=5, start=1_780_000_200.0, days=0.25, shape=Shape(cadence_sec=300))
    return pl.concat(list(run.frames()))


def told(done: ReplayResult) -> list[tuple[object, ...]]:
    return done.events.select("miner_id", "issue_code", "opened_ts", "resolved_ts").rows()


def written(rows: pl.DataFrame, file: Path) -> Path:
    write_frames(iter([rows]), file, wrote=lambda _: None)
    return file


def test_faults_of_a_file_are_found_and_end_with_it(rows: pl.DataFrame, tmp_path: Path) -> None:
    done = replay(written(rows, tmp_path / "rows.parquet"))
    assert (done.machines, done.interval_sec, done.cycles) == (12, 300.0, 72)
    codes = {(one, code): end for one, code, _, end in told(done)}
    assert {code for _, code in codes} >= {"board_lost", "hashrate_degradation", "offline", "collector_down"}
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
    with open_rows(file) as opened:
        assert interval_of(opened) == 900.0
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
    file = written(elsewhere.head(12 * 12), tmp_path / "pools.parquet")
    done = replay(file, Config(allowed_pools=("good.example",)))
    assert {one for one, code, *_ in told(done) if code == "wrong_pool"} == set(done.machine_ids)
    assert not replay(file, Config(allowed_pools=("evil.example",))).events.height


def test_what_cannot_be_replayed_is_refused_in_one_sentence(rows: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no column ts"):
        replay(written(rows.drop("ts"), tmp_path / "timeless.csv"))
    with pytest.raises(UnreadableFile, match=r"no .parquet or .csv file"):
        replay(tmp_path / "absent.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"nothing")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        replay(tmp_path / "broken.parquet")


HEAD = "ts,miner_id,hashrate_ths\n"
FIRST = "2026-03-01T00:00:00,a,100\n"
SECOND = "2026-03-01T00:05:00,a,101\n"
BROKEN: dict[str, tuple[str | bytes, str]] = {
    "nothing at all": ("", "cannot be read: empty CSV"),
    "a header alone": (HEAD, "has no rows"),
    "an empty time in the middle": (f"{HEAD}{FIRST},a,2\n{SECOND}", "row 2 after the header has no ts"),
    "an empty time at the end": (f"{HEAD}{FIRST}{SECOND},a,2\n", "row 3 after the header has no ts"),
    "a word for a time": (f"{HEAD}{FIRST}yesterday,a,2\n", "row 2 after the header has the ts yesterday, which is no"),
    "no name": (f"{HEAD}{FIRST}2026-03-01T00:01:00,,2\n", "row 2 after the header has no miner_id"),
    "a clock that was never set": (f"{HEAD}1970-01-01T00:00:00,a,1\n{FIRST}", "row 1 .* between the years 2000 and"),
    "milliseconds": (f"{HEAD}1772323200000,a,1\n", "row 1 .* 1772323200000, which is not between the years"),
    "years of silence": (f"{HEAD}2011-03-01T00:00:00,a,1\n{FIRST}", "nothing between 2011-03-01 00:00 and 2026-03"),
    "silence out of order": (f"{HEAD}{FIRST}2011-03-01T00:00:00,a,1\n", "nothing between 2011-03-01 00:00 and 2026-03"),
    "an arrival that is none": (f"ts,miner_id,arrived_at\n{SECOND}", "row 1 .* has the arrived_at 101, which is not"),
    "a day for a time": (f"{HEAD}2026-03-01,a,104\n", "row 1 .* 2026-03-01, which is no time"),
    "commas in numbers": (f'{HEAD}2026-03-01T00:00:00,a,"104,5"\n', "hashrate_ths in which nothing is a number"),
    "a column of words": (
        f"{HEAD}{FIRST.replace('100', 'fast')}",
        "a column hashrate_ths in which nothing is a number",
    ),
    "another encoding": (f"{HEAD}{FIRST}".replace("a", "\xfc").encode("latin-1"), "no column|invalid utf-8"),
    "no text": (bytes(range(256)) * 20, "no column ts"),
    "more fields than columns": (f"{HEAD}{FIRST}2026-03-01T00:05:00,a,1,2,3\n", "cannot be read: found more fields"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_one_sentence_with_its_row(name: str, tmp_path: Path) -> None:
    text, reason = BROKEN[name]
    file = tmp_path / "broken.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UnreadableFile, match=reason) as refused:
        replay(file)
    assert "\n" not in str(refused.value)


def test_a_folder_and_columns_that_hold_something_else_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UnreadableFile, match="is no"):
        replay(tmp_path / "folder.csv")
    lists = pl.DataFrame({"ts": [[1], [2]], "miner_id": ["a", "b"]})
    lists.write_parquet(tmp_path / "lists.parquet")
    with pytest.raises(UnreadableFile, match="a column ts that holds no times"):
        replay(tmp_path / "lists.parquet")
    lists.select("miner_id", ts=1_772_323_200, hashrate_ths="ts").write_parquet(tmp_path / "numbers.parquet")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        replay(tmp_path / "numbers.parquet")


def test_a_row_far_behind_the_first_piece_is_found_by_its_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(files, "_BYTES", 500)
    rows = [f"{1_772_323_200 + 60 * number},a,100" for number in range(300)]
    rows[222] = "later,a,100"
    (tmp_path / "late.csv").write_text(HEAD + "\n".join(rows))
    with pytest.raises(UnreadableFile, match="row 223 after the header has the ts later"):
        replay(tmp_path / "late.csv")


def test_times_in_several_forms_unknown_values_and_whole_numbers_first_are_read(tmp_path: Path) -> None:
    file = tmp_path / "forms.csv"
    times = [
        "2026-03-01T00:00:00",
        "2026-03-01 00:05:00Z",
        "2026-03-01T02:10:00+02:00",
        "1772324100",
        "2026-03-01 00:20",
    ]
    told = ["inf", "N/A", "NaN", "0", "104.5"]
    file.write_text(HEAD + "".join(f"{at},007,{value}\n" for at, value in zip(times, told, strict=True)))
    rows = read_all(file)
    assert rows["ts"].dt.epoch("s").to_list() == [1_772_323_200 + 300 * number for number in range(5)]
    assert rows["hashrate_ths"].to_list() == [None, None, None, 0.0, 104.5]
    assert replay(file).machine_ids == ("007",)
    whole = "".join(f"{1_772_323_200 + 60 * number},a,0\n" for number in range(150))
    file.write_text(f"{HEAD}{whole}{1_772_323_200 + 9000},a,1.5\n")
    assert read_all(file)["hashrate_ths"].to_list()[-2:] == [0.0, 1.5]


def test_an_arrival_that_is_not_said_is_the_moment_of_the_sample(tmp_path: Path) -> None:
    file = tmp_path / "late.csv"
    file.write_text(
        "ts,miner_id,arrived_at\n2026-03-01T00:00:00,a,2026-03-01T00:20:00\n2026-03-01T00:05:00,a,\n2026-03-01T00:10:00,a,\n"
    )
    arrived = read_all(file)["arrived_at"].dt.strftime("%H:%M").to_list()
    assert arrived == ["00:05", "00:10", "00:20"]


def test_the_command_writes_all_or_nothing_and_never_over_its_source(rows: pl.DataFrame, tmp_path: Path) -> None:
    file = written(rows.head(120), tmp_path / "rows.csv")
    before = file.read_bytes()
    refused = hashinsight("replay", str(file), "--out", str(file))
    assert (refused.returncode, file.read_bytes()) == (78, before)
    assert "must have different names" in refused.stderr
    file.write_bytes(before + b"soon,a\n")
    refused = hashinsight(
        "replay", str(file), "--out", str(tmp_path / "events.csv"), "--moves", str(tmp_path / "m.csv")
    )
    assert refused.returncode == 78
    assert "Traceback" not in refused.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["rows.csv"]


def test_the_command_prints_and_writes_events(rows: pl.DataFrame, tmp_path: Path) -> None:
    file = written(rows, tmp_path / "rows.parquet")
    said = hashinsight("replay", str(file), "--out", str(tmp_path / "events.csv"), "--json")
    assert said.returncode == 0, said.stderr
    events = json.loads(said.stdout)["events"]
    assert len(events) == pl.read_csv(tmp_path / "events.csv").height > 3
    refused = hashinsight("replay", str(tmp_path / "absent.csv"))
    assert refused.returncode == 78
    assert "absent.csv is no .parquet or .csv file." in refused.stderr
