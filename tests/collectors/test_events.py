"""Collector events: what collectors report, and how people settle it."""

import asyncio
from typing import Any

import httpx
import pytest

from hashinsight.collectors.states import SEVERITIES
from tests.collectors.collector_site import EDGE, CollectorSite, bearer


async def report(collector_site: CollectorSite, token: str, *events: dict[str, Any]) -> httpx.Response:
    return await collector_site.api.post(f"{EDGE}/events", headers=bearer(token), json={"events": list(events)})


async def test_collector_events_are_stored_with_the_severity_of_their_kind(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    answer = await report(collector_site, token, *({"kind": kind} for kind in SEVERITIES), {"kind": "of_another_make"})
    counts = {"stored": len(SEVERITIES) + 1, "duplicates": 0, "rejected": 0}
    assert answer.json() == {"success": True, **counts, "errors": []}
    stored = {
        event["kind"]: event["severity"]
        for event in await collector_site.events(collector_id)
        if event["source"] == "collector"
    }
    assert stored == {kind: severity.value for kind, severity in SEVERITIES.items()} | {"of_another_make": "info"}
    (entry,) = await collector_site.audited("collector_events_reported")
    assert (entry.actor_kind, entry.actor_id, entry.after["stored"]) == ("collector", collector_id, len(SEVERITIES) + 1)


async def test_event_texts_are_stored_without_addresses_and_secrets(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    event = {
        "kind": "miner_error",
        "severity": "critical",
        "title": "A-17",
        "message": "no answer from 10.9.8.7",
        "details": {"ip": "10.9.8.7", "pool_password": "hunter22", "temp_c": 92},
        "miner_id": "A-17",
        "command_id": "c-1",
        "occurred_at": "2026-03-01T12:00:00",
    }
    assert (await report(collector_site, token, event)).status_code == 200
    (kept,) = await collector_site.events(collector_id, "miner_error")
    assert (kept["severity"], kept["miner_id"], kept["command_id"]) == ("critical", "A-17", "c-1")
    assert kept["occurred_at"] == "2026-03-01T12:00:00Z"
    assert kept["details"]["temp_c"] == 92
    assert "10.9.8.7" not in str(kept)
    assert "hunter22" not in str(kept)


async def test_a_report_that_is_sent_again_is_stored_once(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    events = [{"kind": "miner_error", "event_id": f"e-{n % 2}"} for n in range(3)]
    assert (await report(collector_site, token, *events)).json()["stored"] == 2
    again = (await report(collector_site, token, *events)).json()
    assert (again["stored"], again["duplicates"], again["rejected"]) == (0, 3, 0)
    assert len(await collector_site.events(collector_id, "miner_error")) == 2


@pytest.mark.parametrize(
    "bad",
    [
        {"events": []},
        {"events": [{"kind": "x"}] * 201},
        {"events": [{}]},
        {"events": [{"kind": "Not A Kind"}]},
        {"events": [{"kind": "x", "severity": "awful"}]},
        {"events": [{"kind": "x", "title": "t" * 201}]},
        {"events": [{"kind": "x", "message": "a\0b"}]},
        {"events": [{"kind": "x", "details": {"d": "y" * 20_000}}]},
        {"events": [{"kind": "x", "occurred_at": "soon"}]},
        {"events": "many"},
        {},
    ],
)
async def test_a_bad_report_is_422_and_stores_nothing(collector_site: CollectorSite, bad: Any) -> None:
    collector_id, token = await collector_site.collector()
    answer = await collector_site.api.post(f"{EDGE}/events", headers=bearer(token), json=bad)
    assert answer.status_code == 422, answer.text
    assert [event["kind"] for event in await collector_site.events(collector_id)] == ["registered"]


async def test_open_acknowledged_resolved_with_by_and_at(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    await report(collector_site, token, {"kind": "miner_error"})
    (event,) = await collector_site.events(collector_id, "miner_error")
    path = f"collector-events/{event['id']}"
    acknowledged = (await collector_site.post(f"{path}/acknowledge")).json()
    assert acknowledged["status"] == "acknowledged"
    assert acknowledged["acknowledged_by"]
    again = await collector_site.post(f"{path}/acknowledge")
    assert (again.status_code, again.json()["error_code"]) == (409, "EVENT_NOT_OPEN")
    resolved = (await collector_site.post(f"{path}/resolve")).json()
    assert (resolved["status"], resolved["acknowledged_at"]) == ("resolved", acknowledged["acknowledged_at"])
    final = await collector_site.post(f"{path}/resolve")
    assert (final.status_code, final.json()["error_code"]) == (409, "ALREADY_FINAL")
    assert (await collector_site.post(f"{path}/acknowledge")).status_code == 409


async def test_of_many_concurrent_acknowledgements_one_applies(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    await report(collector_site, token, {"kind": "miner_error"})
    (event,) = await collector_site.events(collector_id, "miner_error")
    noc = await collector_site.people.headers("NOC")
    path = f"collector-events/{event['id']}/acknowledge"
    answers = await asyncio.gather(*(collector_site.post(path, None, who) for who in (collector_site.owner, noc) * 3))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
    assert len(await collector_site.audited("collector_event_acknowledged")) == 1


async def test_the_list_pages_newest_first_and_filters(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    for n in range(5):
        collector_site.at(n)
        await report(collector_site, token, {"kind": "miner_error" if n % 2 else "hashrate_drop", "title": str(n)})
    first = (await collector_site.get("collector-events", limit=4)).json()
    second = (await collector_site.get("collector-events", limit=4, cursor=first["next_cursor"])).json()
    assert [event["title"] for event in first["events"]] == ["4", "3", "2", "1"]
    assert [event["kind"] for event in second["events"]] in (
        ["hashrate_drop", "registered"],
        ["registered", "hashrate_drop"],
    )
    queries: list[tuple[dict[str, Any], int]] = [
        ({"kind": "miner_error"}, 2),
        ({"severity": "error"}, 5),
        ({"severity": "info"}, 1),
        ({"status": "resolved"}, 0),
        ({"site_id": "tx-1", "collector_id": collector_id}, 6),
    ]
    for params, count in queries:
        assert len((await collector_site.get("collector-events", **params)).json()["events"]) == count, params
    assert (await collector_site.get("collector-events", site_id="nowhere")).status_code == 404
    assert (await collector_site.get("collector-events", cursor="forged")).status_code == 422
