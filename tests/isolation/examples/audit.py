"""The record: searched, exported, sealed, verified."""

from tests.isolation.requests import Ask, example, plain
from tests.isolation.world import ADMIN, World

plain(f"GET {ADMIN}/audit", limit="1000")
plain(f"GET {ADMIN}/audit/export", f"GET {ADMIN}/audit/seals")


@example(f"GET {ADMIN}/audit")
@example(f"GET {ADMIN}/audit/export")
async def of_one_thing(world: World, mark: str) -> Ask:
    return Ask(query={"entity_type": "zone", "entity_id": str(await world.zone(mark))})


@example(f"POST {ADMIN}/audit/verify")
async def verify(world: World, mark: str) -> Ask:
    del world, mark
    return Ask(body={})
