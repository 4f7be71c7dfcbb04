"""Makes the world: two tenants, the first with two sites and something of everything, and those who may not see it."""

from collections.abc import Callable
from dataclasses import replace

import httpx
from fastapi import FastAPI
from psycopg import Connection

from hashinsight.identity.scope import Reach
from hashinsight.kit.db.database import Database
from tests.isolation.catalogue import Relation
from tests.isolation.findings import tenant_tables
from tests.isolation.hidden_data import (
    Prober,
    hidden_from_group,
    hidden_from_second_site,
    hidden_from_strangers,
    hidden_from_zone,
)
from tests.isolation.requests import MARK
from tests.isolation.world import ADMIN, Person, World, bearer, new_mark, spread_numbers
from tests.people import People

_NOBODY = Person({}, ())


async def open_world(
    api: httpx.AsyncClient, app: FastAPI, database: Database, people: People, superuser: Connection
) -> World:
    spread_numbers(superuser)
    a, b = await people.tenant_id("a"), await people.tenant_id("b")
    world = World(api, app, database, people, superuser, _NOBODY, _NOBODY, a, b, tables=tenant_tables(superuser))
    world.owner, world.stranger = await world.person("a"), await world.person("b")
    world.site_id = await _site(world, world.site, world.owner)
    world.second_id = await _site(world, "second", world.owner)
    await _site(world, "third", world.stranger)
    mark = new_mark()
    world.zone_id = await world.zone(mark)
    await world.group(f"{mark}-more")
    _, world.token = await world.collector(mark)
    held = await world.make(f"{ADMIN}/miners", {"site_id": world.site, "miner_id": "held"})
    group = await world.make(f"{ADMIN}/groups", {"name": "held", "site_id": world.site, "miner_ids": ["held"]})
    world.miner_no, world.group_id = held["miner_no"], group["id"]
    await world.event(f"{mark}-more")
    for kind, body in (("racks", {}), ("nodes", {"kind": "pdu"})):
        await world.make(f"{ADMIN}/{kind}", {"site_id": world.site, "code": f"{mark}-{kind}"} | body)
    await _configs(world, mark)
    await world.user(mark)
    await world.make(f"{ADMIN}/api-keys", {"name": f"{mark}-key", "role": "Customer", "whole_tenant": True})
    settings = {"version": 0, "pools": {"workers": [f"{MARK}-worker"]}}
    answer = await api.patch(f"{ADMIN}/settings", json=settings, headers=dict(world.owner.headers))
    assert answer.is_success, answer.text
    return world


async def people_who_may_not(world: World) -> list[Prober]:
    key = await world.make(f"{ADMIN}/api-keys", {"name": "key", "role": "Owner"}, world.stranger.headers)
    strangers = hidden_from_strangers(world)
    probers = [
        Prober("another tenant", dict(world.stranger.headers), strangers, home="third"),
        Prober("another tenant's key", {"X-API-Key": key["key"]}, strangers, home="third"),
    ]
    for name, (reach, hidden, home) in narrower(world).items():
        person = await world.person("a", reach)
        probers.append(Prober(name, dict(person.headers), hidden, person.ids, is_stranger=False, home=home))
    return probers


async def newcomer(world: World, like: Prober) -> Prober:
    """Somebody of the same reach who may lose the session, the password and the second factor."""
    reach = None if like.is_stranger else narrower(world)[like.name][0]
    person = await world.person("b" if like.is_stranger else "a", reach)
    return replace(like, headers=dict(person.headers), ids=() if like.is_stranger else person.ids)


def narrower(world: World) -> dict[str, tuple[Reach, Callable[[Relation], str], str | None]]:
    """Scopes inside tenant A that do not hold the twin: reach, what is hidden from it, and a site of its own."""
    return {
        "a narrower scope": (Reach(sites=(world.second_id,)), hidden_from_second_site(world), "second"),
        "a zone": (Reach(zones=(world.zone_id,)), hidden_from_zone(world), None),
        "a group": (Reach(groups=(world.group_id,)), hidden_from_group(world), None),
    }


async def collectors_that_may_not(world: World) -> list[Prober]:
    second = await world.make(f"{ADMIN}/collectors", {"site_id": "second", "name": "second"})
    third = await world.make(f"{ADMIN}/collectors", {"site_id": "third", "name": "third"}, world.stranger.headers)
    ids, by_site = (second["collector"]["id"],), hidden_from_second_site(world)
    return [
        Prober("another tenant", bearer(third["token"]), hidden_from_strangers(world), home="third"),
        Prober("a narrower scope", bearer(second["token"]), by_site, ids, is_stranger=False, home="second"),
    ]


async def _site(world: World, code: str, owner: Person) -> int:
    made = await world.make(f"{ADMIN}/sites", {"code": code, "name": f"{code}-name"}, owner.headers)
    return int(made["id"])


async def _configs(world: World, mark: str) -> None:
    """One of the first site, and one that both sites share."""
    await world.config(f"{mark}-config")
    first, _ = await world.collector(f"{mark}-shared")
    second = await world.make(f"{ADMIN}/collectors", {"site_id": world.second_id, "name": "shared"})
    listed = {"collector_ids": [first, second["collector"]["id"]]}
    await world.make(f"{ADMIN}/collector-configs", {"version": "shared", "data": {}} | listed)
