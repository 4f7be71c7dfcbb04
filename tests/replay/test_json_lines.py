"""`replay FILE --out EVENTS.jsonl`: one JSON object per problem, a stable format for scripts."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.installation import hashinsight

START = 1_772_323_200
NAMES = [
    "kind", "site", "miner_id", "issue_code", "severity", "opened_at", "resolved_at", "symptom", "incident_id",
    "evidence",
]  # fmt: skip


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Six machines at two sites for five hours: a fan of m1 stops after an hour; site south falls silent later."""
    rows = [
        {
            "ts": datetime.fromtimestamp(START + 300 * step).astimezone().isoformat(),
            "site": "north" if machine < 3 else "south",
            "zone": f"hall {machine % 2}",
            "miner_id": f"m{machine}",
            "model": "Antminer S19j Pro",
            "hashrate_ths": 100.0 + machine / 10,
            "expected_ths": 100.0,
            "temp_max": 65.0,
            "fan_rpm": 0 if machine == 1 and 12 <= step < 30 else 5000,
            "online": 1,
        }
        for step in range(60)
        for machine in range(6)
        if machine < 3 or step < 40
    ]
    folder = tmp_path_factory.mktemp("lines")
    pl.DataFrame(rows).write_csv(folder / "rows.csv")
    done = hashinsight("replay", str(folder / "rows.csv"), "--out", str(folder / "events.jsonl"))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def test_every_problem_is_a_line_with_the_specified_field_names(lines: list[dict[str, Any]]) -> None:
    assert lines
    assert all(list(line) == NAMES for line in lines)
    assert [line["opened_at"] for line in lines] == sorted(line["opened_at"] for line in lines)
    fan = next(line for line in lines if line["issue_code"] == "fan_zero")
    assert (fan["kind"], fan["site"], fan["miner_id"], fan["severity"]) == ("problem", "north", "m1", "P1")
    assert fan["opened_at"] < fan["resolved_at"]
    assert (fan["symptom"], fan["incident_id"]) == (False, None)


def test_times_are_utc_and_evidence_names_the_rule(lines: list[dict[str, Any]]) -> None:
    fan = next(line for line in lines if line["issue_code"] == "fan_zero")
    opened = datetime.fromisoformat(fan["opened_at"])
    assert START + 12 * 300 <= opened.timestamp() <= START + 16 * 300
    assert fan["opened_at"].endswith("Z")
    assert (fan["evidence"]["rule_code"], fan["evidence"]["fan_speed_min"]) == ("fan_zero", 0)
    assert datetime.fromisoformat(fan["evidence"]["evaluated_at"]) == opened


def test_a_silent_collector_is_an_open_problem_of_its_site_without_a_machine(
    lines: list[dict[str, Any]],
) -> None:
    (down,) = (line for line in lines if line["issue_code"] == "collector_down")
    assert (down["site"], down["miner_id"], down["resolved_at"]) == ("south", None, None)
    assert down["evidence"]["collector"] == "south"


def test_a_file_with_samples_every_30_seconds_has_evidence_for_an_offline_machine(tmp_path: Path) -> None:
    rows = [
        {"ts": START + 30 * step, "site": "north", "miner_id": f"m{machine}", "hashrate_ths": 100 + step % 7}
        for step in range(80)
        for machine in range(3)
        if machine or step < 30
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "rows.csv")
    done = hashinsight("replay", str(tmp_path / "rows.csv"), "--out", str(tmp_path / "events.jsonl"))
    assert done.returncode == 0, done.stderr
    (offline,) = (json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines())
    assert (offline["miner_id"], offline["issue_code"]) == ("m0", "offline")
    assert offline["evidence"]["threshold"] == 300.0


def test_events_carry_site_and_zone_from_the_file(tmp_path: Path) -> None:
    rows = [
        {"ts": START + 300 * step, "site": "north", "zone": "hall 2", "miner_id": "a", "fan_rpm": 0, "online": 1}
        | {"hashrate_ths": 100.0, "expected_ths": 100.0}
        for step in range(20)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "rows.parquet")
    done = hashinsight("replay", str(tmp_path / "rows.parquet"), "--out", str(tmp_path / "events.csv"))
    assert done.returncode == 0, done.stderr
    events = pl.read_csv(tmp_path / "events.csv")
    assert events.filter(pl.col("issue_code") == "fan_zero").select("site", "zone").row(0) == ("north", "hall 2")


def test_an_unknown_output_format_is_refused_before_the_replay_starts(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(f"ts,miner_id\n{START},a\n")
    for option, name in (("--out", "events.json"), ("--moves", "moves.jsonl")):
        refused = hashinsight("replay", str(tmp_path / "rows.csv"), option, str(tmp_path / name))
        assert refused.returncode == 78
        assert f"{name} cannot be written" in refused.stderr
