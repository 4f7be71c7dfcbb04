"""Collectors, their secrets, configurations and events, for people."""

from tests.isolation.requests import FRESH, Ask, example, plain
from tests.isolation.world import ADMIN, EDGE, World, bearer

_ONE = f"{ADMIN}/collectors/{{collector_id}}"
_CONFIG = f"{ADMIN}/collector-configs/{{config_id}}"
_EVENT = f"{ADMIN}/collector-events/{{event_id}}"
_LISTS = [
    f"GET {ADMIN}/{kind}"
    for kind in ("collectors", "collectors/summary", "collector-configs/rollout", "collector-events")
]

plain(*_LISTS, f"GET {ADMIN}/collector-configs", limit="1000")


async def at_the_site(world: World, mark: str) -> Ask:
    await world.event(mark)
    return Ask(query={"site_id": world.site, "limit": "1000"})


for _operation in _LISTS:
    example(_operation)(at_the_site)


@example(f"GET {ADMIN}/collector-events")
async def events_of_one(world: World, mark: str) -> Ask:
    collector_id, token = await world.collector(mark)
    await world.make(f"{EDGE}/events", {"events": [{"kind": "spoken", "title": f"{mark}-title"}]}, bearer(token))
    return Ask(query={"collector_id": collector_id})


@example(f"POST {ADMIN}/collectors")
async def create_collector(world: World, mark: str) -> Ask:
    await world.zone(mark)
    return Ask(body={"site_id": world.site, "zone_id": f"{mark}-zonecode", "name": FRESH})


@example(f"GET {_ONE}")
@example(f"POST {_ONE}/disable")
@example(f"POST {_ONE}/revoke-tokens")
@example(f"DELETE {_ONE}/payload-key")
async def of_a_collector(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": (await world.collector(mark))[0]})


@example(f"PATCH {_ONE}")
async def change_collector(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": (await world.collector(mark))[0]}, body={"notes": FRESH})


@example(f"POST {_ONE}/approve")
async def approve(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": (await world.collector(mark, "nothing"))[0]})


@example(f"POST {_ONE}/enable")
async def enable(world: World, mark: str) -> Ask:
    collector_id, _ = await world.collector(mark)
    await world.make(f"{ADMIN}/collectors/{collector_id}/disable", None)
    return Ask(path={"collector_id": collector_id})


@example(f"GET {_ONE}/heartbeats")
async def heartbeats(world: World, mark: str) -> Ask:
    collector_id, token = await world.collector(mark)
    await world.make(f"{EDGE}/heartbeat", {"version": f"{mark}-version"}, bearer(token))
    return Ask(path={"collector_id": collector_id})


@example(f"POST {_ONE}/payload-key")
@example(f"POST {_ONE}/rotate-token")
async def rotate(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": (await world.collector(mark))[0]}, body={"overlap_sec": 60})


@example(f"POST {_ONE}/signing-keys")
async def add_signing_key(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": (await world.collector(mark))[0]}, body={"key_id": FRESH})


async def _with_key(world: World, mark: str) -> str:
    collector_id, _ = await world.collector(mark)
    await world.make(f"{ADMIN}/collectors/{collector_id}/signing-keys", {"key_id": f"{mark}-key"})
    return collector_id


@example(f"GET {_ONE}/signing-keys")
async def list_signing_keys(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": await _with_key(world, mark)})


@example(f"DELETE {_ONE}/signing-keys/{{key_id}}")
async def revoke_signing_key(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": await _with_key(world, mark), "key_id": f"{mark}-key"})


@example(f"PUT {_ONE}/signing")
async def turn_signing(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": await _with_key(world, mark)}, body={"on": True})


@example(f"POST {_ONE}/enrolment-code")
async def enrolment_code(world: World, mark: str) -> Ask:
    return Ask(path={"collector_id": (await world.collector(mark, "enrolment_code"))[0]}, body={"life_hours": 1})


@example(f"POST {ADMIN}/collector-configs")
async def draft_config(world: World, mark: str) -> Ask:
    return Ask(body={"version": FRESH, "data": {}, "collector_ids": [(await world.collector(mark))[0]]})


@example(f"GET {_CONFIG}")
@example(f"POST {_CONFIG}/activate")
async def of_a_config(world: World, mark: str) -> Ask:
    return Ask(path={"config_id": await world.config(mark)})


@example(f"POST {_CONFIG}/deprecate")
async def deprecate(world: World, mark: str) -> Ask:
    config_id = await world.config(mark)
    await world.make(f"{ADMIN}/collector-configs/{config_id}/activate", None)
    return Ask(path={"config_id": config_id})


@example(f"POST {_EVENT}/acknowledge")
@example(f"POST {_EVENT}/resolve")
async def of_an_event(world: World, mark: str) -> Ask:
    return Ask(path={"event_id": await world.event(mark)})
