"""Machines that are listed without a zone: whoever reads one keeps it until a person decides otherwise."""

import asyncio

from tests.telemetry.zoned_site import EDGE, ZonedSite


async def test_a_machine_stays_with_the_zone_that_reads_it_however_long_its_collector_is_silent(
    halls: ZonedSite,
) -> None:
    assert await halls.send(halls.a, "n1") == {}, "nobody reads it yet"
    for days in (0, 1, 300):
        await halls.later(days=days)
        assert await halls.send(halls.b, "n1") == {"n1": "ZONE_NOT_SET"}
    assert await halls.send(halls.a, "n1") == {}
    assert halls.zone_of("n1") is None, "no collector puts a listed machine into a zone"


async def test_a_zones_token_takes_nothing_over_while_the_sites_own_collector_is_down(halls: ZonedSite) -> None:
    assert await halls.send(halls.whole, "n1", "joined") == {}
    assert await halls.send(halls.a, "joined", seconds=1) == {"joined": "ZONE_NOT_SET"}, "before anything is rolled up"
    await halls.later(days=30)
    assert await halls.send(halls.a, "n1", "joined") == {"n1": "ZONE_NOT_SET", "joined": "ZONE_NOT_SET"}
    assert await halls.send(halls.whole, "n1", "joined", seconds=1) == {}


async def test_the_first_to_read_a_machine_claims_it_before_anything_is_rolled_up(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}
    assert await halls.send(halls.b, "n1") == {"n1": "ZONE_NOT_SET"}
    owner = "select c.name from miners m join collectors c on c.number = m.claimed_by where miner_id = 'n1'"
    assert halls.place.rows(owner) == [("a",)]


async def test_a_zone_claims_nothing_that_the_sites_own_collector_just_read(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "a1") == {}, "from here on the site's zones are looked at"
    assert await halls.send(halls.whole, "n1") == {}
    assert await halls.send(halls.a, "n1", seconds=1) == {"n1": "ZONE_NOT_SET"}, "before anything is rolled up"
    assert await halls.events("machines_claimed") == []


async def test_of_two_zones_that_read_it_at_the_same_moment_one_claims_it(halls: ZonedSite) -> None:
    for n in range(5):
        await halls.act("POST", "/miners", site_id="tx-1", miner_id=f"both{n}")
        await halls.later()
        both = await asyncio.gather(*(halls.send(token, f"both{n}", seconds=n) for token in (halls.a, halls.b)))
        assert sorted(map(len, both)) == [0, 1], both


async def test_a_sample_that_is_refused_claims_nothing(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1", seconds=-100_000) == {"n1": "TOO_OLD"}
    assert await halls.send(halls.b, "n1") == {}


async def test_a_claim_is_told_to_the_operator_and_audited(halls: ZonedSite) -> None:
    await halls.act("POST", "/miners", site_id="tx-1", miner_id="n2")
    await halls.later()
    assert await halls.send(halls.a, "n1", "a1") == {}
    assert await halls.send(halls.a, "n1", "n2", seconds=1) == {}
    assert await halls.send(halls.a, "n1", "n2", seconds=2) == {}
    (event,) = await halls.events("machines_claimed")
    assert (event["severity"], event["source"], event["details"]["miner_ids"]) == ("info", "cloud", ["n1"])
    assert event["title"] == "collector a reports 1 machine listed without a zone"
    audited = halls.place.rows("select after->'miner_ids' from audit_log where action = 'miners_claimed' order by at")
    assert audited == [(["n1"],), (["n2"],)]


async def test_who_reports_anothers_machines_is_told_once_a_day_with_what_to_do(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}
    for seconds in range(3):
        refused = await halls.send(halls.b, "n1", "a1", "b1", seconds=seconds)
        assert refused == {"n1": "ZONE_NOT_SET", "a1": "ZONE_MISMATCH"}
    told = {one["details"]["error_code"]: one for one in await halls.events("zone_mismatch")}
    assert {code: one["details"]["miner_ids"] for code, one in told.items()} == {
        "ZONE_NOT_SET": ["n1"],
        "ZONE_MISMATCH": ["a1"],
    }
    assert (
        "Set their zone. If the collector that read them is gone for good, disable it."
        in (told["ZONE_NOT_SET"]["message"])
    )
    assert {one["severity"] for one in told.values()} == {"warning"}
    await halls.later(hours=25)
    assert await halls.send(halls.b, "n1") == {"n1": "ZONE_NOT_SET"}
    assert len(await halls.events("zone_mismatch")) == 3


async def test_a_new_collector_of_the_same_zone_goes_on_where_the_old_one_stopped(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}
    await halls.later(hours=1)
    new = await halls.place.add_collector("a, new box", "tx-1", zone_id="hall-a")
    assert await halls.send(new, "n1") == {}
    await halls.act("POST", f"/collectors/{await halls.collector_id('a')}/disable")
    await halls.later(minutes=1)
    assert await halls.send(halls.b, "n1") == {"n1": "ZONE_NOT_SET"}
    assert await halls.send(new, "n1", seconds=1) == {}


async def test_a_revoked_token_sets_nothing_free_since_it_is_often_only_replaced(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}
    await halls.act("POST", f"/collectors/{await halls.collector_id('a')}/revoke-tokens")
    await halls.later(hours=1)
    assert await halls.send(halls.b, "n1") == {"n1": "ZONE_NOT_SET"}


async def test_disabling_a_collector_sets_its_machines_free(halls: ZonedSite) -> None:
    """Of a whole site, replaced by those of zones; and of a zone."""
    await halls.act("POST", "/miners", site_id="tx-1", miner_id="n2")
    await halls.later()
    assert await halls.send(halls.whole, "n1") == {}
    assert await halls.send(halls.a, "n2") == {}
    await halls.later(hours=1)
    assert set(await halls.send(halls.b, "n1", "n2")) == {"n1", "n2"}
    for name in ("north", "a"):
        await halls.act("POST", f"/collectors/{await halls.collector_id(name)}/disable")
    await halls.later()
    assert await halls.send(halls.b, "n1", "n2", seconds=1) == {}


async def test_a_zone_that_a_person_sets_decides_from_then_on(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}
    await halls.act("PATCH", "/miners/n1", zone="hall-b")
    await halls.later(seconds=10)
    assert await halls.send(halls.a, "n1") == {"n1": "ZONE_MISMATCH"}
    assert await halls.send(halls.b, "n1") == {}
    await halls.act("PATCH", "/miners/n1", zone=None)
    await halls.later(seconds=10)
    assert await halls.send(halls.a, "n1") == {"n1": "ZONE_NOT_SET"}, "the zone that read it last keeps it"
    assert await halls.send(halls.b, "n1") == {}


async def test_a_zone_and_the_whole_site_may_read_the_same_machine_without_losing_a_sample(halls: ZonedSite) -> None:
    """Shards overlap: where one of both falls silent, the other goes on."""
    assert await halls.send(halls.a, "n1") == {}
    for n in range(1, 4):
        assert await halls.send(halls.whole, "n1", seconds=n) == {}
        await halls.later(hours=n)
        assert await halls.send(halls.a, "n1", seconds=-n) == {}
    assert await halls.send(halls.b, "n1", seconds=5) == {"n1": "ZONE_NOT_SET"}


async def test_a_collector_that_is_moved_to_another_zone_takes_its_machines_along(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}
    await halls.act("POST", "/zones", site_id="tx-1", code="hall-c")
    await halls.act("PATCH", f"/collectors/{await halls.collector_id('a')}", zone_id="hall-c")
    await halls.later(hours=1)
    assert await halls.send(halls.a, "n1") == {}
    again = await halls.place.add_collector("a2", "tx-1", zone_id="hall-a")
    assert await halls.send(again, "n1") == {"n1": "ZONE_NOT_SET"}


async def test_a_machine_that_comes_from_another_site_is_free_there(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}
    await halls.later()
    await halls.act("POST", "/sites", code="tx-2", name="Two")
    await halls.act("POST", "/zones", site_id="tx-2", code="z")
    there = await halls.place.add_collector("z", "tx-2", zone_id="z")
    await halls.act("PATCH", "/miners/n1", site_id="tx-2")
    assert await halls.send(there, "n1", seconds=1) == {}


async def test_commands_for_a_machine_without_a_zone_go_to_the_whole_sites_collector_alone(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "n1") == {}, "also where a zone's collector reads it"
    await halls.act("POST", "/commands", site_id="tx-1", miner_ids=["n1"], command_type="set_fan", params={"speed": 60})
    poll = f"{EDGE}/commands/poll"
    for token in (halls.a, halls.b):
        assert (await halls.place.api.get(poll, headers=token)).json()["commands"] == []
    assert len((await halls.place.api.get(poll, headers=halls.whole)).json()["commands"]) == 1
