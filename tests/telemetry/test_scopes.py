"""Who reads whose telemetry: anonymous, another tenant, a narrower site, zone or group, the rightful user."""

import pytest
from sqlalchemy import text

from hashinsight.identity.scope import Reach, make_scope
from hashinsight.kit.db.context import Context, job_context
from hashinsight.telemetry.queries import live_frame
from tests.telemetry.fleet import HISTORY, LIVE, Fleet, sample
from tests.telemetry.site_with_collector import SiteWithCollector


@pytest.fixture
async def halves(fleet: Fleet) -> Fleet:
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
    asked = {"site_id": "tx-1", "start": fleet.at(-3600), "end": fleet.at(0)}
    for resolution in ("raw", "5min"):
        series = set(await fleet.history(headers, resolution=resolution, start=fleet.at(-3600)))
        assert series == live - {"m9"}, resolution
        table = (await fleet.get(HISTORY, headers, format="csv", resolution=resolution, **asked)).text
        assert {line.split(",")[0] for line in table.splitlines()[1:]} == live - {"m9"}
    return live


async def test_anonymous_callers_get_401(halves: Fleet) -> None:
    for path in (LIVE, HISTORY):
        for form in ("json", "csv"):
            answer = await halves.api.get(path, params={"site_id": "tx-1", "format": form})
            assert (answer.status_code, "m1" in answer.text) == (401, False)


async def test_another_tenant_finds_no_such_site_and_no_such_machine(halves: Fleet) -> None:
    stranger = await halves.site.people.headers("Owner", "b")
    assert await halves.live(stranger) == {}
    span = {"start": halves.at(-3600), "end": halves.at(0)}
    for form in ("json", "csv"):
        for path, query in (
            (LIVE, {"site_id": "tx-1"}),
            (LIVE, {"miner_id": "m1"}),
            (LIVE, {"site_id": str(halves.site.site_id), "right_now": "true"}),
            (HISTORY, {"site_id": "tx-1"} | span),
            (HISTORY, {"site_id": str(halves.site.site_id), "miner_id": "m1"} | span),
        ):
            answer = await halves.get(path, stranger, format=form, **query)
            assert (answer.status_code, answer.json()["error_code"]) == (404, "NOT_FOUND"), (path, query)


async def test_a_scope_is_limited_to_its_site_zone_or_group(halves: Fleet) -> None:
    people = halves.site.people
    whole = await people.headers("Customer")
    assert await seen(halves, whole) == {"m1", "m2", "m3", "m9"}
    sites = halves.site.rows("select id from sites where code = 'tx-1'")
    zones = halves.site.rows("select id from zones where code = 'A'")
    groups = halves.site.rows("select id from groups")
    assert await seen(halves, await people.headers("NOC", sites=[sites[0][0]])) == {"m1", "m2", "m3"}
    zone = await people.headers("Technician", zones=[zones[0][0]])
    assert await seen(halves, zone) == {"m1", "m2"}
    group = await people.headers("Customer", groups=[groups[0][0]])
    assert await seen(halves, group) == {"m1", "m3"}
    span = {"site_id": "tx-1", "start": halves.at(-3600), "end": halves.at(0)}
    for headers, hidden in ((zone, "m3"), (group, "m2")):
        assert (await halves.get(LIVE, headers, miner_id=hidden)).status_code == 404
        assert (await halves.get(HISTORY, headers, miner_id=hidden, **span)).status_code == 404
        assert (await halves.get(LIVE, headers, site_id="tx-2")).status_code == 404


async def test_the_frame_of_a_scope_holds_only_its_machines(halves: Fleet) -> None:
    whole = await halves.scope()
    zone = halves.site.rows("select id, site_id from zones where code = 'A'")[0]
    narrow = make_scope(whole.tenant_id, whole.actor, [Reach(zones=(zone[0],))], touched=[zone[1]])
    other = make_scope(await halves.site.people.tenant_id("b"), whole.actor, [Reach()])
    found = [await live_frame(halves.database, scope, as_of=halves.now) for scope in (whole, narrow, other)]
    assert [set(frame["miner_id"]) for frame in found] == [{"m1", "m2", "m3", "m9"}, {"m1", "m2"}, set()]
    one = await live_frame(halves.database, whole, as_of=halves.now, site_id=zone[1])
    assert set(one["miner_id"]) == {"m1", "m2", "m3"}


async def test_the_views_show_each_tenant_and_each_scope_its_own(halves: Fleet) -> None:
    whole = await halves.scope()
    site = halves.site.rows("select id from sites where code = 'tx-2'")[0][0]
    other = make_scope(await halves.site.people.tenant_id("b"), whole.actor, [Reach()])
    narrow = make_scope(whole.tenant_id, whole.actor, [Reach(sites=(site,))])
    everything = {"m1", "m2", "m3", "m9"}
    contexts = [(whole.context(), everything), (narrow.context(), {"m9"}), (other.context(), set()), (Context(), set())]
    for view in ("telemetry_raw_24h", "miner_telemetry_live", "telemetry_history_5min"):
        for context, wanted in [*contexts, (job_context(), everything)]:
            async with halves.database.reading(context) as session:
                found = (await session.execute(text(f"select miner_id from {view}"))).scalars()
                assert set(found) == wanted, (view, context)
