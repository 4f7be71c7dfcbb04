"""The three acceptance cases, over HTTP, as README shows them."""

import asyncio

from tests.commands.two_tenants import TwoTenants, fan_command


async def test_an_ack_that_comes_twice_counts_once(tenants: TwoTenants) -> None:
    (made,) = (await tenants.noc.commands.request(fan_command("m1")))["commands"]
    async with await tenants.edge() as edge:
        (handed,) = await edge.poll()
        first, second = await asyncio.gather(edge.ack(handed.command_id), edge.ack(handed.command_id))
        late = await edge.ack(handed.command_id, "failed", error_code="TIMEOUT")
    assert sorted([first["applied"], second["applied"]]) == [False, True]
    assert (late["applied"], late["error_code"], late["state"]) == (False, "ALREADY_FINAL", "succeeded")
    story = await tenants.noc.commands.get(made["command_id"])
    assert [move["event"] for move in story["history"]] == ["created", "leased", "succeeded"]
    assert [attempt["late_count"] for attempt in story["attempts"]] == [2]


async def test_two_collectors_that_poll_at_once_never_get_the_same_command(tenants: TwoTenants) -> None:
    for n in range(1, 41):  # by two people: one may command 20 machines in an hour
        await (tenants.noc if n % 2 else tenants.manager).commands.request(fan_command(f"m{n}"))
    north, south = await tenants.edge("north"), await tenants.edge("south")
    polled = await asyncio.gather(*(collector.poll(8) for _ in range(3) for collector in (north, south)))
    while polled[-1]:
        polled.append(await north.poll())
    handed = [command.command_id for commands in polled for command in commands]
    machines = [command.miner_id for commands in polled for command in commands]
    assert len(handed) == len(set(handed)) == len(set(machines)) == 40


async def test_jitter_around_a_threshold_makes_one_command(tenants: TwoTenants) -> None:
    """A reading that crosses its limit again and again asks under one key."""
    request = fan_command("m1", speed=100, dedupe_key="overheat m1", dedupe_window_sec=600)
    answers = await asyncio.gather(*(tenants.noc.commands.request(request) for _ in range(4)))
    tenants.at(300)
    answers.append(await tenants.noc.commands.request(request))
    assert len({answer["commands"][0]["command_id"] for answer in answers}) == 1
    assert sorted(answer["commands"][0]["existing"] for answer in answers) == [False, True, True, True, True]
    assert tenants.stored()["commands"] == 1
    tenants.at(601)
    after = await tenants.noc.commands.request(request)
    assert after["counts"] == {"created": 0, "existing": 0, "refused": 1}
    assert after["refused"][0]["error_code"] == "DUPLICATE"
