"""A collector enrols itself with a one-time code."""

import asyncio

import httpx

from tests.collectors.collector_site import EDGE, CollectorSite, bearer


async def register(collector_site: CollectorSite, code: str, **more: str) -> httpx.Response:
    return await collector_site.api.post(f"{EDGE}/register", json={"enrolment_code": code} | more)


async def test_with_its_code_a_collector_gets_its_token_and_waits_until_it_is_approved(
    collector_site: CollectorSite,
) -> None:
    collector_id, code = await collector_site.collector(credential="enrolment_code")
    assert code.startswith("hi_enrol_")
    assert (await collector_site.shown(collector_id))["status"] == "pending"
    answer = await register(collector_site, code, version="2.4.1", device_id="box-1")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["success"], body["status"], body["collector_id"]) == (True, "pending", collector_id)
    token = body["token"]
    waiting = await collector_site.beat(token)
    assert (waiting.status_code, waiting.json()["error_code"]) == (403, "COLLECTOR_NOT_ACTIVE")
    state = (await collector_site.api.post(f"{EDGE}/register", headers=bearer(token), json={})).json()
    assert state["status"] == "pending"
    assert "token" not in state
    assert (await collector_site.post(f"collectors/{collector_id}/approve")).json()["status"] == "active"
    assert (await collector_site.beat(token)).status_code == 200
    shown = await collector_site.shown(collector_id)
    assert (shown["version"], shown["connection_count"]) == ("2.4.1", 1)
    assert [event["kind"] for event in await collector_site.events(collector_id)] == ["registered"]
    assert len(await collector_site.audited("collector_registered")) == 1


async def test_a_code_works_once(collector_site: CollectorSite) -> None:
    _, code = await collector_site.collector(credential="enrolment_code")
    assert (await register(collector_site, code)).status_code == 200
    again = await register(collector_site, code)
    assert (again.status_code, again.json()["error_code"]) == (401, "ENROLMENT_CODE_USED")
    (entry,) = await collector_site.audited("collector_refused")
    assert entry.tenant_id == await collector_site.people.tenant_id("a"), "its owner can read of it"


async def test_of_many_that_use_a_code_at_once_one_wins(collector_site: CollectorSite) -> None:
    _, code = await collector_site.collector(credential="enrolment_code")
    answers = await asyncio.gather(*(register(collector_site, code) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401, 401, 401]


async def test_a_code_expires(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector(credential="nothing")
    code = (await collector_site.post(f"collectors/{collector_id}/enrolment-code", {"life_hours": 1})).json()[
        "enrolment_code"
    ]
    collector_site.at(3600)
    late = await register(collector_site, code)
    assert (late.status_code, late.json()["error_code"]) == (401, "ENROLMENT_CODE_EXPIRED")
    collector_site.at(3599)
    assert (await register(collector_site, code)).status_code == 200


async def test_a_new_code_or_a_revocation_ends_the_one_before(collector_site: CollectorSite) -> None:
    collector_id, first = await collector_site.collector(credential="enrolment_code")
    second = (await collector_site.post(f"collectors/{collector_id}/enrolment-code", {})).json()["enrolment_code"]
    refused = await register(collector_site, first)
    assert (refused.status_code, refused.json()["error_code"]) == (401, "ENROLMENT_CODE_REVOKED")
    await collector_site.post(f"collectors/{collector_id}/revoke-tokens")
    assert (await register(collector_site, second)).status_code == 401


async def test_an_unknown_code_is_401_and_audited(collector_site: CollectorSite) -> None:
    answer = await register(collector_site, "hi_enrol_guess")
    assert (answer.status_code, answer.json()["error_code"]) == (401, "ENROLMENT_CODE_UNKNOWN")
    (entry,) = await collector_site.audited("collector_refused")
    assert entry.after == {"error_code": "ENROLMENT_CODE_UNKNOWN"}


async def test_a_disabled_or_active_collector_does_not_enrol(collector_site: CollectorSite) -> None:
    collector_id, code = await collector_site.collector(credential="enrolment_code")
    await collector_site.post(f"collectors/{collector_id}/disable")
    assert (await register(collector_site, code)).json()["error_code"] == "COLLECTOR_NOT_ACTIVE"
    active, _ = await collector_site.collector("south")
    answer = await collector_site.post(f"collectors/{active}/enrolment-code", {})
    assert answer.status_code == 409


async def test_approving_twice_is_a_conflict(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector(credential="enrolment_code")
    answers = await asyncio.gather(*(collector_site.post(f"collectors/{collector_id}/approve") for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert len(await collector_site.audited("collector_approved")) == 1
