"""What was, at each resolution: the series, their bounds, and the file."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from hashinsight.kit.db import partitions
from hashinsight.kit.db.context import job_context
from hashinsight.telemetry.layers import MONTH, Layer, bucket_start
from tests.telemetry.fleet import HISTORY, Fleet, sample


@pytest.fixture
async def reporting(fleet: Fleet) -> Fleet:
    """Two machines over the last three hours, a sample every two minutes; nothing known of m2's power."""
    for n, name in enumerate(("m1", "m2")):
        rows = [
            sample(
                name,
                fleet.at(-seconds),
                hashrate_ths=100 + n,
                temp_avg=60,
                temp_max=70,
                accepted_shares=100_000 - seconds,
                rejected_shares=0,
                **({"power_w": 3000} if n == 0 else {}),
            )
            for seconds in range(0, 3 * 3600, 120)
        ]
        await fleet.send(*rows)
    await fleet.roll()
    return fleet


async def test_each_resolution_reads_its_layer(reporting: Fleet) -> None:
    raw = await reporting.history(resolution="raw", start=reporting.at(-600))
    assert [len(raw["m1"]), len(raw["m2"])] == [5, 5]
    assert raw["m1"][0] | {"ts": ""} == {
        "ts": "",
        "status": "online",
        "hashrate_ths": 100,
        "temp_c": 60,
        "temp_max_c": 70,
        "power_w": 3000,
        "fan_rpm": None,
        "frequency_mhz": None,
        "reject_rate": None,
        "accepted_shares": 99_400,
        "rejected_shares": 0,
        "hardware_errors": None,
        "boards_healthy": None,
        "uptime_seconds": None,
        "error_message": None,
    }
    assert raw["m1"][1]["reject_rate"] == 0
    five = await reporting.history()
    assert 22 <= len(five["m1"]) <= 24
    assert (five["m1"][3]["hashrate_ths"], five["m1"][3]["efficiency_j_th"]) == (100, 30)
    assert (five["m2"][3]["power_w"], five["m2"][3]["efficiency_j_th"]) == (None, None)
    assert five["m1"][3]["online_ratio"] == 1
    times = [point["ts"] for point in five["m1"]]
    assert times == sorted(times)
    hourly = await reporting.history(resolution="hourly", start=reporting.at(-4 * 3600))
    assert 2 <= len(hourly["m1"]) <= 3
    assert hourly["m1"][-1]["accepted_shares"] == pytest.approx(3600, abs=240)
    async with reporting.database.transaction(job_context()) as session:
        today = bucket_start(reporting.now, Layer.DAY)
        await partitions.ensure(session, "telemetry_day", today, today, MONTH)
        await session.execute(
            text(
                "insert into telemetry_day (miner_no, day, tenant_id, site_id, samples, online_samples, hashrate_n,"
                " temp_n, power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, created_at)"
                " select miner_no, :day, tenant_id, site_id, 100, 50, 100, 100, 100, 0, 10000, 6000, 300000, 0, :day"
                " from miners"
            ),
            {"day": today},
        )
    daily = await reporting.history(resolution="daily", start=reporting.at(-86400))
    assert (daily["m1"][-1]["total_power_kwh"], daily["m1"][-1]["uptime_hours"]) == (72, 12)
    assert (daily["m1"][-1]["reject_rate"], daily["m1"][-1]["online_ratio"]) == (None, 0.5)


async def test_the_answer_names_its_source_and_pages_by_machine(reporting: Fleet) -> None:
    query: dict[str, Any] = {"site_id": "tx-1", "start": reporting.at(-3600), "end": reporting.at(0), "limit": 1}
    first = await reporting.ok(HISTORY, **query)
    assert [series["miner_id"] for series in first["series"]] == ["m1"]
    assert (first["_meta"]["source"], first["_meta"]["resolution"]) == ("telemetry_history_5min", "5min")
    assert first["_meta"]["points"] == len(first["series"][0]["data"])
    second = await reporting.ok(HISTORY, cursor=first["next_cursor"], **query)
    assert [series["miner_id"] for series in second["series"]] == ["m2"]
    assert second["next_cursor"] is None
    second_only = await reporting.ok(HISTORY, miner_id="m2", **query)
    assert second_only["series"] == second["series"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"start": 0, "end": 0}, "BAD_TIME_RANGE"),
        ({"start": 10, "end": 0}, "BAD_TIME_RANGE"),
        ({"start": -26 * 3600, "resolution": "raw"}, "RAW_NOT_KEPT"),
        ({"start": -100 * 86400}, "TIME_RANGE_TOO_LONG"),
        ({"start": -90 * 86400}, "TOO_MANY_POINTS"),
        ({"start": -3600, "resolution": "weekly"}, "VALIDATION_FAILED"),
        ({"start": -3600, "limit": 5000}, "VALIDATION_FAILED"),
        ({"start": -3600, "cursor": "forged"}, "VALIDATION_FAILED"),
    ],
)
async def test_too_large_or_invalid_requests_are_refused_with_a_hint(
    reporting: Fleet, query: dict[str, Any], code: str
) -> None:
    times = {name: reporting.at(query[name]) for name in ("start", "end") if name in query}
    answer = await reporting.get(HISTORY, **({"site_id": "tx-1", "end": reporting.at(0)} | query | times))
    assert (answer.status_code, answer.json()["error_code"]) == (422, code)
    if code == "TOO_MANY_POINTS":
        assert answer.json()["details"] == {"points": 51_840, "most_points": 50_000, "use_resolution": "hourly"}
        assert "resolution=hourly" in answer.json()["message"]
        assert "limit=1" in answer.json()["message"]
    if code == "RAW_NOT_KEPT":
        assert answer.json()["details"]["use_resolution"] == "5min"


async def test_times_that_are_missing_or_unreadable_are_refused(reporting: Fleet) -> None:
    queries: tuple[dict[str, Any], ...] = (
        {},
        {"site_id": "tx-1"},
        {"site_id": "tx-1", "start": "yesterday", "end": reporting.at(0)},
        {"site_id": "tx-1", "start": "0001-01-01T00:00:00", "end": reporting.at(0)},
        {"site_id": "tx-1", "start": "9999-01-01T00:00:00+14:00", "end": "9999-12-31T00:00:00-14:00"},
    )
    for query in queries:
        answer = await reporting.get(HISTORY, **query)
        assert answer.status_code == 422, answer.text
    naive = (reporting.now - timedelta(hours=1)).replace(tzinfo=None).isoformat()
    assert await reporting.history(start=naive) == await reporting.history(start=reporting.at(-3600))


async def test_the_csv_has_the_same_points_and_the_export_is_audited(reporting: Fleet) -> None:
    query: dict[str, Any] = {"site_id": "tx-1", "start": reporting.at(-7200), "end": reporting.at(0)}
    file = await reporting.get(HISTORY, format="csv", **query)
    rows = list(csv.DictReader(io.StringIO(file.text)))
    series = await reporting.history()
    assert [row["miner_id"] for row in rows] == [name for name, data in series.items() for _ in data]
    assert [row["ts"] for row in rows] == [point["ts"] for data in series.values() for point in data]
    assert {row["power_w"] for row in rows if row["miner_id"] == "m2"} == {""}
    first_only = await reporting.get(HISTORY, format="csv", miner_id="m1", **query)
    assert first_only.text.count("m2") == 0
    bad = await reporting.get(HISTORY, format="csv", **(query | {"start": reporting.at(10)}))
    assert bad.status_code == 422
    statement = text("select after->>'what', after->>'miner_id' from audit_log where action = 'telemetry_exported'")
    async with reporting.database.transaction(job_context()) as session:
        recorded = [tuple(row) for row in await session.execute(statement)]
    assert sorted(recorded, key=str) == [("5min", "m1"), ("5min", None)]
