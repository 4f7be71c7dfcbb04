"""Approve, reject, cancel over HTTP: by whom, once, and what they leave."""

import asyncio
from typing import Any

import pyotp

from hashinsight.client import ApiError, CommandRequest, HashInsight
from tests.commands.two_tenants import ADMIN, TwoTenants, fan_command, reboot_command, refused_with
from tests.people import PASSWORD

AUTH = "/api/v1/auth"


async def one_reboot(desk: TwoTenants, person: HashInsight | None = None, miner: str = "m1") -> str:
    made = await (person or desk.noc).commands.request(reboot_command(miner))
    (one,) = made["commands"]
    assert one["approval_state"] == "required"
    return one["command_id"]


async def test_nothing_goes_out_before_somebody_else_has_approved_it(desk: TwoTenants) -> None:
    command_id = await one_reboot(desk, desk.owner)
    async with await desk.edge() as edge:
        assert await edge.poll() == []
        assert (await desk.owner.commands.get(command_id))["wait_reason"] == "NOT_APPROVED"
        assert await refused_with(desk.owner.commands.approve(command_id, "mine")) == (403, "OWN_REQUEST")
        assert await refused_with(desk.noc.commands.approve(command_id, "may I")) == (403, "FORBIDDEN")
        assert await edge.poll() == []
        approved = await desk.manager.commands.approve(command_id, "the aisle is empty")
        assert (approved["approval_state"], approved["state"], approved["wait_reason"]) == ("approved", "queued", None)
        (handed,) = await edge.poll()
    assert (handed.miner_id, handed.command_type) == ("m1", "reboot_device")
    (decision,) = (await desk.owner.commands.get(command_id))["approvals"]
    assert (decision["decision"], decision["reason"]) == ("approved", "the aisle is empty")


async def test_who_asked_may_not_approve_however_many_calls_are_made_at_once(desk: TwoTenants) -> None:
    command_id = await one_reboot(desk, desk.owner)
    asked = [desk.owner.commands.approve(command_id, "mine") for _ in range(5)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert {one.code for one in answers if isinstance(one, ApiError)} == {"OWN_REQUEST"}
    assert len(answers) == len([one for one in answers if isinstance(one, ApiError)])
    assert desk.stored()["approvals"] == 0


async def test_who_asked_by_a_key_of_ones_own_may_not_approve_either(desk: TwoTenants) -> None:
    headers = await desk.headers("Owner")
    answer = await desk.post("/api-keys", {"name": "robot", "role": "NOC"}, headers)
    assert answer.status_code == 201, answer.text
    command_id = await one_reboot(desk, HashInsight(desk.api, api_key=answer.json()["key"]))
    mine = HashInsight(desk.api, token=headers["Authorization"].removeprefix("Bearer "))
    assert await refused_with(mine.commands.approve(command_id, "my robot's")) == (403, "OWN_REQUEST")
    assert (await desk.manager.commands.approve(command_id, "fine"))["approval_state"] == "approved"


async def test_of_many_who_decide_at_once_one_decides(desk: TwoTenants) -> None:
    command_id = await one_reboot(desk)
    people = [desk.manager, desk.owner, await desk.person("OpsManager"), await desk.person("Owner")]
    asked = [one.commands.approve(command_id, "yes") for one in people[:2]]
    asked += [one.commands.reject(command_id, "no") for one in people[2:]]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    codes = sorted(one.code for one in answers if isinstance(one, ApiError))
    assert len(codes) == 3
    assert set(codes) <= {"ALREADY_DECIDED", "ALREADY_FINAL"}
    assert desk.stored()["approvals"] == 1
    story = await desk.owner.commands.get(command_id)
    assert [one["event"] for one in story["history"]] == ["created", story["approval_state"]]


async def test_a_rejected_command_is_never_handed_out(desk: TwoTenants) -> None:
    command_id = await one_reboot(desk)
    rejected = await desk.manager.commands.reject(command_id, "not today")
    assert (rejected["state"], rejected["approval_state"], rejected["error_code"]) == (
        "canceled",
        "rejected",
        "REJECTED",
    )
    async with await desk.edge() as edge:
        assert await edge.poll() == []
    assert await refused_with(desk.manager.commands.approve(command_id, "after all")) == (409, "ALREADY_FINAL")
    assert await refused_with(desk.manager.commands.cancel(command_id)) == (409, "ALREADY_FINAL")


async def test_a_decision_needs_its_reason(desk: TwoTenants) -> None:
    command_id = await one_reboot(desk)
    for reason in ("", "   "):
        assert await refused_with(desk.manager.commands.approve(command_id, reason)) == (422, "VALIDATION_FAILED")


async def test_cancel_in_the_queue_is_at_once_and_later_it_is_a_wish(desk: TwoTenants) -> None:
    first = (await desk.noc.commands.request(fan_command("m1")))["commands"][0]["command_id"]
    canceled = await desk.noc.commands.cancel(first, "wrong row")
    assert (canceled["state"], canceled["error_code"]) == ("canceled", "CANCELED")
    second = (await desk.noc.commands.request(fan_command("m2")))["commands"][0]["command_id"]
    async with await desk.edge() as edge:
        (handed,) = await edge.poll()
        answer = await desk.api.post(f"{ADMIN}/commands/{second}/cancel", headers=await _headers(desk))
        assert answer.status_code == 200
        assert (answer.json()["state"], answer.json()["cancel_requested_at"] is not None) == ("dispatched", True)
        assert await refused_with(desk.noc.commands.cancel(second)) == (409, "CANCEL_REQUESTED")
        assert (await edge.ack(handed.command_id))["applied"]
    assert (await desk.noc.commands.get(second))["state"] == "succeeded"


async def _headers(desk: TwoTenants) -> dict[str, str]:
    return dict(desk.owner._session.headers)


async def test_a_whole_batch_is_approved_rejected_or_canceled_at_once(desk: TwoTenants) -> None:
    miners = [f"m{n}" for n in range(1, 31)]
    made = await desk.noc.commands.request(fan_command(*miners))
    batch_id = made["batch_id"]
    assert made["approval_reasons"] == ["30 machines, more than 20 in one batch"]
    assert (await desk.owner.batches.get(batch_id))["waiting_for_approval"] == 30
    assert await refused_with(desk.noc.batches.approve(batch_id, "mine")) == (403, "FORBIDDEN")
    assert (await desk.manager.batches.approve(batch_id, "fine"))["states"] == {"queued": 30}
    shown = await desk.owner.batches.get(batch_id)
    assert (shown["approval_state"], shown["states"], shown["waiting_for_approval"]) == ("approved", {"queued": 30}, 0)
    async with await desk.edge() as edge:
        assert len(await edge.poll(10)) == 10
    canceled = await desk.noc.batches.cancel(batch_id, "stop")
    assert canceled == {"batch_id": batch_id, "commands": 30, "states": {"canceled": 20, "dispatched": 10}}
    second = await desk.noc.commands.request(reboot_command("m41", "m42"))
    assert (await desk.manager.batches.reject(second["batch_id"], "no"))["states"] == {"canceled": 2}
    assert await refused_with(desk.manager.batches.approve(second["batch_id"], "yes")) == (409, "ALREADY_FINAL")


async def test_emergencies_are_for_those_who_may_approve_and_wait_for_nobody(desk: TwoTenants) -> None:
    urgent = reboot_command("m1", emergency=True, priority="safety")
    assert await refused_with(desk.noc.commands.request(urgent)) == (403, "EMERGENCY_NOT_ALLOWED")
    assert set(desk.stored().values()) == {0}
    made = await desk.manager.commands.request(urgent)
    assert made["commands"][0]["approval_state"] == "approved"


async def test_the_second_factor_is_asked_again_for_approvals_emergencies_and_pools(desk: TwoTenants) -> None:
    command_id = await one_reboot(desk)
    secret = await _enrol(desk, desk.manager)
    pool = CommandRequest("switch_pool", {"pool_id": "p1"}, site_id="tx-1", miner_ids=["m2"])
    urgent = fan_command("m3", emergency=True, priority="safety")

    def acts() -> list[Any]:
        commands = desk.manager.commands
        return [commands.approve(command_id, "yes"), commands.request(pool), commands.request(urgent)]

    assert [await refused_with(act) for act in acts()] == [(403, "STEP_UP_REQUIRED")] * 3
    assert (await desk.manager.commands.dry_run(pool))["machines"] == 1
    assert (await desk.manager.commands.request(fan_command("m4")))["counts"]["created"] == 1
    desk.at(60)  # a code is good for once
    await desk.manager.step_up(pyotp.TOTP(secret).at(desk.now))
    for act in acts():
        await act


async def _enrol(desk: TwoTenants, person: HashInsight) -> str:
    begun = await person._session.call("POST", f"{AUTH}/totp/begin", body={"password": PASSWORD})
    secret = str(begun["secret"])
    await person._session.call("POST", f"{AUTH}/totp/confirm", body={"code": pyotp.TOTP(secret).at(desk.now)})
    return secret


async def test_a_key_asks_for_commands_and_approves_none(desk: TwoTenants) -> None:
    body = {"name": "robot", "role": "Owner"}
    answer = await desk.api.post(f"{ADMIN}/api-keys", json=body, headers=await _headers(desk))
    robot = HashInsight(desk.api, api_key=answer.json()["key"])
    assert (await robot.commands.request(fan_command("m1")))["counts"]["created"] == 1
    command_id = await one_reboot(desk, miner="m2")
    assert await refused_with(robot.commands.approve(command_id, "beep")) == (403, "PERSON_REQUIRED")


async def test_one_person_tenants_can_switch_the_rule_off(desk: TwoTenants) -> None:
    headers = await _headers(desk)
    command_id = await one_reboot(desk, desk.owner)
    section = {"machines": 20, "power_kw": 100, "wait_hours": 24, "by_requester": True}
    changed = await desk.api.patch(f"{ADMIN}/settings", json={"version": 0, "approval": section}, headers=headers)
    assert changed.status_code == 200, changed.text
    assert (await desk.owner.commands.approve(command_id, "there is nobody else"))["approval_state"] == "approved"
