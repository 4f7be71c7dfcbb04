"""Commands and batches, for people."""

from typing import Any

from tests.isolation.requests import Ask, example, plain
from tests.isolation.world import ADMIN, World

_ONE = f"{ADMIN}/commands/{{command_id}}"
_BATCH = f"{ADMIN}/batches/{{batch_id}}"
_REASON = {"reason": "x"}

plain(f"GET {ADMIN}/commands/catalogue")


async def _made(world: World, mark: str, **more: Any) -> Any:
    """One command of a marked machine, beside one that was left out; asked for by somebody who is not the owner."""
    miner = await world.miner(mark)
    asker = await world.person("a")
    body = {
        "site_id": world.site,
        "miner_ids": [miner, f"{mark}-nobody"],
        "command_type": "set_fan",
        "params": {"speed": 50},
        "reason": f"{mark}-reason",
        "problem_id": f"{mark}-problem",
    }
    return await world.make(f"{ADMIN}/commands", body | more, asker.headers)


async def _command(world: World, mark: str, **more: Any) -> str:
    return str((await _made(world, mark, **more))["commands"][0]["command_id"])


@example(f"POST {ADMIN}/commands")
async def request_one(world: World, mark: str) -> Ask:
    named = {"site_id": world.site, "miner_ids": [await world.miner(mark)]}
    return Ask(body=named | {"command_type": "fault_light", "params": {"on": True}})


@example(f"POST {ADMIN}/commands")
async def request_without_a_site(world: World, mark: str) -> Ask:
    body = {"miner_ids": [await world.miner(mark)], "command_type": "fault_light", "params": {"on": True}}
    return Ask(body=body, more={"Idempotency-Key": mark})


@example(f"POST {ADMIN}/commands")
async def request_for_a_group(world: World, mark: str) -> Ask:
    return Ask(body={"group_id": await world.group(mark), "command_type": "fault_light", "params": {"on": True}})


@example(f"POST {ADMIN}/commands")
async def request_by_filter(world: World, mark: str) -> Ask:
    await world.miner(mark)
    body = {"filter": {"owner": f"{mark}-customer"}, "command_type": "fault_light", "params": {"on": True}}
    return Ask(body=body, by_words=True)


@example(f"POST {ADMIN}/commands")
async def dry_run(world: World, mark: str) -> Ask:
    named = {"site_id": world.site, "miner_ids": [await world.miner(mark)], "dry_run": True}
    return Ask(body=named | {"command_type": "reboot_device"})


@example(f"GET {ADMIN}/commands")
async def list_commands(world: World, mark: str) -> Ask:
    await _made(world, mark)
    return Ask(query={"limit": "1000"})


@example(f"GET {ADMIN}/commands")
async def commands_of_a_site(world: World, mark: str) -> Ask:
    await _made(world, mark)
    return Ask(query={"site_id": world.site, "state": "queued"})


@example(f"GET {ADMIN}/commands")
async def commands_of_a_machine(world: World, mark: str) -> Ask:
    await _made(world, mark)
    return Ask(query={"miner_id": f"{mark}-miner"})


@example(f"GET {ADMIN}/commands")
async def commands_of_a_batch(world: World, mark: str) -> Ask:
    return Ask(query={"batch_id": (await _made(world, mark))["batch_id"]})


@example(f"GET {_ONE}")
async def read_command(world: World, mark: str) -> Ask:
    return Ask(path={"command_id": await _command(world, mark)})


@example(f"POST {_ONE}/cancel")
async def cancel_command(world: World, mark: str) -> Ask:
    return Ask(path={"command_id": await _command(world, mark)}, body=_REASON)


@example(f"POST {_ONE}/approve")
@example(f"POST {_ONE}/reject")
async def decide(world: World, mark: str) -> Ask:
    return Ask(path={"command_id": await _command(world, mark, approval_required=True)}, body=_REASON)


@example(f"GET {ADMIN}/batches")
async def list_batches(world: World, mark: str) -> Ask:
    await _made(world, mark)
    return Ask(query={"limit": "1000"})


@example(f"GET {ADMIN}/batches")
async def batches_of_a_site(world: World, mark: str) -> Ask:
    await _made(world, mark)
    return Ask(query={"site_id": world.site})


@example(f"GET {_BATCH}")
@example(f"GET {_BATCH}/refused")
async def read_batch(world: World, mark: str) -> Ask:
    return Ask(path={"batch_id": (await _made(world, mark))["batch_id"]})


@example(f"POST {_BATCH}/cancel")
async def cancel_batch(world: World, mark: str) -> Ask:
    return Ask(path={"batch_id": (await _made(world, mark))["batch_id"]}, body=_REASON)


@example(f"POST {_BATCH}/approve")
@example(f"POST {_BATCH}/reject")
async def decide_batch(world: World, mark: str) -> Ask:
    return Ask(path={"batch_id": (await _made(world, mark, approval_required=True))["batch_id"]}, body=_REASON)
