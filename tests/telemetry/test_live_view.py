"""The live view in SQL: reject rate and expected hashrate as the API tells them."""

from typing import Any

import polars as pl
import pytest

from hashinsight.kit.db.context import job_context
from hashinsight.telemetry.queries.live import update_health
from tests.telemetry.fleet import Fleet, sample

KINDS = {
    "miner_no": pl.Int32,
    "overall_health": pl.String,
    "inferred_mode": pl.String,
    "mode_share": pl.Float32,
    "inferred_ths": pl.Float32,
    "recent_reject_rate": pl.Float32,
}


async def judge_as_a_cycle(fleet: Fleet, **standing: dict[str, Any]) -> None:
    """What a cycle has found of these machines."""
    numbers = dict(fleet.site.rows("select miner_id, miner_no from miners"))
    rows = [{"miner_no": numbers[name], "overall_health": "ok"} | fields for name, fields in standing.items()]
    async with fleet.database.transaction(job_context()) as session:
        await update_health(session, pl.DataFrame(rows, schema=KINDS))


async def test_the_sql_view_has_the_same_reject_rate_as_the_api(fleet: Fleet) -> None:
    shares = {"accepted_shares": 99_600, "rejected_shares": 400}
    reports: dict[str, dict[str, Any]] = {
        "sick": shares,
        "new": shares,  # no cycle has looked at it yet: since boot
        "none": {"accepted_shares": 0, "rejected_shares": 0},
        "uncounted": {"reject_rate": 0.02},
        "silent": {},
    }
    await fleet.send(*(sample(name, fleet.at(-40), hashrate_ths=100.0, **more) for name, more in reports.items()))
    await fleet.roll()
    await judge_as_a_cycle(fleet, sick={"recent_reject_rate": 0.3}, uncounted={"recent_reject_rate": 0.5})
    wanted = {"sick": 0.3, "new": 0.004, "none": 0.0, "uncounted": 0.02, "silent": None}
    rates = {name: machine["reject"]["rate"] for name, machine in (await fleet.live()).items()}
    shown = dict(fleet.site.rows("select miner_id, reject_rate from miner_telemetry_live"))
    assert rates == pytest.approx(wanted)
    assert shown == pytest.approx(wanted)


async def test_the_sql_view_has_the_same_expected_hashrate_as_the_api(fleet: Fleet) -> None:
    reported = {"expected_ths": 190.0}
    reports: dict[str, dict[str, Any]] = {
        "operator": reported,
        "reported": reported,
        "catalogue": {},
        "zero": {"expected_ths": 0.0},
        "inferred": {},
        "eco": reported,
        "new_eco": reported,
        "dark_eco": reported | {"hashrate_ths": 1.0},
        "unknown": {},
    }
    await fleet.load("operator,S21,A,180", "reported,S21,A,", "catalogue,S21,A,", "zero,S21,A,", "eco,S21,A,")
    await fleet.send(
        *(sample(name, fleet.at(-40), **({"hashrate_ths": 150.0} | more)) for name, more in reports.items())
    )
    await fleet.roll()
    await judge_as_a_cycle(
        fleet,
        inferred={"inferred_ths": 155.0},
        eco={"inferred_mode": "eco", "mode_share": 0.7},
        new_eco={"inferred_mode": "eco"},
        dark_eco={"inferred_mode": "eco"},
    )
    wanted = {
        "operator": 180.0,
        "reported": 190.0,
        "catalogue": 200.0,
        "zero": 200.0,
        "inferred": 155.0,
        "eco": 133.0,
        "new_eco": 150.0,
        "dark_eco": 190.0,
        "unknown": None,
    }
    expected = {name: machine["hashrate"]["expected_ths"] for name, machine in (await fleet.live()).items()}
    shown = dict(fleet.site.rows("select miner_id, hashrate_expected_ghs / 1000 from miner_telemetry_live"))
    assert expected == pytest.approx(wanted)
    assert shown == pytest.approx(wanted)


async def test_a_rating_known_only_from_the_reported_model_is_null_in_the_sql_view(fleet: Fleet) -> None:
    """As documented: the catalogue is code."""
    await fleet.send(sample("m1", fleet.at(-40), hashrate_ths=150.0, model="Antminer S21"))
    await fleet.roll()
    assert (await fleet.live())["m1"]["hashrate"]["expected_ths"] == 200.0
    assert fleet.site.rows("select hashrate_expected_ghs from miner_telemetry_live") == [(None,)]
