"""Who reads whose telemetry: anonymous, another tenant, a narrower site, zone or group, the rightful user."""

import pytest
from sqlalchemy import text

from hashinsight.identity.scope import Reach, make_scope
from hashinsight.kit.db.context import Context, job_context
from hashinsight.telemetry.queries import live_frame
from tests.telemetry.fleet import HISTORY, LIVE, Fleet, sample
from tests.telemetry.site_with_collector import SiteWithCollector


@pytest.fixture
async def zone_fleet(fleet: Fleet) -> Fleet:
    """m1 and m2 in zone A, m3 in zone B; the group holds m1 and m3; m9 is another site's."""
    await fleet.load("m1,,A,", "m2,,A,", "m3,,B,")
    owner = fleet.site.owner
    body = {"name": "some", "site_id": "tx-1", "miner_ids": ["m1", "m3"]}
    assert (await fleet.api.post("/api/admin/v1/groups", json=body, headers=owner)).status_code == 201
    await fleet.send(*(sample(f"m{n}", fleet.at(-400), hashrate_ths=100) for n in (1, 2, 3)))
    await fleet.api.post("/api/admin/v1/sites", json={"code": "tx-2", "name": "tx-2"}, headers=owner)
    other = SiteWithCollector(fleet.api, fleet.site.people, fleet.site._url)
    other.owner = owner
    other.collector = await other.add_collector("south", "tx-2")
    assert (await other.send([sample("m9", fleet.at(-400), hashrate_ths=9)])).status_code == 200
    await fleet.roll()
    return fleet


async def seen(fleet: Fleet, headers: dict[str, str]) -> set[str]:
    """By every way that reads: live, right-now, file, history, its file; all must agree."""
    live = set(await fleet.live(headers))
    assert set(await fleet.live(headers, right_now=True)) == live
    file = (await fleet.get(LIVE, headers, format="csv")).text
    assert {line.split(",")[1] for line in file.splitlines()[1:]} == live
    query = {"site_id": "tx-1", "start": fleet.at(-3600), "end": fleet.at(0)}
    for resolution in ("raw", "5min"):
        series = set(await fleet.history(headers, resolution=resolution, start=fleet.at(-3600)))
        assert series == live - {"m9"}, resolution
        table = (await fleet.get(HISTORY, headers, format="csv", resolution=resolution, **query)).text
        assert {line.split(",")[0] for line in table.splitlines()[1:]} == live - {"m9"}
    return live


async def test_anonymous_callers_get_401(zone_fleet: Fleet) -> None:
    for path in (LIVE, HISTORY):
        for form in ("json", "csv"):
            answer = await zone_fleet.api.get(path, params={"site_id": "tx-1", "format": form})
            assert (answer.status_code, "m1" in answer.text) == (401, False)


async def test_another_tenant_finds_no_such_site_and_no_such_machine(zone_fleet: Fleet) -> None:
    stranger = await zone_fleet.site.people.headers("Owner", "b")
    assert await zone_fleet.live(stranger) == {}
    span = {"start": zone_fleet.at(-3600), "end": zone_fleet.at(0)}
    for form in ("json", "csv"):
        for path, query in (
            (LIVE, {"site_id": "tx-1"}),
            (LIVE, {"miner_id": "m1"}),
            (LIVE, {"site_id": str(zone_fleet.site.site_id), "right_now": "true"}),
            (HISTORY, {"site_id": "tx-1"} | span),
            (HISTORY, {"site_id": str(zone_fleet.site.site_id), "miner_id": "m1"} | span),
        ):
            answer = await zone_fleet.get(path, stranger, format=form, **query)
            assert (answer.status_code, answer.json()["error_code"]) == (404, "NOT_FOUND"), (path, query)


async def test_a_scope_is_limited_to_its_site_zone_or_group(zone_fleet: Fleet) -> None:
    people = zone_fleet.site.people
    whole = await people.headers("Customer")
    assert await seen(zone_fleet, whole) == {"m1", "m2", "m3", "m9"}
    sites = zone_fleet.site.rows("select id from sites where code = 'tx-1'")
    zones = zone_fleet.site.rows("select id from zones where code = 'A'")
    groups = zone_fleet.site.rows("select id from groups")
    assert await seen(zone_fleet, await people.headers("NOC", sites=[sites[0][0]])) == {"m1", "m2", "m3"}
    zone = await people.headers("Technician", zones=[zones[0][0]])
    assert await seen(zone_fleet, zone) == {"m1", "m2"}
    group = await people.headers("Customer", groups=[groups[0][0]])
    assert await seen(zone_fleet, group) == {"m1", "m3"}
    span = {"site_id": "tx-1", "start": zone_fleet.at(-3600), "end": zone_fleet.at(0)}
    for headers, hidden in ((zone, "m3"), (group, "m2")):
        assert (await zone_fleet.get(LIVE, headers, miner_id=hidden)).status_code == 404
        assert (await zone_fleet.get(HISTORY, headers, miner_id=hidden, **span)).status_code == 404
        assert (await zone_fleet.get(LIVE, headers, site_id="tx-2")).status_code == 404


async def test_the_frame_of_a_scope_holds_only_its_machines(zone_fleet: Fleet) -> None:
    whole = await zone_fleet.scope()
    zone = zone_fleet.site.rows("select id, site_id from zones where code = 'A'")[0]
    narrow = make_scope(whole.tenant_id, whole.actor, [Reach(zones=(zone[0],))], touched=[zone[1]])
    other = make_scope(await zone_fleet.site.people.tenant_id("b"), whole.actor, [Reach()])
    frames = [await live_frame(zone_fleet.database, scope, as_of=zone_fleet.now) for scope in (whole, narrow, other)]
    assert [set(frame["miner_id"]) for frame in frames] == [{"m1", "m2", "m3", "m9"}, {"m1", "m2"}, set()]
    zone_frame = await live_frame(zone_fleet.database, whole, as_of=zone_fleet.now, site_id=zone[1])
    assert set(zone_frame["miner_id"]) == {"m1", "m2", "m3"}


async def test_the_views_show_each_tenant_and_each_scope_its_own(zone_fleet: Fleet) -> None:
    whole = await zone_fleet.scope()
    site = zone_fleet.site.rows("select id from sites where code = 'tx-2'")[0][0]
    other = make_scope(await zone_fleet.site.people.tenant_id("b"), whole.actor, [Reach()])
    narrow = make_scope(whole.tenant_id, whole.actor, [Reach(sites=(site,))])
    everything = {"m1", "m2", "m3", "m9"}
    contexts = [(whole.context(), everything), (narrow.context(), {"m9"}), (other.context(), set()), (Context(), set())]
    for view in ("telemetry_raw_24h", "miner_telemetry_live", "telemetry_history_5min"):
        for context, wanted in [*contexts, (job_context(), everything)]:
            async with zone_fleet.database.reading(context) as session:
                miner_ids = (await session.execute(text(f"select miner_id from {view}"))).scalars()
                assert set(miner_ids) == wanted, (view, context)
