"""What is expected of a machine now, what of it is lost, and its efficiency: the same in every answer."""

from datetime import timedelta
from typing import Any

from hashinsight.commands.service.expectations import DispatchedCommand, expect_begun, expect_ended
from hashinsight.commands.states import Event
from hashinsight.inventory.service.expected_states import ExpectedKind, end_expected, expect
from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from tests.telemetry.fleet import LIVE, Fleet, sample

SITES, CELLS = (f"/api/v1/telemetry/{name}" for name in ("sites", "cells"))
RUNS, STANDS = {"hashrate_ths": 200.0, "power_w": 3500.0}, {"hashrate_ths": 0.0, "power_w": 20.0}


async def send_minutes(fleet: Fleet, miner_id: str, *minutes: dict[str, Any]) -> None:
    """One sample a minute, the last of them now."""
    first = 1 - len(minutes)
    await fleet.send(*(sample(miner_id, fleet.at(60 * (first + no)), **fields) for no, fields in enumerate(minutes)))


def numbers_of(fleet: Fleet, *miner_ids: str) -> list[int]:
    listed = ", ".join(f"'{miner_id}'" for miner_id in miner_ids)
    return [no for (no,) in fleet.site.rows(f"select miner_no from miners where miner_id in ({listed})")]


async def set_aside(fleet: Fleet, state: ExpectedKind, *miner_ids: str) -> list[int]:
    numbers = numbers_of(fleet, *miner_ids)
    async with fleet.database.transaction(job_context()) as session:
        await expect(session, numbers, state, cause="a test", now=fleet.now - timedelta(minutes=4))
    return numbers


async def site_of(fleet: Fleet, **query: Any) -> dict[str, Any]:
    (site,) = (await fleet.ok(SITES, **query))["sites"]
    figures: dict[str, Any] = site
    return figures


async def test_efficiency_uses_power_and_hashrate_of_the_same_five_minutes(
    fleet: Fleet,
) -> None:
    await fleet.load("shed,S21,A,", "back,S21,B,")
    await send_minutes(fleet, "shed", RUNS, RUNS, RUNS, STANDS, STANDS)
    await send_minutes(fleet, "back", STANDS, STANDS, STANDS, RUNS, RUNS)
    await fleet.roll()
    wanted = {"shed": (3 * 3500 + 2 * 20) / 600, "back": (2 * 3500 + 3 * 20) / 400}
    live = await fleet.live()
    cells = (await fleet.ok(CELLS, site_id="tx-1"))["columns"]
    lines = (await fleet.get(LIVE, format="csv")).text.splitlines()
    of_file = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    shown = {
        "live": {name: machine["efficiency"]["value"] for name, machine in live.items()},
        "map": dict(zip(cells["miner_id"], cells["efficiency_j_th"], strict=True)),
        "file": {row["miner_id"]: float(row["efficiency_j_th"]) for row in of_file},
        "view": dict(fleet.site.rows("select miner_id, efficiency from miner_telemetry_live")),
        "sums": {
            name: (await site_of(fleet, site_id="tx-1", zone=zone))["efficiency_j_th"]
            for name, zone in (("shed", "A"), ("back", "B"))
        },
    }
    for where, values in shown.items():
        assert {name: round(value, 2) for name, value in values.items()} == {
            name: round(value, 2) for name, value in wanted.items()
        }, where


async def test_right_now_efficiency_uses_the_newest_sample(fleet: Fleet) -> None:
    await fleet.load("m1,S21,A,")
    await send_minutes(fleet, "m1", STANDS, STANDS)
    await fleet.roll()
    fleet.set_clock(fleet.now + timedelta(seconds=60))
    await send_minutes(fleet, "m1", RUNS)
    await fleet.app.state.right_now.settle()
    assert (await fleet.live(right_now=True))["m1"]["efficiency"]["value"] == 17.5


async def test_power_counts_only_with_the_hashrate_of_the_same_sample(fleet: Fleet) -> None:
    await fleet.load("m1,S21,A,")
    await send_minutes(fleet, "m1", RUNS, {"hashrate_ths": 100.0, "power_w": None}, RUNS)
    await fleet.roll()
    assert (await fleet.live())["m1"]["efficiency"]["value"] == 17.5


async def test_machines_of_unknown_power_are_left_out_of_the_efficiency_and_counted(fleet: Fleet) -> None:
    await fleet.load("m1,S21,A,", "mute,S21,A,")
    await send_minutes(fleet, "m1", RUNS, RUNS)
    await send_minutes(fleet, "mute", {"hashrate_ths": 200.0}, {"hashrate_ths": 200.0})
    await fleet.roll()
    site = await site_of(fleet)
    assert (site["efficiency_j_th"], site["efficiency_left_out"], site["power_unknown"]) == (17.5, 1, 1)
    assert site["hashrate_ths"] == 400.0
    assert (await fleet.ok(SITES))["fleet"] == {"efficiency_j_th": 17.5, "efficiency_left_out": 1}


async def test_stopped_curtailed_and_maintained_machines_are_neither_lost_nor_fine(fleet: Fleet) -> None:
    await fleet.load(*(f"{name},S21,A,200" for name in ("runs", "stopped", "curtailed", "maintained", "broken")))
    for name in ("runs", "stopped", "curtailed", "maintained", "broken"):
        await send_minutes(fleet, name, RUNS, RUNS if name == "runs" else STANDS)
    for state, name in (("stopped", "stopped"), ("curtailed", "curtailed"), ("maintenance", "maintained")):
        await set_aside(fleet, state, name)  # type: ignore[arg-type] # words of `State`
    await fleet.roll()
    site = await site_of(fleet)
    assert (site["hashrate_ths"], site["expected_ths"]) == (600.0, 700.0)  # those that were stopped: what they did
    assert (site["stopped_ths"], site["lost_ths"]) == (300.0, 100.0)
    assert (site["conditions"]["stopped"], site["conditions"]["fine"], site["conditions"]["down"]) == (3, 0, 1)
    conditions = {name: machine["condition"] for name, machine in (await fleet.live()).items()}
    still = dict.fromkeys(("stopped", "curtailed", "maintained"), "stopped")
    assert conditions == {"runs": "unknown", "broken": "down"} | still
    (number,) = await set_aside(fleet, "stopped", "runs")  # told to stop, and hashing
    assert (await fleet.live())["runs"]["condition"] == "unknown"
    assert (await site_of(fleet))["expected_ths"] == 700.0
    async with fleet.database.transaction(job_context()) as session:
        await end_expected(session, [number], now=fleet.now)


async def test_nothing_is_lost_from_a_commanded_stop_until_the_mean_has_recovered(
    fleet: Fleet,
) -> None:
    """Stopped for four minutes; its boot takes nine of the ten that a start is given, so its mean fills up later."""
    await fleet.load("m1,S21,A,200", "other,S21,A,200")
    (number,) = numbers_of(fleet, "m1")
    await send_minutes(fleet, "m1", *(6 * [RUNS]))
    await send_minutes(fleet, "other", *(6 * [RUNS]))
    started_at = fleet.now + timedelta(minutes=4)
    stop, start = (
        DispatchedCommand(new_id(), number, name, "efficiency") for name in ("disable_hashing", "enable_hashing")
    )
    async with fleet.database.transaction(job_context()) as session:
        await expect_begun(session, [stop], lease_until=fleet.now + timedelta(minutes=5), now=fleet.now)
        await expect_ended(session, [(stop, Event.SUCCEEDED)], now=fleet.now)
    seen = []
    for minute in range(1, 20):
        await fleet.pass_time(timedelta(minutes=1))
        if fleet.now == started_at:
            async with fleet.database.transaction(job_context()) as session:
                await expect_ended(session, [(start, Event.SUCCEEDED)], now=fleet.now)
        is_hashing = fleet.now >= started_at + timedelta(minutes=9)
        await fleet.send(
            sample("m1", fleet.at(0), **(RUNS if is_hashing else STANDS)), sample("other", fleet.at(0), **RUNS)
        )
        await fleet.roll()
        site = await site_of(fleet)
        assert (site["lost_ths"], site["conditions"]["down"]) == (0.0, 0), minute
        assert site["hashrate_ths"] == site["expected_ths"], minute
        assert site["stopped_ths"] == 400.0 - site["hashrate_ths"], minute
        assert site["conditions"]["stopped"] == (site["stopped_ths"] > 20.0), minute
        seen.append(site["stopped_ths"])
    assert (max(seen), seen[-1]) == (200.0, 0.0)


async def test_after_a_stop_only_the_shortfall_of_the_newest_sample_is_lost(
    fleet: Fleet,
) -> None:
    await fleet.load("back,S21,A,200", "half,S21,A,200", "never-stopped,S21,A,200")
    half = {"hashrate_ths": 100.0, "power_w": 2000.0}
    for name, newest in (("back", RUNS), ("half", half), ("never-stopped", RUNS)):
        await send_minutes(fleet, name, STANDS, STANDS, STANDS, STANDS, newest)
    numbers = await set_aside(fleet, "stopped", "back", "half")
    async with fleet.database.transaction(job_context()) as session:
        await end_expected(session, numbers, now=fleet.now - timedelta(minutes=1))
    await fleet.roll()
    site = await site_of(fleet)
    # means of 40, 20 and 40: of the first two 160 and 80 are what the stop left of it
    assert (site["hashrate_ths"], site["stopped_ths"], site["lost_ths"]) == (100.0, 240.0, 100.0 + 160.0)
    assert site["expected_ths"] - site["hashrate_ths"] == site["lost_ths"]
    conditions = {name: machine["condition"] for name, machine in (await fleet.live()).items()}
    assert conditions == {"back": "stopped", "half": "stopped", "never-stopped": "unknown"}
    cells = await fleet.ok(CELLS, site_id="tx-1")
    words = cells["named"]["condition"]
    assert [words["words"][no] for no in words["index"]] == ["stopped", "stopped", "unknown"]
    assert site["conditions"]["stopped"] == 2


async def test_after_a_stop_a_machine_read_every_half_hour_is_lost_only_if_its_next_sample_says_so(
    fleet: Fleet,
) -> None:
    """Its newest sample is from within the stop: what the machine has done since is not known, for ninety minutes."""
    fleet.site.collector = await fleet.site.add_collector("slow", "tx-1", collection_interval_sec=1800)
    await fleet.load("m1,S21,A,200")
    await fleet.send(sample("m1", fleet.at(-60), **STANDS))
    numbers = await set_aside(fleet, "stopped", "m1")
    async with fleet.database.transaction(job_context()) as session:
        await end_expected(session, numbers, now=fleet.now)
    await fleet.roll()
    for minutes in (0, 11, 28, 60):
        await fleet.pass_time(timedelta(minutes=minutes))
        fleet.site.rows(f"update collectors set last_seen_at = '{fleet.at(0)}' returning 1")
        site = await site_of(fleet)
        assert (site["stopped_ths"], site["lost_ths"], site["conditions"]["stopped"]) == (
            (200.0, 0.0, 1) if minutes < 60 else (0.0, 200.0, 0)
        ), minutes
    await fleet.send(sample("m1", fleet.at(-5), **STANDS))
    await fleet.roll()
    site = await site_of(fleet)
    assert (site["stopped_ths"], site["lost_ths"], site["conditions"]["down"]) == (0.0, 200.0, 1)


async def test_a_bucket_in_which_a_stop_ended_shows_no_loss_from_it(fleet: Fleet) -> None:
    await fleet.load("m1,S21,A,200", "weak,S21,A,200", "unplugged,S21,A,200")
    begins = (fleet.now - timedelta(minutes=20)).timestamp() // 300 * 300 - fleet.now.timestamp()
    for name in ("m1", "weak"):
        minutes = enumerate((STANDS, STANDS, STANDS, RUNS, RUNS))
        await fleet.send(*(sample(name, fleet.at(begins + 60 * no), **fields) for no, fields in minutes))
    await fleet.send(*(sample("unplugged", fleet.at(begins + 60 * no), online=False) for no in range(3)))
    numbers = numbers_of(fleet, "m1", "unplugged")
    async with fleet.database.transaction(job_context()) as session:
        first = fleet.now + timedelta(seconds=begins)
        await expect(session, numbers, "stopped", cause="a test", now=first, until_at=first + timedelta(minutes=3))
    await fleet.roll()
    then = await site_of(fleet, site_id="tx-1", at=fleet.at(begins))
    assert (then["hashrate_ths"], then["stopped_ths"], then["lost_ths"]) == (160.0, 120.0 + 200.0, 120.0)
    cells = await fleet.ok(CELLS, site_id="tx-1", at=fleet.at(begins))
    assert sorted(cells["columns"]["stopped"]) == sorted(numbers)
    assert sorted(cells["columns"]["hashrate_ths"]) == [0.0, 80.0, 80.0]


async def test_a_machine_that_stops_without_a_command_is_down_and_lost_before_a_problem_opens(
    fleet: Fleet,
) -> None:
    """As local protection leaves it: it answers, and hashes nothing."""
    await fleet.load("hot,S21,A,200", "gone,S21,A,200")
    await send_minutes(fleet, "hot", *(5 * [STANDS | {"status": "stopped"}]))
    await send_minutes(fleet, "gone", {"online": False}, {"online": False})
    await fleet.roll()
    fleet.site.rows("update telemetry_live set overall_health = 'ok' returning 1")
    site = await site_of(fleet)
    assert (site["conditions"]["down"], site["conditions"]["fine"], site["lost_ths"]) == (2, 0, 400.0)


async def test_in_eco_a_machine_is_expected_to_reach_the_eco_hashrate_of_its_model(fleet: Fleet) -> None:
    await fleet.load("eco,S21,A,200", "new,S21,A,200", "weak,S21,A,200")
    for name, ths in (("eco", 140.0), ("new", 140.0), ("weak", 70.0)):
        await send_minutes(fleet, name, {"hashrate_ths": ths, "power_w": 2400.0, "mode": "eco"})
    await fleet.roll()
    set_share = "update telemetry_live l set inferred_mode = 'eco', mode_share = {} from miners m"
    set_share += " where m.miner_no = l.miner_no and m.miner_id in ({}) returning 1"
    fleet.site.rows(set_share.format("0.7", "'eco', 'weak'"))
    fleet.site.rows(set_share.format("null", "'new'"))  # nobody knows yet what its kind does
    live = await fleet.live()
    expected = {
        name: (machine["hashrate"]["expected_ths"], machine["hashrate"]["expected_source"])
        for name, machine in live.items()
    }
    assert {name: (round(ths), source) for name, (ths, source) in expected.items()} == dict.fromkeys(
        live, (140, "mode")
    )
    rated = {
        name: (machine["hashrate"]["rated_ths"], machine["hashrate"]["rated_source"]) for name, machine in live.items()
    }
    assert rated == dict.fromkeys(live, (200.0, "operator"))
    site = await site_of(fleet)
    assert (round(site["expected_ths"]), round(site["lost_ths"])) == (420, 70)


async def test_totals_of_a_zone_and_of_a_past_time_have_the_form_of_a_site(fleet: Fleet) -> None:
    await fleet.load("a1,S21,A,200", "a2,S21,A,200", "b1,S21,B,200")
    half = {"hashrate_ths": 100.0, "power_w": 2000.0}
    for seconds, of_a2 in ((-900, half), (-40, RUNS)):
        at = fleet.at(seconds)
        await fleet.send(sample("a1", at, **RUNS), sample("a2", at, **of_a2), sample("b1", at, **RUNS))
    await fleet.roll()
    zone = await site_of(fleet, site_id="tx-1", zone="A")
    assert (zone["machines"], zone["hashrate_ths"], zone["lost_ths"]) == (2, 400.0, 0.0)
    then = await site_of(fleet, site_id="tx-1", zone="A", at=fleet.at(-900))
    assert (then["machines"], then["hashrate_ths"], then["expected_ths"], then["lost_ths"]) == (2, 300.0, 400.0, 100.0)
    assert (then["power_w"], round(then["efficiency_j_th"], 2), then["conditions"]) == (5500.0, 18.33, None)
    empty = await site_of(fleet, site_id="tx-1", at=fleet.at(-7200))
    assert (empty["online"], empty["unknown"], empty["expected_unknown_ths"], empty["lost_ths"]) == (0, 3, 600.0, None)
    assert then["unknown"] == 0
    async with fleet.database.transaction(job_context()) as session:  # without power, and so without a sample
        await expect(session, numbers_of(fleet, "b1"), "curtailed", cause="a test", now=fleet.now - timedelta(hours=3))
    dark = await site_of(fleet, site_id="tx-1", at=fleet.at(-7200))
    assert (dark["unknown"], dark["stopped_ths"], dark["expected_ths"]) == (2, 200.0, 400.0)
    assert (await fleet.get(SITES, site_id="tx-1", zone="nowhere")).status_code == 404
    assert (await fleet.get(SITES, zone="A")).status_code == 422
