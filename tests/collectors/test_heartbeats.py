"""Heartbeats: kept by the day for a week, their newest figures beside the collector."""

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from hashinsight.kit.db.context import Context, job_context
from hashinsight.wire.times import write_time
from tests.collectors.collector_site import EDGE, CollectorSite, bearer

DAY = 86_400
FULL = {
    "status": "degraded",
    "cpu_usage": 12.5,
    "memory_usage": 41,
    "disk_usage": 63.2,
    "uptime": 86400,
    "version": "2.4.1",
    "miners_online": 198,
    "miners_total": 200,
    "errors_count": 3,
    "spool_depth": 7,
    "spool_oldest_at": "2026-03-01T11:59:00",
    "extra_data": {"polls": 1440},
    "some_other_field": "of another make",
}


async def days(collector_site: CollectorSite) -> list[str]:
    query = "select inhrelid::regclass::text from pg_inherits where inhparent = 'collector_heartbeats'::regclass"
    async with collector_site.database.transaction(job_context()) as session:
        return sorted((await session.execute(text(query))).scalars())


def day(collector_site: CollectorSite, offset: int) -> str:
    return f"collector_heartbeats_{collector_site.start + timedelta(days=offset):%Y%m%d}t0000"


async def test_heartbeat_fields_are_stored_and_shown(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    answer = await collector_site.beat(token, FULL, **{"X-Device-ID": "box-1"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["success"] is True
    assert answer.json()["config_version"] == "v1.0.0"
    (kept,) = (await collector_site.get(f"collectors/{collector_id}/heartbeats")).json()["heartbeats"]
    assert {name: kept[name] for name in ("status", "uptime_sec", "spool_depth", "device_id", "errors_count")} == {
        "status": "degraded",
        "uptime_sec": 86400,
        "spool_depth": 7,
        "device_id": "box-1",
        "errors_count": 3,
    }
    assert kept["spool_oldest_at"] == "2026-03-01T11:59:00Z"
    shown = await collector_site.shown(collector_id)
    assert (shown["reported_status"], shown["total_miners"], shown["active_miners"]) == ("degraded", 200, 198)
    assert (shown["version"], shown["uptime_sec"], shown["cpu_usage"]) == ("2.4.1", 86400, 12.5)
    assert shown["last_address"] == "127.0.0.1"


async def test_an_empty_heartbeat_is_one_too_and_forgets_nothing(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.beat(token, FULL)
    collector_site.at(30)
    assert (await collector_site.beat(token)).status_code == 200
    shown = await collector_site.shown(collector_id)
    assert (shown["reported_status"], shown["version"], shown["total_miners"]) == ("online", "2.4.1", 200)
    assert len((await collector_site.get(f"collectors/{collector_id}/heartbeats")).json()["heartbeats"]) == 2


@pytest.mark.parametrize("ahead_sec", [-3600.0, 12.5])
async def test_the_skew_of_its_clock_is_estimated_and_shown(collector_site: CollectorSite, ahead_sec: float) -> None:
    collector_id, token = await collector_site.collector()
    sent_at = write_time(collector_site.now + timedelta(seconds=ahead_sec))
    assert (await collector_site.beat(token, {"sent_at": sent_at})).json()["clock_skew_sec"] == ahead_sec
    assert (await collector_site.shown(collector_id))["clock_skew_sec"] == ahead_sec


async def test_days_are_made_ahead_and_dropped_after_seven(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.run_ticks("heartbeat_days")
    assert await days(collector_site) == [day(collector_site, n) for n in range(4)]
    await collector_site.beat(token)
    collector_site.at(6 * DAY)
    await collector_site.run_ticks("heartbeat_days")
    assert day(collector_site, 0) in await days(collector_site)
    collector_site.at(8 * DAY)
    await collector_site.run_ticks("heartbeat_days")
    left = await days(collector_site)
    assert day(collector_site, 0) not in left
    assert day(collector_site, 1) in left
    assert day(collector_site, 11) in left
    collector_site.at(0)
    assert (await collector_site.get(f"collectors/{collector_id}/heartbeats")).json()["heartbeats"] == []


async def test_a_heartbeat_for_a_day_without_a_partition_is_stored(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    assert await days(collector_site) == []
    assert (await collector_site.beat(token)).status_code == 200
    assert await days(collector_site) == [day(collector_site, 0)]


async def test_heartbeats_page_newest_first_and_by_time(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    for n in range(5):
        collector_site.at(30 * n)
        await collector_site.beat(token, {"errors_count": n})
    path = f"collectors/{collector_id}/heartbeats"
    first = (await collector_site.get(path, limit=3)).json()
    second = (await collector_site.get(path, limit=3, cursor=first["next_cursor"])).json()
    assert [heartbeat["errors_count"] for heartbeat in first["heartbeats"] + second["heartbeats"]] == [4, 3, 2, 1, 0]
    assert second["next_cursor"] is None
    since = write_time(collector_site.start + timedelta(seconds=61))
    assert len((await collector_site.get(path, since=since)).json()["heartbeats"]) == 2


async def test_another_tenant_and_another_site_see_none_of_them_in_the_database(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    await collector_site.beat(token)
    mine = str(await collector_site.people.tenant_id("a"))
    other = str(await collector_site.people.tenant_id("b"))
    query = text("select count(*) from collector_heartbeats")
    seen = {}
    for name, context in {
        "mine": Context(tenant=mine),
        "my site": Context(tenant=mine, sites=(collector_site.site_id,)),
        "another site": Context(tenant=mine, sites=(collector_site.site_id + 1,)),
        "another tenant": Context(tenant=other),
        "nobody": Context(),
    }.items():
        async with collector_site.database.transaction(context) as session:
            seen[name] = (await session.execute(query)).scalar_one()
    assert seen == {"mine": 1, "my site": 1, "another site": 0, "another tenant": 0, "nobody": 0}


async def send_raw(collector_site: CollectorSite, token: str, body: str) -> httpx.Response:
    headers = bearer(token) | {"Content-Type": "application/json"}
    return await collector_site.api.post(f"{EDGE}/heartbeat", headers=headers, content=body)


@pytest.mark.parametrize(
    "bad",
    [
        {"status": "fine"},
        {"cpu_usage": -1},
        {"cpu_usage": 101},
        {"cpu_usage": "much"},
        {"memory_usage": float("nan")},
        {"disk_usage": float("inf")},
        {"uptime": -5},
        {"uptime": 10**30},
        {"miners_online": 2**31},
        {"miners_total": 1.5},
        {"spool_depth": -1},
        {"spool_oldest_at": "yesterday"},
        {"sent_at": 1e300},
        {"version": "x" * 201},
        {"version": "a\0b"},
        {"version": "\ud800"},
        {"extra_data": {"huge": "x" * 20_000}},
        {"extra_data": {"n": float("nan")}},
        {"extra_data": {"deep": {"text": "a\0b"}}},
        {"extra_data": {"k\ud800": 1}},
        {"extra_data": [1]},
        [1, 2],
        None,
    ],
)
async def test_bad_input_is_422_and_stores_nothing(collector_site: CollectorSite, bad: Any) -> None:
    collector_id, token = await collector_site.collector()
    answer = await send_raw(collector_site, token, json.dumps(bad))
    assert answer.status_code == 422, answer.text
    assert answer.json()["error_code"] == "VALIDATION_FAILED"
    assert (await collector_site.shown(collector_id))["last_heartbeat_at"] is None


async def test_data_nested_without_end_is_refused(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    deep = '{"extra_data": ' + '{"a":' * 2000 + "1" + "}" * 2001
    assert (await send_raw(collector_site, token, deep)).status_code in {400, 422}


async def test_a_text_about_nul_is_no_nul(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    assert (await collector_site.beat(token, {"extra_data": {"say": "\\u0000"}})).status_code == 200


async def test_addresses_and_secrets_of_machines_are_not_stored(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    extra = {"ip": "10.1.2.3", "note": "seen at 192.168.7.9", "pool_password": "hunter22"}
    await collector_site.beat(token, {"extra_data": extra})
    kept = (await collector_site.get(f"collectors/{collector_id}/heartbeats")).text
    for secret in ("10.1.2.3", "192.168.7.9", "hunter22"):
        assert secret not in kept


@pytest.mark.parametrize("field", ["since", "until"])
async def test_a_time_without_a_zone_is_utc_and_no_time_is_500(collector_site: CollectorSite, field: str) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.beat(token)
    path = f"collectors/{collector_id}/heartbeats"

    async def heartbeats_since(given: str) -> httpx.Response:
        params: dict[str, Any] = {field: given}
        return await collector_site.get(path, **params)

    near = collector_site.start + timedelta(hours=1 if field == "until" else -1)
    naive = near.replace(tzinfo=None).isoformat()
    assert len((await heartbeats_since(naive)).json()["heartbeats"]) == 1
    for given in ("0001-01-01T00:00:00", "9999-12-31T23:59:59", "2026-03-01", "0"):
        assert (await heartbeats_since(given)).status_code == 200, given
    for given in ("0001-01-01T00:00:00+12:00", "9999-12-31T23:59:59-12:00", "soon", ""):
        assert (await heartbeats_since(given)).status_code == 422, given


async def test_a_collectors_time_beyond_all_years_is_422(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    for given in ("0001-01-01T00:00:00+12:00", "9999-12-31T23:59:59-12:00"):
        assert (await collector_site.beat(token, {"sent_at": given})).status_code == 422, given
