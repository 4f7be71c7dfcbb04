"""How many machines a collector may register: the rest is refused, one by one, and the operator is told once."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx

from hashinsight.telemetry.service.registration import RegistrationLimits
from hashinsight.wire.times import write_time
from tests.telemetry.fleet import Fleet
from tests.telemetry.site_with_collector import SiteWithCollector


def limit(site: SiteWithCollector, per_call: int, per_day: int, first_day: int = 0) -> None:
    lookup = site.api.app.state.store.machines  # type: ignore[attr-defined] # the fixture's
    lookup.limits = RegistrationLimits(per_call=per_call, per_day=per_day, first_day=first_day)
    lookup._at_limit.clear()


async def send(site: SiteWithCollector, begins: int, ends: int, at: str, **headers: str) -> tuple[int, set[str]]:
    samples = [{"miner_id": f"m{n}", "ts": at} for n in range(begins, ends)]
    answer = await site.post(samples, headers=headers)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["accepted"] + body["rejected"] + body["duplicates"] == len(samples)
    return body["accepted"], {error["error_code"] for error in body["errors"]}


async def registration_events(site: SiteWithCollector) -> list[dict[str, Any]]:
    answer = await site.api.get(
        "/api/admin/v1/collector-events", params={"kind": "registration_limit"}, headers=site.owner
    )
    events: list[dict[str, Any]] = answer.json()["events"]
    return events


def audited(site: SiteWithCollector) -> int:
    count: int = site.rows("select count(*) from audit_log where action = 'registration_limited'")[0][0]
    return count


async def reason(site: SiteWithCollector, begins: int, ends: int, at: str) -> str:
    """Why the last of these machines is refused."""
    errors = (await site.post([{"miner_id": f"m{n}", "ts": at} for n in range(begins, ends)])).json()["errors"]
    assert errors[-1]["error_code"] == "REGISTRATION_LIMIT"
    words: str = errors[-1]["reason"]
    return words


async def change(site: SiteWithCollector, fields: dict[str, Any]) -> httpx.Response:
    answer = await site.api.get("/api/admin/v1/collectors", headers=site.owner)
    collector_id = answer.json()["collectors"][0]["id"]
    return await site.api.patch(f"/api/admin/v1/collectors/{collector_id}", json=fields, headers=site.owner)


async def test_a_new_collector_registers_a_site_of_twenty_thousand_machines_in_one_call(
    site: SiteWithCollector,
) -> None:
    samples = [{"miner_id": f"m{n}", "ts": site.at(0)} for n in range(20_000)]
    body = (await site.post(samples, zipped=True)).json()
    assert (body["success"], body["accepted"], body["rejected"]) == (True, 20_000, 0)
    assert site.rows("select count(*), count(distinct registered_by) from miners") == [(20_000, 1)]


async def test_after_its_first_day_five_thousand_unknown_machines_are_not_all_registered(
    site: SiteWithCollector, fleet: Fleet
) -> None:
    assert await send(site, 0, 1, fleet.at(0)) == (1, set())
    fleet.set_clock(fleet.now + timedelta(hours=24, seconds=1))
    samples = [{"miner_id": f"n{n}", "ts": fleet.at(0)} for n in range(5000)]
    body = (await site.post(samples, zipped=True)).json()
    assert (body["success"], body["accepted"], body["rejected"]) == (True, 1000, 4000)
    assert {error["error_code"] for error in body["errors"]} == {"REGISTRATION_LIMIT"}
    assert [error["index"] for error in body["errors"]][:3] == [1000, 1001, 1002], "the first of the batch come in"


async def test_the_first_day_has_a_limit_and_the_answer_has_the_time_registration_resumes(
    site: SiteWithCollector, fleet: Fleet
) -> None:
    limit(site, 5, 10, first_day=30)
    assert await send(site, 0, 30, fleet.at(0)) == (30, set()), "no limit per call"
    assert await send(site, 0, 31, fleet.at(1)) == (30, {"REGISTRATION_LIMIT"}), "known machines go on"
    resumes = write_time(fleet.now + timedelta(hours=24))
    words = f"this collector has registered 30 new machines in 24 hours: resumes at {resumes}"
    assert await reason(site, 30, 31, fleet.at(2)) == words
    (event,) = await registration_events(site)
    assert event["details"] == {"limit": "first_day", "machines": 30, "refused": 1}
    assert resumes in event["message"]
    assert "HASHINSIGHT_REGISTER_FIRST_DAY" in event["message"]
    fleet.set_clock(fleet.now + timedelta(hours=24, seconds=1))
    assert await send(site, 30, 40, fleet.at(0)) == (5, {"REGISTRATION_LIMIT"}), "then the daily limits hold"
    assert await reason(site, 30, 41, fleet.at(1)) == (
        "this collector has registered 5 new machines in one upload: the next upload continues"
    )
    assert await reason(site, 30, 41, fleet.at(2)) == (
        "this collector has registered 10 new machines in 24 hours: "
        f"resumes at {write_time(fleet.now + timedelta(hours=24))}"
    )


async def test_registration_can_be_opened_again_for_a_limited_time(site: SiteWithCollector, fleet: Fleet) -> None:
    limit(site, 5, 5, first_day=100)
    assert await send(site, 0, 1, fleet.at(0)) == (1, set())
    await fleet.pass_time(timedelta(days=3))
    assert await send(site, 1, 20, fleet.at(0)) == (5, {"REGISTRATION_LIMIT"})
    words = await reason(site, 1, 20, fleet.at(1))
    assert "resumes at" in words
    too_long = await change(site, {"registration_open_until": fleet.at(8 * 86_400)})
    assert (too_long.status_code, too_long.json()["error_code"]) == (422, "VALIDATION_FAILED")
    opened = await change(site, {"registration_open_until": fleet.at(3600)})
    assert opened.status_code == 200, opened.text
    fleet.set_clock(fleet.now + timedelta(minutes=2))
    assert await send(site, 1, 20, fleet.at(0)) == (19, set())
    assert (await change(site, {"registration_open_until": None})).json()["registration_open_until"] is None
    assert await send(site, 20, 21, fleet.at(0)) == (0, {"REGISTRATION_LIMIT"})
    changed = site.rows("select after->>'registration_open_until' from audit_log where action = 'collector_changed'")
    assert len(changed) == 2


async def test_the_first_day_of_a_self_enrolled_collector_begins_with_its_approval(
    site: SiteWithCollector, fleet: Fleet
) -> None:
    limit(site, 1, 1, first_day=10)
    body = {"site_id": "tx-1", "name": "south", "credential": "enrolment_code"}
    made = (await site.api.post("/api/admin/v1/collectors", json=body, headers=site.owner)).json()
    assert made["collector"]["registration_open_until"] is None
    code = {"enrolment_code": made["enrolment_code"]}
    token = (await site.api.post("/api/edge/v1/register", json=code)).json()["token"]
    await fleet.pass_time(timedelta(days=2))
    url = f"/api/admin/v1/collectors/{made['collector']['id']}/approve"
    approved = (await site.api.post(url, headers=site.owner)).json()
    assert approved["registration_open_until"] == write_time(fleet.now + timedelta(hours=24))
    assert await send(site, 0, 5, fleet.at(0), **{"X-Collector-Key": token}) == (5, set())


async def test_over_the_limit_known_machines_are_stored_and_the_operator_is_informed_once(
    site: SiteWithCollector, fleet: Fleet
) -> None:
    limit(site, 10, 25)
    assert await send(site, 0, 30, fleet.at(0)) == (10, {"REGISTRATION_LIMIT"})
    assert await send(site, 0, 30, fleet.at(1)) == (20, {"REGISTRATION_LIMIT"}), "the next call goes on"
    assert await send(site, 0, 30, fleet.at(2)) == (25, {"REGISTRATION_LIMIT"}), "until the day is full"
    for n in range(3, 6):
        assert await send(site, 0, 30, fleet.at(n)) == (25, {"REGISTRATION_LIMIT"})
    assert await send(site, 100, 101, fleet.at(0)) == (0, {"REGISTRATION_LIMIT"})
    events = await registration_events(site)
    assert {event["details"]["limit"]: event["details"]["refused"] for event in events} == {
        "per_call": 20,
        "per_day": 5,
    }
    assert {(event["severity"], event["source"]) for event in events} == {("warning", "cloud")}
    assert audited(site) == 2
    fleet.set_clock(fleet.now + timedelta(hours=24, seconds=1))
    assert await send(site, 30, 32, fleet.at(0)) == (2, set()), "a day later there is room"


async def test_each_collector_has_its_own_registration_limit(site: SiteWithCollector) -> None:
    limit(site, 10, 10)
    other = await site.add_collector("south", "tx-1")
    assert await send(site, 0, 20, site.at(0)) == (10, {"REGISTRATION_LIMIT"})
    assert await send(site, 10, 20, site.at(0), **other) == (10, set())


async def test_parallel_calls_of_one_token_share_its_limit(site: SiteWithCollector) -> None:
    limit(site, 10, 15)
    sent = await asyncio.gather(*(send(site, 10 * n, 10 * n + 10, site.at(0)) for n in range(6)))
    assert sum(accepted for accepted, _ in sent) == 15
    assert site.rows("select count(*) from miners") == [(15,)]


async def test_a_collector_cannot_suppress_the_registration_limit_event(site: SiteWithCollector) -> None:
    limit(site, 1, 1)
    forged = {"kind": "registration_limit", "details": {"limit": "per_day"}, "severity": "info"}
    await site.api.post("/api/edge/v1/events", json={"events": [forged]}, headers=site.collector)
    assert await send(site, 0, 3, site.at(0)) == (1, {"REGISTRATION_LIMIT"})
    assert await send(site, 0, 3, site.at(1)) == (1, {"REGISTRATION_LIMIT"})
    assert [event["details"]["limit"] for event in await registration_events(site) if event["source"] == "cloud"] == [
        "per_day",
        "per_call",
    ]
