"""Splitting a large request into small ones, over HTTP: by a session, by keys, at once, by canceling in between."""

import asyncio
from typing import Any

from hashinsight.client import HashInsight
from tests.commands.two_tenants import TwoTenants, fan_command, refused_with


def miners(first: int, last: int) -> list[str]:
    return [f"m{n}" for n in range(first, last + 1)]


def state(made: Any) -> str:
    (approval_state,) = {command["approval_state"] for command in made["commands"]}
    return str(approval_state)


async def key_of(tenants: TwoTenants, headers: dict[str, str], name: str) -> HashInsight:
    answer = await tenants.post("/api-keys", {"name": name, "role": "NOC"}, headers)
    assert answer.status_code == 201, answer.text
    return HashInsight(tenants.api, api_key=answer.json()["key"])


async def test_60_machines_in_three_requests_need_the_approval_that_one_request_needs(tenants: TwoTenants) -> None:
    assert (await tenants.noc.commands.dry_run(fan_command(*miners(1, 60))))["needs_approval"]
    assert state(await tenants.noc.commands.request(fan_command(*miners(1, 20)))) == "none"
    run = await tenants.noc.commands.dry_run(fan_command(*miners(21, 40)))
    assert {"code": "MANY_MACHINES_IN_WINDOW", "value": 40, "limit": 20, "window_min": 60} in run["approval_causes"]
    second = await tenants.noc.commands.request(fan_command(*miners(21, 40)))
    third = await tenants.noc.commands.request(fan_command(*miners(41, 60)))
    assert [state(second), state(third)] == ["required"] * 2
    assert second["approval_reasons"][0] == "40 machines by one requester in 60 min (limit 20)"
    async with await tenants.edge() as edge:
        assert sorted(command.miner_id for command in await edge.poll(60)) == sorted(miners(1, 20))
        assert await refused_with(tenants.noc.batches.approve(second["batch_id"], "mine")) == (403, "FORBIDDEN")
        await tenants.manager.batches.approve(second["batch_id"], "seen")
        assert len(await edge.poll(60)) == 20


async def test_single_machine_requests_of_a_technician_reach_the_same_limit(tenants: TwoTenants) -> None:
    technician = await tenants.person("Technician")
    states = [state(await technician.commands.request(fan_command(miner))) for miner in miners(1, 22)]
    assert states == ["none"] * 20 + ["required"] * 2


async def test_the_keys_of_one_person_and_their_session_are_one_requester(tenants: TwoTenants) -> None:
    headers = await tenants.headers("Owner")
    session = HashInsight(tenants.api, token=headers["Authorization"].removeprefix("Bearer "))
    first, second = [await key_of(tenants, headers, name) for name in ("one", "two")]
    assert state(await first.commands.request(fan_command(*miners(1, 10)))) == "none"
    assert state(await second.commands.request(fan_command(*miners(11, 20)))) == "none"
    assert state(await second.commands.request(fan_command("m21"))) == "required"
    assert state(await session.commands.request(fan_command("m22"))) == "required"
    assert state(await tenants.noc.commands.request(fan_command("m23"))) == "none"


async def test_keys_and_session_at_once_make_no_more_than_the_limit(tenants: TwoTenants) -> None:
    headers = await tenants.headers("Owner")
    callers = [HashInsight(tenants.api, token=headers["Authorization"].removeprefix("Bearer "))]
    callers += [await key_of(tenants, headers, name) for name in ("one", "two")]
    asks = [callers[n % 3].commands.request(fan_command(*miners(10 * n + 1, 10 * n + 10))) for n in range(6)]
    assert sorted(map(state, await asyncio.gather(*asks))) == ["none"] * 2 + ["required"] * 4
    async with await tenants.edge() as edge:
        assert len(await edge.poll(60)) == 20


async def test_canceling_and_requesting_again_does_not_reset_the_limit(tenants: TwoTenants) -> None:
    made = await tenants.noc.commands.request(fan_command(*miners(1, 20)))
    await tenants.noc.batches.cancel(made["batch_id"], "not these")
    assert state(await tenants.noc.commands.request(fan_command(*miners(21, 40)))) == "required"


async def test_the_limits_and_their_window_are_the_tenants_settings(tenants: TwoTenants) -> None:
    section = {"machines": 5, "power_kw": 1000, "window_min": 10, "wait_hours": 24}
    body = {"version": 0, "approval": section}
    assert (
        await tenants.api.patch("/api/admin/v1/settings", json=body, headers=await tenants.headers())
    ).status_code == 200
    assert state(await tenants.noc.commands.request(fan_command(*miners(1, 5), ttl_sec=60))) == "none"
    reasons = (await tenants.noc.commands.request(fan_command("m6")))["approval_reasons"]
    assert reasons == ["6 machines by one requester in 10 min (limit 5)"]
    async with await tenants.edge() as edge:
        for handed in await edge.poll():
            await edge.ack(handed.command_id)
    tenants.at(601)
    assert state(await tenants.noc.commands.request(fan_command("m7"))) == "none"
    body = {"version": 1, "approval": section | {"window_min": 4}}
    assert (
        await tenants.api.patch("/api/admin/v1/settings", json=body, headers=await tenants.headers())
    ).status_code == 422
