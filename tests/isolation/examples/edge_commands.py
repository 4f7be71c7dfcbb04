"""What collectors call for commands: of a marked machine, polled and acked by a marked collector."""

from tests.isolation.examples.commands import _made
from tests.isolation.requests import Ask, example
from tests.isolation.world import EDGE, LEGACY, World, bearer

_SAID = {"status": "succeeded", "after": {"fan": 50}}


async def _waiting(world: World, mark: str) -> dict[str, str]:
    """A command that waits for a poll; the headers of the collector that may have it."""
    await _made(world, mark)
    return bearer((await world.collector(mark))[1])


async def _leased(world: World, mark: str) -> tuple[str, dict[str, str]]:
    headers = await _waiting(world, mark)
    polled = await world.api.get(f"{EDGE}/commands/poll", headers=headers)
    (leased,) = [command for command in polled.json()["commands"] if command["miner_id"] == f"{mark}-miner"]
    return leased["command_id"], headers


@example(f"GET {EDGE}/commands/poll")
@example(f"GET {LEGACY}/commands/pending")
async def poll(world: World, mark: str) -> Ask:
    return Ask(headers=await _waiting(world, mark))


@example(f"GET {EDGE}/commands/poll")
async def poll_of_a_site(world: World, mark: str) -> Ask:
    headers = await _waiting(world, mark)
    return Ask(query={"site_id": world.site}, more={"X-Zone-Id": f"{mark}-zonecode"}, headers=headers)


@example(f"GET {LEGACY}/commands/pending/{{site_id}}")
async def pending_of_a_site(world: World, mark: str) -> Ask:
    return Ask(path={"site_id": world.site}, headers=await _waiting(world, mark))


@example(f"POST {EDGE}/commands/{{command_id}}/ack")
@example(f"POST {LEGACY}/commands/{{command_id}}/result")
async def ack(world: World, mark: str) -> Ask:
    command_id, headers = await _leased(world, mark)
    return Ask(path={"command_id": command_id}, body=_SAID, headers=headers)


@example(f"POST {LEGACY}/commands/ack")
async def ack_named(world: World, mark: str) -> Ask:
    command_id, headers = await _leased(world, mark)
    return Ask(body={"command_id": command_id, **_SAID}, headers=headers)


@example(f"POST {EDGE}/commands/ack/batch")
async def ack_batch(world: World, mark: str) -> Ask:
    """Each is judged on its own, so that the call is answered 200 whatever it names."""
    command_id, headers = await _leased(world, mark)
    results = [{"asset_id": f"{mark}-miner", "status": "failed"}, {"asset_id": "x", "status": "failed"}]
    acks = [{"command_id": command_id, **_SAID}, {"command_id": command_id, "results": results}]
    return Ask(body={"acks": acks}, headers=headers, by_words=True)
