"""Sites, zones, racks, nodes, groups, settings."""

from tests.isolation.requests import FRESH, Ask, example, plain
from tests.isolation.world import ADMIN, World

_GROUPS = f"{ADMIN}/groups/{{group_id}}"
_LISTS = [f"GET {ADMIN}/{kind}" for kind in ("zones", "racks", "nodes")]

plain(f"GET {ADMIN}/sites", f"GET {ADMIN}/groups", *_LISTS, limit="1000")
plain(f"GET {ADMIN}/settings")


async def at_the_site(world: World, mark: str) -> Ask:
    del mark
    return Ask(query={"site_id": world.site, "limit": "1000"})


for _operation in _LISTS:
    example(_operation)(at_the_site)


@example(f"POST {ADMIN}/sites")
async def create_site(world: World, mark: str) -> Ask:
    del world, mark
    return Ask(body={"code": FRESH, "name": FRESH})


@example(f"GET {ADMIN}/sites/{{site_id}}")
async def site_by_code(world: World, mark: str) -> Ask:
    del mark
    return Ask(path={"site_id": world.site})


@example(f"GET {ADMIN}/sites/{{site_id}}")
async def site_by_number(world: World, mark: str) -> Ask:
    del mark
    return Ask(path={"site_id": world.site_id})


@example(f"PATCH {ADMIN}/sites/{{site_id}}")
async def change_site(world: World, mark: str) -> Ask:
    del mark
    return Ask(path={"site_id": world.site_id}, body={"name": FRESH})


@example(f"POST {ADMIN}/zones")
async def create_zone(world: World, mark: str) -> Ask:
    del mark
    return Ask(body={"site_id": world.site, "code": FRESH})


@example(f"GET {ADMIN}/zones/{{zone_id}}")
async def get_zone(world: World, mark: str) -> Ask:
    return Ask(path={"zone_id": await world.zone(mark)})


@example(f"PATCH {ADMIN}/zones/{{zone_id}}")
async def change_zone(world: World, mark: str) -> Ask:
    return Ask(path={"zone_id": await world.zone(mark)}, body={"name": FRESH})


@example(f"POST {ADMIN}/racks")
async def create_rack(world: World, mark: str) -> Ask:
    await world.zone(mark)
    return Ask(body={"site_id": world.site, "zone": f"{mark}-zonecode", "code": FRESH[:20]})


@example(f"POST {ADMIN}/nodes")
async def create_node(world: World, mark: str) -> Ask:
    parent = await world.make(f"{ADMIN}/nodes", {"site_id": world.site, "kind": "breaker", "code": f"{mark}-n"})
    return Ask(body={"site_id": world.site, "kind": "pdu", "code": FRESH, "parent_id": parent["id"]})


@example(f"POST {ADMIN}/groups")
async def create_listed_group(world: World, mark: str) -> Ask:
    return Ask(body={"name": FRESH, "miner_ids": [await world.miner(mark)], "site_id": world.site})


@example(f"POST {ADMIN}/groups")
async def create_filter_group(world: World, mark: str) -> Ask:
    await world.miner(mark)
    chosen = {"site_id": world.site, "owner": f"{mark}-customer"}
    return Ask(body={"name": FRESH, "filter": chosen}, by_words=True)


@example(f"GET {_GROUPS}")
@example(f"DELETE {_GROUPS}")
async def of_a_group(world: World, mark: str) -> Ask:
    return Ask(path={"group_id": await world.group(mark)})


@example(f"PATCH {_GROUPS}")
async def change_group(world: World, mark: str) -> Ask:
    return Ask(path={"group_id": await world.group(mark)}, body={"name": FRESH, "remove": [f"{mark}-miner"]})


@example(f"POST {_GROUPS}/refresh")
async def refresh_group(world: World, mark: str) -> Ask:
    chosen = {"site_id": world.site, "owner": f"{mark}-customer"}
    return Ask(path={"group_id": await world.group(mark, filter=chosen)})


@example(f"PATCH {ADMIN}/settings")
async def change_settings(world: World, mark: str) -> Ask:
    read = await world.api.get(f"{ADMIN}/settings", headers=dict(world.owner.headers))
    return Ask(body={"version": read.json()["version"], "pools": {"workers": [f"{mark}-worker"]}})
