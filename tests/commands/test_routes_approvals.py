"""Approve, reject, cancel over HTTP: by whom, once, and what they leave."""

import asyncio
from datetime import timedelta
from typing import Any, cast

import pyotp
from fastapi import FastAPI

from hashinsight.client import ApiError, CommandRequest, HashInsight
from hashinsight.commands.service import sweeps
from hashinsight.kit.db.context import job_context
from tests.commands.two_tenants import ADMIN, TwoTenants, fan_command, reboot_command, refused_with
from tests.people import PASSWORD

AUTH = "/api/v1/auth"


async def one_reboot(tenants: TwoTenants, person: HashInsight | None = None, miner: str = "m1") -> str:
    made = await (person or tenants.noc).commands.request(reboot_command(miner))
    (command,) = made["commands"]
    assert command["approval_state"] == "required"
    return command["command_id"]


async def test_nothing_is_leased_before_another_person_approves(tenants: TwoTenants) -> None:
    command_id = await one_reboot(tenants, tenants.owner)
    async with await tenants.edge() as edge:
        assert await edge.poll() == []
        assert (await tenants.owner.commands.get(command_id))["wait_reason"] == "NOT_APPROVED"
        assert await refused_with(tenants.owner.commands.approve(command_id, "mine")) == (403, "OWN_REQUEST")
        assert await refused_with(tenants.noc.commands.approve(command_id, "may I")) == (403, "FORBIDDEN")
        assert await edge.poll() == []
        approved = await tenants.manager.commands.approve(command_id, "the aisle is empty")
        assert (approved["approval_state"], approved["state"], approved["wait_reason"]) == ("approved", "queued", None)
        (handed,) = await edge.poll()
    assert (handed.miner_id, handed.command_type) == ("m1", "reboot_device")
    (decision,) = (await tenants.owner.commands.get(command_id))["approvals"]
    assert (decision["decision"], decision["reason"]) == ("approved", "the aisle is empty")


async def test_a_command_goes_with_its_machine_to_another_zone_and_stays_where_it_was_archived(
    tenants: TwoTenants,
) -> None:
    """The people of the zone that the machine has left may neither see nor approve it; those of the new zone may."""
    old, new = [await tenants.person("OpsManager", zones=[tenants.zone_id(code)]) for code in ("z1", "z2")]
    command_id = await one_reboot(tenants, tenants.owner)
    assert (await old.commands.get(command_id))["state"] == "queued"
    assert await refused_with(new.commands.get(command_id)) == (404, "NOT_FOUND")

    async def move_to(zone: str) -> None:
        answer = await tenants.api.patch(
            f"{ADMIN}/miners/m1", params={"site_id": "tx-1"}, json={"zone": zone}, headers=await tenants.headers()
        )
        assert answer.status_code == 200, answer.text

    await move_to("z2")
    for call in (
        old.commands.get,
        lambda of: old.commands.approve(of, "mine"),
        lambda of: old.commands.cancel(of, "x"),
    ):
        assert await refused_with(call(command_id)) == (404, "NOT_FOUND")
    for person, listed in ((old, []), (new, [(command_id, tenants.zone_id("z2"))])):
        commands = [dict(command) async for command in person.commands.list()]
        assert [(command["command_id"], command["zone_id"]) for command in commands] == listed
    await new.commands.approve(command_id, "it is ours now")
    async with await tenants.edge() as edge:
        (handed,) = await edge.poll()
        await edge.ack(handed.command_id, "succeeded")
    app = cast("FastAPI", tenants.api.app)  # type: ignore[attr-defined] # set by a fixture
    async with app.state.database.transaction(job_context()) as session:
        assert await sweeps.archive(session, now=tenants.now + timedelta(hours=1)) == 1
    await move_to("z1")
    assert (await new.commands.get(command_id))["state"] == "succeeded"
    assert await refused_with(old.commands.get(command_id)) == (404, "NOT_FOUND")


async def test_the_requester_cannot_approve_even_with_concurrent_calls(tenants: TwoTenants) -> None:
    command_id = await one_reboot(tenants, tenants.owner)
    requests = [tenants.owner.commands.approve(command_id, "mine") for _ in range(5)]
    answers = await asyncio.gather(*requests, return_exceptions=True)
    assert {answer.code for answer in answers if isinstance(answer, ApiError)} == {"OWN_REQUEST"}
    assert len(answers) == len([answer for answer in answers if isinstance(answer, ApiError)])
    assert tenants.stored()["approvals"] == 0


async def test_the_requester_cannot_approve_a_request_of_their_own_key(tenants: TwoTenants) -> None:
    headers = await tenants.headers("Owner")
    answer = await tenants.post("/api-keys", {"name": "robot", "role": "NOC"}, headers)
    assert answer.status_code == 201, answer.text
    command_id = await one_reboot(tenants, HashInsight(tenants.api, api_key=answer.json()["key"]))
    mine = HashInsight(tenants.api, token=headers["Authorization"].removeprefix("Bearer "))
    assert await refused_with(mine.commands.approve(command_id, "my robot's")) == (403, "OWN_REQUEST")
    assert (await tenants.manager.commands.approve(command_id, "fine"))["approval_state"] == "approved"


async def test_of_concurrent_decisions_one_applies(tenants: TwoTenants) -> None:
    command_id = await one_reboot(tenants)
    people = [tenants.manager, tenants.owner, await tenants.person("OpsManager"), await tenants.person("Owner")]
    requests = [person.commands.approve(command_id, "yes") for person in people[:2]]
    requests += [person.commands.reject(command_id, "no") for person in people[2:]]
    answers = await asyncio.gather(*requests, return_exceptions=True)
    codes = sorted(answer.code for answer in answers if isinstance(answer, ApiError))
    assert len(codes) == 3
    assert set(codes) <= {"ALREADY_DECIDED", "ALREADY_FINAL"}
    assert tenants.stored()["approvals"] == 1
    story = await tenants.owner.commands.get(command_id)
    assert [move["event"] for move in story["history"]] == ["created", story["approval_state"]]


async def test_a_rejected_command_is_never_handed_out(tenants: TwoTenants) -> None:
    command_id = await one_reboot(tenants)
    rejected = await tenants.manager.commands.reject(command_id, "not today")
    assert (rejected["state"], rejected["approval_state"], rejected["error_code"]) == (
        "canceled",
        "rejected",
        "REJECTED",
    )
    async with await tenants.edge() as edge:
        assert await edge.poll() == []
    assert await refused_with(tenants.manager.commands.approve(command_id, "after all")) == (409, "ALREADY_FINAL")
    assert await refused_with(tenants.manager.commands.cancel(command_id)) == (409, "ALREADY_FINAL")


async def test_a_decision_needs_its_reason(tenants: TwoTenants) -> None:
    command_id = await one_reboot(tenants)
    for reason in ("", "   "):
        assert await refused_with(tenants.manager.commands.approve(command_id, reason)) == (422, "VALIDATION_FAILED")


async def test_a_queued_command_is_canceled_at_once_and_a_leased_one_is_only_marked(tenants: TwoTenants) -> None:
    first = (await tenants.noc.commands.request(fan_command("m1")))["commands"][0]["command_id"]
    canceled = await tenants.noc.commands.cancel(first, "wrong row")
    assert (canceled["state"], canceled["error_code"]) == ("canceled", "CANCELED")
    second = (await tenants.noc.commands.request(fan_command("m2")))["commands"][0]["command_id"]
    async with await tenants.edge() as edge:
        (handed,) = await edge.poll()
        answer = await tenants.api.post(f"{ADMIN}/commands/{second}/cancel", headers=await _headers(tenants))
        assert answer.status_code == 200
        assert (answer.json()["state"], answer.json()["cancel_requested_at"] is not None) == ("dispatched", True)
        assert await refused_with(tenants.noc.commands.cancel(second)) == (409, "CANCEL_REQUESTED")
        assert (await edge.ack(handed.command_id))["applied"]
    assert (await tenants.noc.commands.get(second))["state"] == "succeeded"


async def _headers(tenants: TwoTenants) -> dict[str, str]:
    return dict(tenants.owner._session.headers)


async def test_a_whole_batch_is_approved_rejected_or_canceled_at_once(tenants: TwoTenants) -> None:
    miners = [f"m{n}" for n in range(1, 31)]
    made = await tenants.noc.commands.request(fan_command(*miners))
    batch_id = made["batch_id"]
    assert made["approval_reasons"] == ["30 machines in one request (limit 20)"]
    assert (await tenants.owner.batches.get(batch_id))["waiting_for_approval"] == 30
    assert await refused_with(tenants.noc.batches.approve(batch_id, "mine")) == (403, "FORBIDDEN")
    assert (await tenants.manager.batches.approve(batch_id, "fine"))["states"] == {"queued": 30}
    shown = await tenants.owner.batches.get(batch_id)
    assert (shown["approval_state"], shown["states"], shown["waiting_for_approval"]) == ("approved", {"queued": 30}, 0)
    async with await tenants.edge() as edge:
        assert len(await edge.poll(10)) == 10
    canceled = await tenants.noc.batches.cancel(batch_id, "stop")
    assert canceled == {"batch_id": batch_id, "commands": 30, "states": {"canceled": 20, "dispatched": 10}}
    second = await tenants.noc.commands.request(reboot_command("m41", "m42"))
    assert (await tenants.manager.batches.reject(second["batch_id"], "no"))["states"] == {"canceled": 2}
    assert await refused_with(tenants.manager.batches.approve(second["batch_id"], "yes")) == (409, "ALREADY_FINAL")


async def test_emergencies_need_the_approval_permission_and_wait_for_no_approval(tenants: TwoTenants) -> None:
    urgent = reboot_command("m1", emergency=True, priority="safety")
    assert await refused_with(tenants.noc.commands.request(urgent)) == (403, "EMERGENCY_NOT_ALLOWED")
    assert set(tenants.stored().values()) == {0}
    made = await tenants.manager.commands.request(urgent)
    assert made["commands"][0]["approval_state"] == "approved"


async def test_approvals_emergencies_and_pools_need_a_step_up(tenants: TwoTenants) -> None:
    command_id = await one_reboot(tenants)
    secret = await _enrol(tenants, tenants.manager)
    pool = CommandRequest("switch_pool", {"pool_id": "p1"}, site_id="tx-1", miner_ids=["m2"])
    urgent = fan_command("m3", emergency=True, priority="safety")

    def acts() -> list[Any]:
        commands = tenants.manager.commands
        return [commands.approve(command_id, "yes"), commands.request(pool), commands.request(urgent)]

    assert [await refused_with(act) for act in acts()] == [(403, "STEP_UP_REQUIRED")] * 3
    assert (await tenants.manager.commands.dry_run(pool))["machines"] == 1
    assert (await tenants.manager.commands.request(fan_command("m4")))["counts"]["created"] == 1
    tenants.at(60)  # a code is good for once
    await tenants.manager.step_up(pyotp.TOTP(secret).at(tenants.now))
    for act in acts():
        await act


async def _enrol(tenants: TwoTenants, person: HashInsight) -> str:
    begun = await person._session.call("POST", f"{AUTH}/totp/begin", body={"password": PASSWORD})
    secret = str(begun["secret"])
    await person._session.call("POST", f"{AUTH}/totp/confirm", body={"code": pyotp.TOTP(secret).at(tenants.now)})
    return secret


async def test_a_key_may_request_but_not_approve(tenants: TwoTenants) -> None:
    body = {"name": "robot", "role": "Owner"}
    answer = await tenants.api.post(f"{ADMIN}/api-keys", json=body, headers=await _headers(tenants))
    robot = HashInsight(tenants.api, api_key=answer.json()["key"])
    assert (await robot.commands.request(fan_command("m1")))["counts"]["created"] == 1
    command_id = await one_reboot(tenants, miner="m2")
    assert await refused_with(robot.commands.approve(command_id, "beep")) == (403, "PERSON_REQUIRED")


async def test_one_person_tenants_can_switch_the_rule_off(tenants: TwoTenants) -> None:
    headers = await _headers(tenants)
    command_id = await one_reboot(tenants, tenants.owner)
    section = {"machines": 20, "power_kw": 100, "wait_hours": 24, "by_requester": True}
    changed = await tenants.api.patch(f"{ADMIN}/settings", json={"version": 0, "approval": section}, headers=headers)
    assert changed.status_code == 200, changed.text
    assert (await tenants.owner.commands.approve(command_id, "there is nobody else"))["approval_state"] == "approved"
