"""Collector and server killed at random with commands in flight: nothing is done twice, nothing is lost."""

import asyncio
import os
import random
import signal
from typing import Any

import pytest

from tests.edge.full_stack import EACH, FullStack
from tests.edge.server_process import ServerProcess

SEEDS = [int(seed) for seed in os.environ.get("HI_EDGE_SEEDS", "1").split(",")]
LIVES = 3
AGAIN_SEC = 60.0  # much less than a lease: a killed collector's leases are freed by the first poll of the next run


@pytest.mark.parametrize("seed", SEEDS)
async def test_no_action_runs_twice_and_every_command_and_sample_is_accounted_for(
    stack: FullStack, server: ServerProcess, seed: int
) -> None:
    chance = random.Random(seed)
    await server.start()
    stack.start_collector()
    await stack.all_read()
    ids: list[str] = []
    left = list(range(2 * EACH))
    chance.shuffle(left)
    kills = 0
    for life in range(LIVES):
        for _ in range(2):
            ids += await _ask_some(stack, chance, [left.pop() for _ in range(4)])
            await asyncio.sleep(chance.uniform(0.0, 1.2))
        if chance.random() < 0.5:
            server.stop(signal.SIGKILL)
        await asyncio.sleep(chance.uniform(0.0, 1.5))
        stack.kill()
        kills += 1
        if life % 2:
            await asyncio.sleep(chance.uniform(0.0, 2.0))
        if not await server.answers():
            await server.start()
        stack.start_collector()

    ended = await stack.ended(ids)
    assert len(ended) == len(ids) == LIVES * 8
    assert stack.end_collector() == 0
    stack.check_orders(ended)
    stack.check_samples()
    _check_answers(stack, ended, kills)
    assert stack.checked()["open"] == 0


async def _ask_some(stack: FullStack, chance: random.Random, machines: list[int]) -> list[str]:
    """Machines without a command so far; mostly actions that must not run twice."""
    ids: list[str] = []
    for no in machines:
        kinds = ["reboot_device", "disable_hashing", "fault_light", *(["set_power_mode"] if no >= EACH else [])]
        kind = chance.choice(kinds)
        params = {"set_power_mode": {"mode": "eco"}, "fault_light": {"on": True}}.get(kind, {})
        ids += await stack.ask(kind, no, params=params)
    return ids


def _check_answers(stack: FullStack, ended: dict[str, dict[str, Any]], kills: int) -> None:
    """What did not succeed is unknown, because a kill interrupted it; an ack is repeated at most once per kill."""
    unknown = [row for row in ended.values() if row["state"] == "failed"]
    assert {row["error_code"] for row in unknown} <= {"OUTCOME_UNKNOWN"}
    moved = stack.rows(
        "select command_id, count(*) from command_history where event in ('succeeded', 'failed') group by command_id"
    )
    assert {row["count"] for row in moved} == {1}, "each ends once"
    waiting = stack.status()["journal"]["acks_waiting"]
    assert waiting == 0
    again = stack.rows("select entity_id, count(*) from audit_log where action = 'command_ack_ignored' group by 1")
    assert all(row["count"] <= kills for row in again)
