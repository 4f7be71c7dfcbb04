"""Whole sites in one answer: sums, columns of machines, and the day behind them."""

from datetime import timedelta
from typing import Any

from tests.telemetry.fleet import Fleet, sample

SITES, CELLS, TREND = (f"/api/v1/telemetry/{name}" for name in ("sites", "cells", "trend"))


async def loaded(fleet: Fleet) -> None:
    """Two machines that hash, one of them half, in zone A; a silent one in B; a quarter of an hour of samples."""
    await fleet.load("m1,S19j Pro,A,\nm2,S19j Pro,A,\nsilent,S19j Pro,B,")
    for seconds in (-900, -600, -40):
        fields = {"temp_max": 70.0, "power_w": 3000}
        await fleet.send(
            sample("m1", fleet.at(seconds), hashrate_ths=104.0, **fields),
            sample("m2", fleet.at(seconds), hashrate_ths=52.0, **fields),
        )
    await fleet.roll()


def by_machine(page: dict[str, Any], column: str) -> dict[str, Any]:
    return dict(zip(page["columns"]["miner_id"], page["columns"][column], strict=True))


async def test_a_site_has_totals_and_counts_of_unknown_machines(fleet: Fleet) -> None:
    await loaded(fleet)
    (site,) = (await fleet.ok(SITES))["sites"]
    assert (site["machines"], site["online"], site["zones"]) == (3, 2, 2)
    assert site["unknown"] == 3  # no scan has looked at anybody yet
    assert (site["hashrate_ths"], site["expected_ths"], site["power_w"]) == (156.0, 312.0, 6000.0)
    assert site["expected_unknown_ths"] == 104.0  # the silent one may hash; it is not lost
    assert site["lost_ths"] == 52.0
    assert (site["efficiency_j_th"], site["hottest_c"]) == (6000 / 156, 70.0)
    fleet.set_clock(fleet.now + timedelta(seconds=600))  # its collector is silent: nothing is known, and nothing lost
    (site,) = (await fleet.ok(SITES))["sites"]
    assert (site["online"], site["hashrate_ths"], site["expected_unknown_ths"]) == (0, None, 312.0)
    assert site["lost_ths"] is None


async def test_surplus_of_other_machines_does_not_hide_a_machine_that_is_down(fleet: Fleet) -> None:
    """A case a zone; who sees one zone alone is told its sums."""
    cases: dict[str, tuple[float | None, ...]] = {
        "stands": (150.0, 150.0, 104.0, 0.0),
        "offline": (150.0, 150.0, 104.0, None),
        "short": (93.0, 104.0, 130.0, 110.0),  # by more than a tenth
        "luck": (94.0, 104.0, 130.0, 110.0),
        "all": (99.0, 99.0, 99.0, 99.0),
    }
    machines = [(f"{zone}-{no}", zone, ths) for zone, hashing in cases.items() for no, ths in enumerate(hashing)]
    await fleet.load("\n".join(f"{name},S19j Pro,{zone}," for name, zone, _ in machines))
    at = fleet.at(-40)
    await fleet.send(*(sample(name, at, hashrate_ths=ths, online=ths is not None) for name, _, ths in machines))
    await fleet.roll()
    lost = {}
    for zone in (await fleet.ok("/api/admin/v1/zones"))["zones"]:
        (site,) = (await fleet.ok(SITES, await fleet.site.people.headers("Customer", zones=[zone["id"]])))["sites"]
        lost[zone["code"]] = round(float(site["lost_ths"]), 1)
    assert lost == {"stands": 104.0, "offline": 104.0, "short": 11.0, "luck": 0.0, "all": 20.0}


async def test_a_site_without_machines_has_null_totals(fleet: Fleet) -> None:
    (site,) = (await fleet.ok(SITES))["sites"]
    assert (site["machines"], site["hashrate_ths"], site["lost_ths"], site["newest_at"]) == (0, None, None, None)


async def test_cells_are_columns_with_each_text_once(fleet: Fleet) -> None:
    await loaded(fleet)
    page = await fleet.ok(CELLS, site_id="tx-1")
    assert page["machines"] == 3
    assert by_machine(page, "hashrate_ths") == {"m1": 104.0, "m2": 52.0, "silent": None}
    assert by_machine(page, "age_sec") == {"m1": 40.0, "m2": 40.0, "silent": None}
    zones = page["named"]["zone"]
    assert ([zones["words"][no] for no in zones["index"]], zones["words"]) == (["A", "A", "B"], ["A", "B"])
    states = page["named"]["data_state"]
    assert [states["words"][no] for no in states["index"]] == ["fresh", "fresh", "unknown"]
    assert page["named"]["firmware"]["index"] == [-1, -1, -1]


async def test_cells_have_the_hottest_of_the_other_sensor_kind(fleet: Fleet) -> None:
    await fleet.load(*(f"m{no},S19,A," for no in range(1, 5)))
    at = fleet.at(-40)
    await fleet.send(
        sample("m1", at, temp_max=84.0, temp_chip_max=84.0, temp_board_max=81.0, temp_sensor="chip"),
        sample("m2", at, temp_max=84.0, temp_chip_max=70.0, temp_board_max=84.0, temp_sensor="board"),
        sample("m3", at, temp_max=84.0, temp_chip_max=84.0, temp_sensor="chip"),
        sample("m4", at, temp_max=84.0),
    )
    await fleet.roll()
    page = await fleet.ok(CELLS, site_id="tx-1")
    assert set(by_machine(page, "temp_max_c").values()) == {84.0}
    assert by_machine(page, "temp_other_c") == {"m1": 81.0, "m2": 70.0, "m3": None, "m4": None}


async def test_cells_of_a_past_time_are_those_of_its_bucket(fleet: Fleet) -> None:
    await loaded(fleet)
    now = await fleet.ok(CELLS, site_id="tx-1")
    then = await fleet.ok(CELLS, site_id="tx-1", at=fleet.at(-900))
    assert then["columns"]["hashrate_ths"] == [104.0, 52.0]
    assert then["columns"]["miner_no"] == now["columns"]["miner_no"][:2]
    assert then["columns"]["online_ratio"] == [1.0, 1.0]
    assert (await fleet.ok(CELLS, site_id="tx-1", at=fleet.at(-7200)))["machines"] == 0
    refused = await fleet.get(CELLS, site_id="tx-1", at=fleet.at(-100_000))
    assert (refused.status_code, refused.json()["error_code"]) == (422, "VALIDATION_FAILED")


async def test_a_trend_sums_the_machines_of_each_bucket(fleet: Fleet) -> None:
    await loaded(fleet)
    trend = await fleet.ok(TREND, site_id="tx-1", hours=1)
    (series,) = trend["series"]
    assert series["resolution"] == "5min"
    assert len(series["ts"]) >= 2
    assert set(series["hashrate_ths"]) == {156.0}
    assert set(series["online"]) == {2.0}
    assert (await fleet.ok(TREND))["series"] == (await fleet.ok(TREND, site_id="tx-1"))["series"]


async def test_a_narrow_scope_sees_only_its_machines_in_totals_cells_and_trends(fleet: Fleet) -> None:
    await loaded(fleet)
    zones = (await fleet.ok("/api/admin/v1/zones"))["zones"]
    only_b = await fleet.site.people.headers("Customer", zones=[zone["id"] for zone in zones if zone["code"] == "B"])
    (site,) = (await fleet.ok(SITES, only_b))["sites"]
    assert (site["machines"], site["online"]) == (1, 0)
    assert (await fleet.ok(CELLS, only_b, site_id="tx-1"))["columns"]["miner_id"] == ["silent"]
    assert (await fleet.ok(CELLS, only_b, site_id="tx-1", at=fleet.at(-900)))["machines"] == 0
    assert (await fleet.ok(TREND, only_b))["series"] == []
