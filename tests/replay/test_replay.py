"""Replay: files of the simulator, files of others, and files that cannot be read."""

import json
from pathlib import Path

import polars as pl
import pytest

from hashinsight.problems.config import Config
from hashinsight.replay import files
from hashinsight.replay.files import UnreadableFile
from hashinsight.replay.rows import interval_of, open_rows
from hashinsight.replay.runner import ReplayResult, replay
from hashinsight.sim.frame_files import write_frames
from hashinsight.sim.frames import Run, Shape
from hashinsight.sim.scenario import parse_scenario
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
    with open_rows(file) as file_rows:
        return pl.concat(list(file_rows.chunks()))


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    run = Run(parse_scenario(SCENARIO, "few"), seed=5, start=1_780_000_200.0, days=0.25, shape=Shape(cadence_sec=300))
    return pl.concat(list(run.frames()))


def problems_of(result: ReplayResult) -> list[tuple[object, ...]]:
    return result.events.select("miner_id", "issue_code", "opened_ts", "resolved_ts").rows()


def write_file(rows: pl.DataFrame, file: Path) -> Path:
    write_frames(iter([rows]), file, wrote=lambda _: None)
    return file


def test_faults_in_a_file_open_problems_that_resolve_when_the_faults_end(rows: pl.DataFrame, tmp_path: Path) -> None:
    result = replay(write_file(rows, tmp_path / "rows.parquet"))
    assert (result.machines, result.interval_sec, result.cycles) == (12, 300.0, 72)
    codes = {(miner_id, code): end for miner_id, code, _, end in problems_of(result)}
    assert {code for _, code in codes} >= {"board_lost", "hashrate_degradation", "offline", "collector_down"}
    assert ("collector:north", "collector_down") in codes
    assert all(end is not None for end in codes.values())
    opened = result.moves.filter(pl.col("action") == "created")
    assert opened.height == len(codes)


def test_csv_and_rows_in_any_order_give_the_same_events(rows: pl.DataFrame, tmp_path: Path) -> None:
    first = problems_of(replay(write_file(rows, tmp_path / "rows.parquet")))
    assert problems_of(replay(write_file(rows, tmp_path / "rows.csv"))) == first
    assert (
        problems_of(replay(write_file(rows.sample(fraction=1.0, shuffle=True, seed=1), tmp_path / "mixed.parquet")))
        == first
    )
    seconds = rows.with_columns(ts=pl.col("ts").dt.epoch("ms") / 1000)
    assert problems_of(replay(write_file(seconds, tmp_path / "seconds.csv"))) == first


def test_a_repeated_row_counts_once(rows: pl.DataFrame, tmp_path: Path) -> None:
    double = pl.concat([rows, rows]).sort("ts", maintain_order=True)
    assert problems_of(replay(write_file(double, tmp_path / "double.parquet"))) == problems_of(
        replay(write_file(rows, tmp_path / "rows.parquet"))
    )


def test_a_file_with_only_time_and_machine_finds_machines_that_went_offline(rows: pl.DataFrame, tmp_path: Path) -> None:
    gone = rows.filter(pl.col("online") == 1).select("ts", "miner_id", site=pl.col("site").cast(pl.String))
    result = replay(write_file(gone, tmp_path / "bare.csv"))
    assert {code for _, code, *_ in problems_of(result)} == {"offline", "collector_down"}


def test_the_collection_interval_comes_from_the_file(rows: pl.DataFrame, tmp_path: Path) -> None:
    thinner = rows.filter(pl.col("ts").dt.epoch("s") % 900 == 0)
    file = write_file(thinner, tmp_path / "thin.parquet")
    with open_rows(file) as file_rows:
        assert interval_of(file_rows) == 900.0
    assert replay(file).cycles == pytest.approx(24, abs=1)


def test_an_expected_stop_in_the_file_opens_no_problem(rows: pl.DataFrame, tmp_path: Path) -> None:
    stopped = rows.with_columns(hashrate_ths=pl.lit(0.0), expected_state=pl.lit("curtailed"))
    result = replay(write_file(stopped, tmp_path / "stopped.parquet"))
    assert "hashrate_zero" not in {code for _, code, *_ in problems_of(result)}
    assert "hashrate_zero" in {
        code
        for _, code, *_ in problems_of(replay(write_file(stopped.drop("expected_state"), tmp_path / "not.parquet")))
    }


def test_wrong_pools_are_found_when_allowed_pools_are_given(rows: pl.DataFrame, tmp_path: Path) -> None:
    elsewhere = rows.with_columns(pool_url=pl.lit("stratum+tcp://evil.example:3333"))
    file = write_file(elsewhere.head(12 * 12), tmp_path / "pools.parquet")
    result = replay(file, Config(allowed_pools=("good.example",)))
    assert {miner_id for miner_id, code, *_ in problems_of(result) if code == "wrong_pool"} == set(result.machine_ids)
    assert not replay(file, Config(allowed_pools=("evil.example",))).events.height


def test_an_unreadable_file_is_refused_in_one_sentence(rows: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no column ts"):
        replay(write_file(rows.drop("ts"), tmp_path / "timeless.csv"))
    with pytest.raises(UnreadableFile, match=r"not a .parquet or .csv file"):
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
    "an empty time in the middle": (f"{HEAD}{FIRST},a,2\n{SECOND}", "row 2 after the header: ts is missing"),
    "an empty time at the end": (f"{HEAD}{FIRST}{SECOND},a,2\n", "row 3 after the header: ts is missing"),
    "a word for a time": (f"{HEAD}{FIRST}yesterday,a,2\n", "row 2 after the header: ts yesterday is not a"),
    "no name": (f"{HEAD}{FIRST}2026-03-01T00:01:00,,2\n", "row 2 after the header: miner_id is missing"),
    "a clock that was never set": (f"{HEAD}1970-01-01T00:00:00,a,1\n{FIRST}", "row 1 .* between the years 2000 and"),
    "milliseconds": (f"{HEAD}1772323200000,a,1\n", "row 1 .* 1772323200000 is not between the years"),
    "years of silence": (f"{HEAD}2011-03-01T00:00:00,a,1\n{FIRST}", "no rows between 2011-03-01 00:00 and 2026-03"),
    "silence out of order": (f"{HEAD}{FIRST}2011-03-01T00:00:00,a,1\n", "no rows between 2011-03-01 00:00 and 2026-03"),
    "an arrival that is no time": (f"ts,miner_id,arrived_at\n{SECOND}", "row 1 .* arrived_at 101 is not"),
    "a day for a time": (f"{HEAD}2026-03-01,a,104\n", "row 1 .* 2026-03-01 is not a time"),
    "commas in numbers": (f'{HEAD}2026-03-01T00:00:00,a,"104,5"\n', "column hashrate_ths has no numbers"),
    "a column of words": (
        f"{HEAD}{FIRST.replace('100', 'fast')}",
        "column hashrate_ths has no numbers",
    ),
    "another encoding": (f"{HEAD}{FIRST}".replace("a", "\xfc").encode("latin-1"), "no column|invalid utf-8"),
    "no text": (bytes(range(256)) * 20, "no column ts"),
    "more fields than columns": (f"{HEAD}{FIRST}2026-03-01T00:05:00,a,1,2,3\n", "cannot be read: found more fields"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_one_sentence_with_the_row_number(name: str, tmp_path: Path) -> None:
    text, reason = BROKEN[name]
    file = tmp_path / "broken.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UnreadableFile, match=reason) as refused:
        replay(file)
    assert "\n" not in str(refused.value)


def test_a_folder_and_columns_of_the_wrong_type_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UnreadableFile, match="is not a"):
        replay(tmp_path / "folder.csv")
    lists = pl.DataFrame({"ts": [[1], [2]], "miner_id": ["a", "b"]})
    lists.write_parquet(tmp_path / "lists.parquet")
    with pytest.raises(UnreadableFile, match="column ts has type"):
        replay(tmp_path / "lists.parquet")
    lists.select("miner_id", ts=1_772_323_200, hashrate_ths="ts").write_parquet(tmp_path / "numbers.parquet")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        replay(tmp_path / "numbers.parquet")


def test_a_bad_row_far_into_the_file_is_named_by_its_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "_CHUNK_BYTES", 500)
    rows = [f"{1_772_323_200 + 60 * number},a,100" for number in range(300)]
    rows[222] = "later,a,100"
    (tmp_path / "late.csv").write_text(HEAD + "\n".join(rows))
    with pytest.raises(UnreadableFile, match="row 223 after the header: ts later"):
        replay(tmp_path / "late.csv")


def test_times_in_several_formats_unknown_values_and_late_decimals_are_read(tmp_path: Path) -> None:
    file = tmp_path / "forms.csv"
    times = [
        "2026-03-01T00:00:00",
        "2026-03-01 00:05:00Z",
        "2026-03-01T02:10:00+02:00",
        "1772324100",
        "2026-03-01 00:20",
    ]
    values = ["inf", "N/A", "NaN", "0", "104.5"]
    file.write_text(HEAD + "".join(f"{at},007,{value}\n" for at, value in zip(times, values, strict=True)))
    rows = read_all(file)
    assert rows["ts"].dt.epoch("s").to_list() == [1_772_323_200 + 300 * number for number in range(5)]
    assert rows["hashrate_ths"].to_list() == [None, None, None, 0.0, 104.5]
    assert replay(file).machine_ids == ("007",)
    whole = "".join(f"{1_772_323_200 + 60 * number},a,0\n" for number in range(150))
    file.write_text(f"{HEAD}{whole}{1_772_323_200 + 9000},a,1.5\n")
    assert read_all(file)["hashrate_ths"].to_list()[-2:] == [0.0, 1.5]


def test_a_missing_arrival_time_is_the_time_of_the_sample(tmp_path: Path) -> None:
    file = tmp_path / "late.csv"
    file.write_text(
        "ts,miner_id,arrived_at\n2026-03-01T00:00:00,a,2026-03-01T00:20:00\n2026-03-01T00:05:00,a,\n2026-03-01T00:10:00,a,\n"
    )
    arrived = read_all(file)["arrived_at"].dt.strftime("%H:%M").to_list()
    assert arrived == ["00:05", "00:10", "00:20"]


def test_the_command_writes_all_files_or_none_and_never_over_its_source(rows: pl.DataFrame, tmp_path: Path) -> None:
    file = write_file(rows.head(120), tmp_path / "rows.csv")
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
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv"]


def test_the_command_prints_and_writes_events(rows: pl.DataFrame, tmp_path: Path) -> None:
    file = write_file(rows, tmp_path / "rows.parquet")
    done = hashinsight("replay", str(file), "--out", str(tmp_path / "events.csv"), "--json")
    assert done.returncode == 0, done.stderr
    events = json.loads(done.stdout)["events"]
    assert len(events) == pl.read_csv(tmp_path / "events.csv").height > 3
    refused = hashinsight("replay", str(tmp_path / "absent.csv"))
    assert refused.returncode == 78
    assert "absent.csv is not a .parquet or .csv file." in refused.stderr
