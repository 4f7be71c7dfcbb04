"""Heard by any call, offline as one event, back as one event."""

import asyncio

from sqlalchemy import text

from hashinsight.collectors.service.liveness import sweep_silent
from hashinsight.kit.db.context import job_context
from tests.collectors.collector_site import CollectorSite


async def sweep(collector_site: CollectorSite) -> int:
    async with collector_site.database.transaction(job_context()) as session:
        return await sweep_silent(session, now=collector_site.now)


async def kinds(collector_site: CollectorSite, collector_id: str) -> list[str]:
    return [event["kind"] for event in reversed(await collector_site.events(collector_id))]


async def test_a_collector_that_never_sends_a_heartbeat_but_calls_is_online(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    for seconds in range(0, 600, 100):
        collector_site.at(seconds)
        assert (await collector_site.call(token)).status_code == 200
        assert await sweep(collector_site) == 0
    shown = await collector_site.shown(collector_id)
    assert (shown["status"], shown["last_heartbeat_at"]) == ("active", None)
    assert await kinds(collector_site, collector_id) == ["registered"]


async def test_silent_for_three_intervals_is_offline_and_one_event_however_often_it_is_looked_at(
    collector_site: CollectorSite,
) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.call(token)
    collector_site.at(180)
    assert await sweep(collector_site) == 0
    collector_site.at(180.001)
    assert await sweep(collector_site) == 1
    for seconds in (195, 210, 500):
        collector_site.at(seconds)
        assert await sweep(collector_site) == 0
    assert (await collector_site.shown(collector_id))["status"] == "offline"
    (event,) = await collector_site.events(collector_id, "offline")
    assert (event["severity"], event["status"], event["source"]) == ("warning", "open", "cloud")
    assert len(await collector_site.audited("collector_offline")) == 1


async def test_concurrent_sweeps_write_one_event(collector_site: CollectorSite) -> None:
    ids = [(await collector_site.collector(f"c{n}"))[0] for n in range(5)]
    collector_site.at(200)
    assert sum(await asyncio.gather(*(sweep(collector_site) for _ in range(6)))) == 5
    for collector_id in ids:
        assert len(await collector_site.events(collector_id, "offline")) == 1


async def test_the_longer_interval_counts(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector(heartbeat_interval_sec=300, collection_interval_sec=10)
    await collector_site.call(token)
    collector_site.at(890)
    assert await sweep(collector_site) == 0
    collector_site.at(901)
    assert await sweep(collector_site) == 1
    collector_site.at(0)
    assert (await collector_site.shown(collector_id))["offline_after_sec"] == 900


async def test_a_collector_is_back_online_with_one_event_even_on_concurrent_calls(
    collector_site: CollectorSite,
) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.call(token)
    collector_site.at(200)
    await sweep(collector_site)
    collector_site.at(260)
    answers = await asyncio.gather(*(collector_site.call(token) for _ in range(8)))
    assert {answer.status_code for answer in answers} == {200}
    await collector_site.beat(token)
    assert await kinds(collector_site, collector_id) == ["registered", "offline", "reconnected"]
    shown = await collector_site.shown(collector_id)
    assert (shown["status"], shown["connection_count"]) == ("active", 2)
    (offline,) = await collector_site.events(collector_id, "offline")
    assert (offline["status"], offline["resolved_by"]) == ("resolved", "system")
    assert len(await collector_site.audited("collector_reconnected")) == 1


async def test_a_pending_or_disabled_collector_is_never_offline(collector_site: CollectorSite) -> None:
    await collector_site.collector("waiting", credential="enrolment_code")
    disabled, _ = await collector_site.collector("off")
    await collector_site.post(f"collectors/{disabled}/disable")
    collector_site.at(10_000)
    assert await sweep(collector_site) == 0


async def test_an_enabled_collector_has_its_time_to_call(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector()
    await collector_site.post(f"collectors/{collector_id}/disable")
    collector_site.at(600)
    just_signed_in = await collector_site.people.headers("Owner")
    assert (await collector_site.post(f"collectors/{collector_id}/enable", headers=just_signed_in)).status_code == 200
    assert await sweep(collector_site) == 0
    collector_site.at(781)
    assert await sweep(collector_site) == 1


async def test_last_seen_is_written_at_most_every_few_seconds(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()

    async def written() -> str:
        async with collector_site.database.transaction(job_context()) as session:
            row = await session.execute(text("select xmin::text from collectors where id = :id"), {"id": collector_id})
            return str(row.scalar_one())

    await collector_site.call(token)
    first = await written()
    collector_site.at(4.9)
    await collector_site.call(token)
    assert await written() == first
    collector_site.at(5.1)
    await collector_site.call(token)
    assert await written() != first


async def test_a_refused_call_does_not_update_last_seen(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    assert (await collector_site.call(token, {"X-Site-ID": "elsewhere"})).status_code == 403
    assert (await collector_site.shown(collector_id))["last_seen_at"] is None


async def test_the_tick_makes_it_offline(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.call(token)
    for seconds in range(0, 240, 15):
        collector_site.at(seconds)
        await collector_site.run_ticks("collectors_offline")
    assert (await collector_site.shown(collector_id))["status"] == "offline"
    assert len(await collector_site.events(collector_id, "offline")) == 1


async def test_the_tick_notices_collectors_with_intervals_shorter_than_its_own(
    collector_site: CollectorSite,
) -> None:
    collector_id, token = await collector_site.collector(heartbeat_interval_sec=2, collection_interval_sec=5)
    await collector_site.call(token)
    for seconds in (0, 15, 30):
        collector_site.at(seconds)
        await collector_site.run_ticks("collectors_offline")
    assert (await collector_site.shown(collector_id))["status"] == "offline"


async def test_after_an_hour_of_server_downtime_no_collector_is_silent_at_once(
    collector_site: CollectorSite,
) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.call(token)
    await collector_site.run_ticks("collectors_offline")
    collector_site.at(3600)
    await collector_site.run_ticks("collectors_offline")
    assert len(await collector_site.audited("collector_offline")) == 0
    for seconds in range(3615, 3800, 15):
        collector_site.at(seconds)
        await collector_site.run_ticks("collectors_offline")
    assert [entry.entity_id for entry in await collector_site.audited("collector_offline")] == [collector_id]


async def test_disabling_an_offline_collector_ends_its_offline_event(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.call(token)
    collector_site.at(200)
    await sweep(collector_site)
    assert (await collector_site.post(f"collectors/{collector_id}/disable")).status_code == 200
    (offline,) = await collector_site.events(collector_id, "offline")
    assert (offline["status"], offline["resolved_by"]) == ("resolved", "system")
    (entry,) = await collector_site.audited("collector_disabled")
    assert entry.after == {"status": "disabled", "offline_events_resolved": 1}
    await collector_site.post(f"collectors/{collector_id}/enable")
    assert (await collector_site.beat(token)).status_code == 200
    (summary,) = (await collector_site.get("collectors/summary")).json()["collectors"]
    assert (summary["status"], summary["open_alerts"]["warning"]) == ("active", 0)
