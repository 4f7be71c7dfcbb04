"""Machines, their maintenance, and the asset list."""

from tests.isolation.requests import FRESH, Ask, example, plain
from tests.isolation.world import ADMIN, World

_MINERS = f"{ADMIN}/miners/{{miner_id}}"

plain(f"GET {ADMIN}/miners", limit="1000")


@example(f"GET {ADMIN}/miners")
async def by_words(world: World, mark: str) -> Ask:
    """Filters that fit the machine, and do not name its site."""
    await world.miner(mark)
    return Ask(query={"owner": f"{mark}-customer", "zone": f"{mark}-zonecode", "state": "any"})


@example(f"GET {ADMIN}/miners")
async def by_group(world: World, mark: str) -> Ask:
    return Ask(query={"group_id": str(await world.group(mark))})


@example(f"POST {ADMIN}/miners")
async def create_miner(world: World, mark: str) -> Ask:
    await world.zone(mark)
    return Ask(body={"site_id": world.site, "miner_id": FRESH, "zone": f"{mark}-zonecode"})


@example(f"GET {_MINERS}")
async def get_miner(world: World, mark: str) -> Ask:
    return Ask(path={"miner_id": await world.miner(mark)})


@example(f"PATCH {_MINERS}")
async def change_miner(world: World, mark: str) -> Ask:
    return Ask(path={"miner_id": await world.miner(mark)}, body={"owner": FRESH})


@example(f"PATCH {_MINERS}")
async def move_miner(world: World, mark: str) -> Ask:
    return Ask(path={"miner_id": await world.miner(mark)}, body={"site_id": world.second_id, "zone": None})


@example(f"POST {_MINERS}/retire")
async def retire_miner(world: World, mark: str) -> Ask:
    return Ask(path={"miner_id": await world.miner(mark)}, query={"site_id": world.site}, body={"reason": "sold"})


@example(f"GET {_MINERS}/history")
async def history(world: World, mark: str) -> Ask:
    miner = await world.miner(mark)
    changed = await world.api.patch(
        f"{ADMIN}/miners/{miner}", json={"owner": f"{mark}-buyer"}, headers=dict(world.owner.headers)
    )
    assert changed.is_success, changed.text
    return Ask(path={"miner_id": miner})


@example(f"GET {ADMIN}/miners/maintenance")
async def list_maintenance(world: World, mark: str) -> Ask:
    body = {"site_id": world.site, "miner_ids": [await world.miner(mark)], "reason": f"{mark}-fans"}
    await world.make(f"{ADMIN}/miners/maintenance", body)
    return Ask(query={"site_id": world.site})


@example(f"POST {ADMIN}/miners/maintenance")
@example(f"POST {ADMIN}/miners/maintenance/end")
async def maintenance(world: World, mark: str) -> Ask:
    body = {"site_id": world.site, "miner_ids": [await world.miner(mark)], "reason": "fans"}
    await world.make(f"{ADMIN}/miners/maintenance", body)
    return Ask(body=body)


@example(f"POST {ADMIN}/miners/maintenance")
async def maintenance_by_filter(world: World, mark: str) -> Ask:
    await world.miner(mark)
    return Ask(body={"filter": {"owner": f"{mark}-customer"}, "reason": "fans"}, by_words=True)


@example(f"POST {ADMIN}/miners/import")
async def import_list(world: World, mark: str) -> Ask:
    miner = await world.miner(mark)
    return Ask(query={"site_id": world.site}, csv=f"miner_id,owner\n{miner},{FRESH}\n{FRESH},Aurora\n")


@example(f"GET {ADMIN}/miners/export")
async def export_list(world: World, mark: str) -> Ask:
    await world.miner(mark)
    return Ask(query={"site_id": world.site})
