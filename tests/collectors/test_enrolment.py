"""A collector enrols itself with a one-time code."""

import asyncio

import httpx

from tests.collectors.collector_site import EDGE, CollectorSite, bearer


async def register(scene: CollectorSite, code: str, **more: str) -> httpx.Response:
    return await scene.api.post(f"{EDGE}/register", json={"enrolment_code": code} | more)


async def test_with_its_code_a_collector_gets_its_token_and_waits_until_it_is_approved(scene: CollectorSite) -> None:
    collector_id, code = await scene.collector(credential="enrolment_code")
    assert code.startswith("hi_enrol_")
    assert (await scene.shown(collector_id))["status"] == "pending"
    answer = await register(scene, code, version="2.4.1", device_id="box-1")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["success"], body["status"], body["collector_id"]) == (True, "pending", collector_id)
    token = body["token"]
    waiting = await scene.beat(token)
    assert (waiting.status_code, waiting.json()["error_code"]) == (403, "COLLECTOR_NOT_ACTIVE")
    state = (await scene.api.post(f"{EDGE}/register", headers=bearer(token), json={})).json()
    assert state["status"] == "pending"
    assert "token" not in state
    assert (await scene.post(f"collectors/{collector_id}/approve")).json()["status"] == "active"
    assert (await scene.beat(token)).status_code == 200
    shown = await scene.shown(collector_id)
    assert (shown["version"], shown["connection_count"]) == ("2.4.1", 1)
    assert [event["kind"] for event in await scene.events(collector_id)] == ["registered"]
    assert len(await scene.audited("collector_registered")) == 1


async def test_a_code_works_once(scene: CollectorSite) -> None:
    _, code = await scene.collector(credential="enrolment_code")
    assert (await register(scene, code)).status_code == 200
    again = await register(scene, code)
    assert (again.status_code, again.json()["error_code"]) == (401, "ENROLMENT_CODE_USED")
    (entry,) = await scene.audited("collector_refused")
    assert entry.tenant_id == await scene.people.tenant_id("a"), "its owner can read of it"


async def test_of_many_that_use_a_code_at_once_one_wins(scene: CollectorSite) -> None:
    _, code = await scene.collector(credential="enrolment_code")
    answers = await asyncio.gather(*(register(scene, code) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401, 401, 401]


async def test_a_code_expires(scene: CollectorSite) -> None:
    collector_id, _ = await scene.collector(credential="nothing")
    code = (await scene.post(f"collectors/{collector_id}/enrolment-code", {"life_hours": 1})).json()["enrolment_code"]
    scene.at(3600)
    late = await register(scene, code)
    assert (late.status_code, late.json()["error_code"]) == (401, "ENROLMENT_CODE_EXPIRED")
    scene.at(3599)
    assert (await register(scene, code)).status_code == 200


async def test_a_new_code_or_a_revocation_ends_the_one_before(scene: CollectorSite) -> None:
    collector_id, first = await scene.collector(credential="enrolment_code")
    second = (await scene.post(f"collectors/{collector_id}/enrolment-code", {})).json()["enrolment_code"]
    refused = await register(scene, first)
    assert (refused.status_code, refused.json()["error_code"]) == (401, "ENROLMENT_CODE_REVOKED")
    await scene.post(f"collectors/{collector_id}/revoke-tokens")
    assert (await register(scene, second)).status_code == 401


async def test_an_unknown_code_is_401_and_audited(scene: CollectorSite) -> None:
    answer = await register(scene, "hi_enrol_guess")
    assert (answer.status_code, answer.json()["error_code"]) == (401, "ENROLMENT_CODE_UNKNOWN")
    (entry,) = await scene.audited("collector_refused")
    assert entry.after == {"error_code": "ENROLMENT_CODE_UNKNOWN"}


async def test_a_disabled_or_active_collector_does_not_enrol(scene: CollectorSite) -> None:
    collector_id, code = await scene.collector(credential="enrolment_code")
    await scene.post(f"collectors/{collector_id}/disable")
    assert (await register(scene, code)).json()["error_code"] == "COLLECTOR_NOT_ACTIVE"
    active, _ = await scene.collector("south")
    answer = await scene.post(f"collectors/{active}/enrolment-code", {})
    assert answer.status_code == 409


async def test_approving_twice_is_a_conflict(scene: CollectorSite) -> None:
    collector_id, _ = await scene.collector(credential="enrolment_code")
    answers = await asyncio.gather(*(scene.post(f"collectors/{collector_id}/approve") for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert len(await scene.audited("collector_approved")) == 1
