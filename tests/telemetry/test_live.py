"""What is read of the live layer: the documented shape, ages and states, and nothing that was never said."""

import csv
import io
from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest
from sqlalchemy import text

from hashinsight.identity.scope import Scope
from hashinsight.kit.db.context import job_context
from hashinsight.telemetry.live_rows import live_rows
from hashinsight.telemetry.queries import live_frame
from tests.telemetry.fleet import LIVE, Fleet, sample


async def frame_of(fleet: Fleet, scope: Scope | None = None, **options: Any) -> pl.DataFrame:
    frame = await live_frame(fleet.database, scope or await fleet.scope(), as_of=fleet.now, **options)
    return frame.sort("miner_id")


async def test_a_machine_is_shown_in_the_documented_shape_with_age_and_sources(fleet: Fleet) -> None:
    await fleet.load("m1,S19j Pro,A,")
    fields = {"temp_avg": 60, "temp_max": 71.5, "power_w": 3000, "fan_speeds": [5000, 5200], "boards_healthy": 3}
    for seconds, rate in ((-100, 102.0), (-40, 98.0)):
        counts = {"accepted_shares": 990, "rejected_shares": 10, "hw_errors": 4}
        await fleet.send(sample("m1", fleet.at(seconds), hashrate_ths=rate, **fields, **counts, boards_total=3))
    await fleet.roll()
    page = await fleet.ok(LIVE, site_id="tx-1")
    (machine,) = page["miners"]
    assert machine["hardware"] == {
        "model": "Antminer S19j Pro",
        "firmware": None,
        "boards_healthy": 3,
        "boards_total": 3,
    }
    assert machine["hashrate"] == {
        "value": 100.0,
        "expected_ths": 104.0,
        "unit": "TH/s",
        "source": "5min_avg",
        "expected_source": "catalogue",
        "newest_ths": 98.0,
        "rated_ths": 104.0,
        "rated_source": "catalogue",
        "reference_ths": 104.0,
        "stopped_ths": 0.0,
    }
    assert machine["last_reported"] is None  # it is online: its readings are those of now
    assert machine["temperature"] == {"avg": 60.0, "max": 71.5, "unit": "C", "sensor_fault": False}
    assert machine["power"] == {"value": 3000.0, "unit": "W"}
    assert machine["efficiency"] == {"value": 30.0, "unit": "J/TH"}
    assert (machine["fan"]["avg"], machine["fan"]["min"]) == (5100.0, 5000.0)
    assert machine["reject"] == {"rate": 0.01, "accepted": 990, "rejected": 10}
    assert (machine["hardware_errors"], machine["online"], machine["zone"], machine["overall_health"]) == (
        4,
        True,
        "A",
        "unknown",
    )
    assert machine["last_seen"] == machine["sample_at"] == fleet.at(-40).replace("+00:00", "Z")
    assert (machine["age_sec"], machine["state"], machine["state_reason"], machine["source"]) == (
        40.0,
        "fresh",
        "in_time",
        "live",
    )
    assert page["_meta"]["source"] == "live"
    assert page["_meta"]["updated_at"] == page["_meta"]["as_of"] == fleet.at(0).replace("+00:00", "Z")


async def test_unknown_values_are_null_and_never_zero(fleet: Fleet) -> None:
    await fleet.load("silent,,,")
    zeros = {"power_consumption": 0, "fan_speeds": [0, 0], "firmware_version": "", "online": True}
    envelope = {
        "schema": "telemetry_envelope.v1",
        "sent_at": fleet.at(0),
        "records": [{"miner_id": "zeros", "timestamp": fleet.at(-10), "hashrate_ghs": 100_000, **zeros}],
    }
    assert (await fleet.site.send(envelope)).json()["accepted"] == 1
    await fleet.send(sample("broken", fleet.at(-10), hashrate_ths=9e9, temp_max=255))
    await fleet.roll()
    live = await fleet.live()
    assert live["zeros"]["power"]["value"] is None
    assert live["zeros"]["efficiency"]["value"] is None
    assert live["zeros"]["fan"]["avg"] is None
    assert live["zeros"]["hashrate"]["value"] == 100.0
    assert live["zeros"]["hashrate"]["expected_ths"] is None
    assert live["zeros"]["doubts"] == ["power_unknown"]
    assert live["broken"]["temperature"] == {"avg": None, "max": None, "unit": "C", "sensor_fault": True}
    assert live["broken"]["doubts"]
    silent = live["silent"]
    assert (silent["state"], silent["state_reason"], silent["online"]) == ("unknown", "never_seen", False)
    values = [silent["hashrate"]["value"], silent["power"]["value"], silent["reject"]["rate"], silent["last_seen"]]
    assert values == [None] * 4


async def test_the_state_depends_on_the_age_and_is_unknown_while_the_collector_is_silent(fleet: Fleet) -> None:
    ages = {"fresh": 20, "late": 200, "gone": 400}
    await fleet.send(*(sample(name, fleet.at(-age), hashrate_ths=90) for name, age in ages.items()))
    await fleet.send(sample("off", fleet.at(-20), status="offline"))
    await fleet.roll()
    live = await fleet.live()
    assert {name: (machine["state"], machine["state_reason"]) for name, machine in live.items()} == {
        "fresh": ("fresh", "in_time"),
        "late": ("stale", "late"),
        "gone": ("offline", "no_samples"),
        "off": ("offline", "says_offline"),
    }
    assert {name for name, machine in live.items() if machine["online"]} == {"fresh", "late"}
    assert set(await fleet.live(online=True)) == {"fresh", "late"}
    assert set(await fleet.live(online=False)) == {"gone", "off"}
    assert live["off"]["last_seen"] is None
    # as soon as detection calls it unknown: after three intervals without a call of the collector
    for minutes in (4, 60):
        later = await live_frame(fleet.database, await fleet.scope(), as_of=fleet.now + timedelta(minutes=minutes))
        old = later.filter(pl.col("miner_id") == "gone").select("data_state", "data_reason")
        assert old.rows() == [("unknown", "collector_silent")], minutes
    assert later.select("data_state", "data_reason").unique().rows() == [("unknown", "collector_silent")]


async def test_a_reported_rating_stays_while_the_machine_is_offline_but_not_for_another_model(fleet: Fleet) -> None:
    await fleet.load("dark,,,", "swapped,,,")
    for name in ("dark", "swapped"):
        await fleet.send(sample(name, fleet.at(-90), hashrate_ths=100.0, expected_ths=110, model="Thornfield TF-9"))
    await fleet.roll()
    await fleet.send(sample("dark", fleet.at(-5)) | {"status": "offline"})
    await fleet.send(sample("swapped", fleet.at(-5), hashrate_ths=50.0, model="Thornfield TF-5"))
    await fleet.roll()
    live = {name: machine["hashrate"] for name, machine in (await fleet.live()).items()}
    assert (live["dark"]["rated_ths"], live["dark"]["rated_source"]) == (110.0, "reported")
    assert live["swapped"]["rated_ths"] is None
    assert (await fleet.ok("/api/v1/telemetry/sites"))["sites"][0]["lost_ths"] == 110.0


async def test_the_expected_hashrate_comes_from_operator_then_machine_then_catalogue(fleet: Fleet) -> None:
    await fleet.load("own,S21,,188", "rated,S21,,", "told,S21,,")
    await fleet.send(
        sample("own", fleet.at(-5), expected_ths=195),
        sample("rated", fleet.at(-5), expected_ths=0),
        sample("told", fleet.at(-5), expected_ths=195),
        sample("new", fleet.at(-5), model="Antminer S19 XP"),
        sample("sold", fleet.at(-5), model="Antminer S19j Pro (100T)"),
        sample("odd", fleet.at(-5), model="Something else"),
    )
    await fleet.roll()
    frame = await frame_of(fleet)
    assert {row["miner_id"]: (row["expected_ths"], row["expected_source"]) for row in frame.to_dicts()} == {
        "own": (188.0, "operator"),
        "rated": (200.0, "catalogue"),
        "told": (195.0, "reported"),
        "new": (140.0, "catalogue"),
        "sold": (100.0, "reported"),
        "odd": (None, None),
    }


async def test_the_frame_and_the_page_have_the_same_values(fleet: Fleet) -> None:
    await fleet.send(*(sample(f"m{n}", fleet.at(-30 * n), hashrate_ths=100 + n, power_w=3000) for n in range(8)))
    await fleet.roll()
    frame = await frame_of(fleet)
    assert {row["miner_id"]: row for row in live_rows(frame)} == {
        name: row | {"last_seen": _time(row["last_seen"]), "sample_at": _time(row["sample_at"])}
        for name, row in (await fleet.live()).items()
    }
    assert frame["data_state"].to_list() == ["fresh"] * 7 + ["stale"]
    assert frame["source"].unique().to_list() == ["live"]


def _time(shown: str) -> datetime:
    return datetime.fromisoformat(shown)


async def test_pages_are_complete_and_the_csv_has_all_machines(fleet: Fleet) -> None:
    await fleet.send(*(sample(f"m{n}", fleet.at(-5), hashrate_ths=n, error_message="=1+1") for n in range(7)))
    await fleet.roll()
    seen: list[str] = []
    cursor: str | None = None
    while True:
        more: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
        page = await fleet.ok(LIVE, limit=3, **more)
        seen += [machine["miner_id"] for machine in page["miners"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [f"m{n}" for n in range(7)]
    file = await fleet.get(LIVE, format="csv", site_id="tx-1", limit=2)
    assert file.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [row["miner_id"] for row in rows] == seen
    assert rows[0]["power_w"] == ""
    assert rows[0]["error_message"] == "'=1+1"
    async with fleet.database.transaction(job_context()) as session:
        query = text("select after from audit_log where action = 'telemetry_exported'")
        assert (await session.execute(query)).scalar_one()["what"] == "live"


async def test_the_sql_views_have_the_documented_columns_and_respect_the_scope(fleet: Fleet) -> None:
    shares = [(-150, 100, 0), (-90, 190, 10), (-30, 5, 5)]
    middle = fleet.now.replace(minute=30, second=0) - timedelta(hours=1)
    for seconds, accepted, rejected in shares:
        counts = {"accepted_shares": accepted, "rejected_shares": rejected}
        at = (middle + timedelta(seconds=seconds)).isoformat()
        await fleet.send(sample("m1", at, hashrate_ths=100, power_w=3000, **counts))
    await fleet.roll()
    scope = await fleet.scope()
    async with fleet.database.reading(scope.context()) as session:
        raw = (await session.execute(text("select miner_id, reject_rate from telemetry_raw_24h order by ts"))).all()
        assert [tuple(row) for row in raw] == [("m1", None), ("m1", pytest.approx(0.1)), ("m1", 0.5)]
        live = (await session.execute(text("select * from miner_telemetry_live"))).mappings().one()
        assert (live["miner_id"], live["hashrate_ghs"], live["efficiency"]) == ("m1", None, None)  # not online
        assert (live["online"], live["overall_health"]) == (False, "unknown")
        five = (await session.execute(text("select * from telemetry_history_5min"))).mappings().all()
        assert sum(row["samples"] for row in five) == 3
        hour = (await session.execute(text("select * from telemetry_hourly"))).mappings().one()
        assert (hour["total_accepted_shares"], hour["total_rejected_shares"]) == (95, 15)
        assert hour["uptime_percentage"] == 100
        assert hour["avg_reject_rate"] == pytest.approx(15 / 110)
        assert (await session.execute(text("select count(*) from telemetry_daily"))).scalar_one() in (0, 1)
