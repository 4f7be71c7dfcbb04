"""Machines that are listed without a zone: whoever reads one keeps it until a person decides otherwise."""

import asyncio

from tests.telemetry.zoned_site import EDGE, ZonedSite


async def test_a_machine_stays_with_the_zone_that_reads_it_however_long_its_collector_is_silent(
    zoned_site: ZonedSite,
) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}, "nobody reads it yet"
    for days in (0, 1, 300):
        await zoned_site.later(days=days)
        assert await zoned_site.send(zoned_site.b, "n1") == {"n1": "ZONE_NOT_SET"}
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    assert zoned_site.zone_of("n1") is None, "no collector puts a listed machine into a zone"


async def test_a_zone_cannot_take_machines_over_while_the_site_collector_is_down(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.whole, "n1", "joined") == {}
    assert await zoned_site.send(zoned_site.a, "joined", seconds=1) == {"joined": "ZONE_NOT_SET"}, (
        "before anything is rolled up"
    )
    await zoned_site.later(days=30)
    assert await zoned_site.send(zoned_site.a, "n1", "joined") == {"n1": "ZONE_NOT_SET", "joined": "ZONE_NOT_SET"}
    assert await zoned_site.send(zoned_site.whole, "n1", "joined", seconds=1) == {}


async def test_the_first_collector_to_read_a_machine_claims_it_before_the_rollup(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    assert await zoned_site.send(zoned_site.b, "n1") == {"n1": "ZONE_NOT_SET"}
    owner = "select c.name from miners m join collectors c on c.number = m.claimed_by where miner_id = 'n1'"
    assert zoned_site.site.rows(owner) == [("a",)]


async def test_a_zone_cannot_claim_a_machine_that_the_site_collector_just_read(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "a1") == {}, "from here on the site's zones are looked at"
    assert await zoned_site.send(zoned_site.whole, "n1") == {}
    assert await zoned_site.send(zoned_site.a, "n1", seconds=1) == {"n1": "ZONE_NOT_SET"}, (
        "before anything is rolled up"
    )
    assert await zoned_site.events("machines_claimed") == []


async def test_of_two_zones_that_read_a_machine_at_once_only_one_claims_it(zoned_site: ZonedSite) -> None:
    for n in range(5):
        await zoned_site.act("POST", "/miners", site_id="tx-1", miner_id=f"both{n}")
        await zoned_site.later()
        both = await asyncio.gather(
            *(zoned_site.send(token, f"both{n}", seconds=n) for token in (zoned_site.a, zoned_site.b))
        )
        assert sorted(map(len, both)) == [0, 1], both


async def test_a_rejected_sample_claims_nothing(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1", seconds=-100_000) == {"n1": "TOO_OLD"}
    assert await zoned_site.send(zoned_site.b, "n1") == {}


async def test_a_claim_is_reported_to_the_operator_and_audited(zoned_site: ZonedSite) -> None:
    await zoned_site.act("POST", "/miners", site_id="tx-1", miner_id="n2")
    await zoned_site.later()
    assert await zoned_site.send(zoned_site.a, "n1", "a1") == {}
    assert await zoned_site.send(zoned_site.a, "n1", "n2", seconds=1) == {}
    assert await zoned_site.send(zoned_site.a, "n1", "n2", seconds=2) == {}
    (event,) = await zoned_site.events("machines_claimed")
    assert (event["severity"], event["source"], event["details"]["miner_ids"]) == ("info", "cloud", ["n1"])
    assert event["title"] == "collector a reports 1 machine listed without a zone"
    audited = zoned_site.site.rows(
        "select after->'miner_ids' from audit_log where action = 'miners_claimed' order by at"
    )
    assert audited == [(["n1"],), (["n2"],)]


async def test_reporting_machines_of_another_zone_raises_one_event_a_day_with_advice(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    for seconds in range(3):
        refused = await zoned_site.send(zoned_site.b, "n1", "a1", "b1", seconds=seconds)
        assert refused == {"n1": "ZONE_NOT_SET", "a1": "ZONE_MISMATCH"}
    events = {event["details"]["error_code"]: event for event in await zoned_site.events("zone_mismatch")}
    assert {code: event["details"]["miner_ids"] for code, event in events.items()} == {
        "ZONE_NOT_SET": ["n1"],
        "ZONE_MISMATCH": ["a1"],
    }
    assert "Set their zone. If the collector that read them is gone, disable it." in (events["ZONE_NOT_SET"]["message"])
    assert {event["severity"] for event in events.values()} == {"warning"}
    await zoned_site.later(hours=25)
    assert await zoned_site.send(zoned_site.b, "n1") == {"n1": "ZONE_NOT_SET"}
    assert len(await zoned_site.events("zone_mismatch")) == 3


async def test_a_new_collector_of_the_same_zone_takes_over_its_machines(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    await zoned_site.later(hours=1)
    new = await zoned_site.site.add_collector("a, new box", "tx-1", zone_id="hall-a")
    assert await zoned_site.send(new, "n1") == {}
    await zoned_site.act("POST", f"/collectors/{await zoned_site.collector_id('a')}/disable")
    await zoned_site.later(minutes=1)
    assert await zoned_site.send(zoned_site.b, "n1") == {"n1": "ZONE_NOT_SET"}
    assert await zoned_site.send(new, "n1", seconds=1) == {}


async def test_revoking_a_token_releases_no_machines(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    await zoned_site.act("POST", f"/collectors/{await zoned_site.collector_id('a')}/revoke-tokens")
    await zoned_site.later(hours=1)
    assert await zoned_site.send(zoned_site.b, "n1") == {"n1": "ZONE_NOT_SET"}


async def test_disabling_a_collector_releases_its_machines(zoned_site: ZonedSite) -> None:
    """Of a whole site, replaced by those of zones; and of a zone."""
    await zoned_site.act("POST", "/miners", site_id="tx-1", miner_id="n2")
    await zoned_site.later()
    assert await zoned_site.send(zoned_site.whole, "n1") == {}
    assert await zoned_site.send(zoned_site.a, "n2") == {}
    await zoned_site.later(hours=1)
    assert set(await zoned_site.send(zoned_site.b, "n1", "n2")) == {"n1", "n2"}
    for name in ("north", "a"):
        await zoned_site.act("POST", f"/collectors/{await zoned_site.collector_id(name)}/disable")
    await zoned_site.later()
    assert await zoned_site.send(zoned_site.b, "n1", "n2", seconds=1) == {}


async def test_a_zone_set_by_a_person_decides(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    await zoned_site.act("PATCH", "/miners/n1", zone="hall-b")
    await zoned_site.later(seconds=10)
    assert await zoned_site.send(zoned_site.a, "n1") == {"n1": "ZONE_MISMATCH"}
    assert await zoned_site.send(zoned_site.b, "n1") == {}
    await zoned_site.act("PATCH", "/miners/n1", zone=None)
    await zoned_site.later(seconds=10)
    assert await zoned_site.send(zoned_site.a, "n1") == {"n1": "ZONE_NOT_SET"}, "the zone that read it last keeps it"
    assert await zoned_site.send(zoned_site.b, "n1") == {}


async def test_a_zone_and_the_whole_site_may_read_the_same_machine_without_losing_a_sample(
    zoned_site: ZonedSite,
) -> None:
    """Shards overlap: where one of both falls silent, the other goes on."""
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    for n in range(1, 4):
        assert await zoned_site.send(zoned_site.whole, "n1", seconds=n) == {}
        await zoned_site.later(hours=n)
        assert await zoned_site.send(zoned_site.a, "n1", seconds=-n) == {}
    assert await zoned_site.send(zoned_site.b, "n1", seconds=5) == {"n1": "ZONE_NOT_SET"}


async def test_a_collector_that_is_moved_to_another_zone_takes_its_machines_along(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    await zoned_site.act("POST", "/zones", site_id="tx-1", code="hall-c")
    await zoned_site.act("PATCH", f"/collectors/{await zoned_site.collector_id('a')}", zone_id="hall-c")
    await zoned_site.later(hours=1)
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    again = await zoned_site.site.add_collector("a2", "tx-1", zone_id="hall-a")
    assert await zoned_site.send(again, "n1") == {"n1": "ZONE_NOT_SET"}


async def test_a_machine_moved_from_another_site_is_unclaimed(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}
    await zoned_site.later()
    await zoned_site.act("POST", "/sites", code="tx-2", name="Two")
    await zoned_site.act("POST", "/zones", site_id="tx-2", code="z")
    there = await zoned_site.site.add_collector("z", "tx-2", zone_id="z")
    await zoned_site.act("PATCH", "/miners/n1", site_id="tx-2")
    assert await zoned_site.send(there, "n1", seconds=1) == {}


async def test_commands_for_a_machine_without_a_zone_go_to_the_whole_sites_collector_alone(
    zoned_site: ZonedSite,
) -> None:
    assert await zoned_site.send(zoned_site.a, "n1") == {}, "also where a zone's collector reads it"
    await zoned_site.act(
        "POST", "/commands", site_id="tx-1", miner_ids=["n1"], command_type="set_fan", params={"speed": 60}
    )
    poll = f"{EDGE}/commands/poll"
    for token in (zoned_site.a, zoned_site.b):
        assert (await zoned_site.site.api.get(poll, headers=token)).json()["commands"] == []
    assert len((await zoned_site.site.api.get(poll, headers=zoned_site.whole)).json()["commands"]) == 1
