"""Two tenants, their sites, people and collectors, behind an application with one database connection."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx
from fastapi import FastAPI
from psycopg import Connection

from hashinsight.identity.scope import Reach
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id
from tests.isolation.catalogue import Relation
from tests.isolation.requests import MARK
from tests.people import People

ADMIN = "/api/admin/v1"
EDGE = "/api/edge/v1"
LEGACY = "/api/collector"
AUTH = "/api/v1/auth"


@dataclass(frozen=True)
class Person:
    headers: Mapping[str, str]
    ids: tuple[str, ...]  # of rows that are the person's own
    email: str = ""


@dataclass
class World:
    api: httpx.AsyncClient
    app: FastAPI
    database: Database
    people: People
    superuser: Connection
    owner: Person
    stranger: Person
    a: UUID
    b: UUID
    site: str = f"{MARK}-first"
    site_id: int = 0
    second_id: int = 0
    zone_id: int = 0  # at the first site, of somebody who holds nothing else
    group_id: int = 0  # the same, with one machine
    miner_no: int = 0
    token: str = ""  # of a collector of the first site
    tables: list[Relation] = field(default_factory=list)  # that hold tenant data

    async def person(self, tenant: str, reach: Reach | None = None) -> Person:
        user_id, email = await self.people.user("Owner", tenant, reach=reach)
        signed_in = await self.people.sign_in(email)
        return Person(bearer(signed_in.access_token), (str(user_id), str(signed_in.session_id)), email)

    async def make(self, path: str, body: Any, headers: Mapping[str, str] | None = None) -> Any:
        """What the owner of tenant A makes through the routes themselves."""
        answer = await self.api.post(path, json=body, headers=dict(headers or self.owner.headers))
        assert answer.is_success, f"{path}: {answer.text}"
        return answer.json() if answer.content else None

    async def zone(self, mark: str) -> int:
        body = {"site_id": self.site, "code": f"{mark}-zonecode", "name": f"{mark}-zonename"}
        return int((await self.make(f"{ADMIN}/zones", body))["id"])

    async def miner(self, mark: str) -> str:
        await self.zone(mark)
        body = {
            "site_id": self.site,
            "miner_id": f"{mark}-miner",
            "serial": f"{mark}-serial",
            "owner": f"{mark}-customer",
            "zone": f"{mark}-zonecode",
        }
        return str((await self.make(f"{ADMIN}/miners", body))["miner_id"])

    async def group(self, mark: str, **chosen: Any) -> int:
        miner = await self.miner(mark)
        body = {"name": f"{mark}-group"} | (chosen or {"miner_ids": [miner], "site_id": self.site})
        return int((await self.make(f"{ADMIN}/groups", body))["id"])

    async def collector(self, mark: str, credential: str = "token") -> tuple[str, str]:
        body = {
            "site_id": self.site,
            "name": f"{mark}-collector",
            "credential": credential,
            "notes": f"{mark}-note",
        }
        made = await self.make(f"{ADMIN}/collectors", body)
        return made["collector"]["id"], made.get("token") or made.get("enrolment_code") or ""

    async def config(self, mark: str) -> str:
        collector_id, _ = await self.collector(mark)
        return await self.config_for(mark, collector_id)

    async def config_for(self, mark: str, collector_id: str) -> str:
        body = {"version": f"{mark}-version", "data": {"note": f"{mark}-data"}, "collector_ids": [collector_id]}
        return str((await self.make(f"{ADMIN}/collector-configs", body))["id"])

    async def event(self, mark: str) -> str:
        collector_id, token = await self.collector(mark)
        reported = {"kind": "high_temperature", "title": f"{mark}-title", "message": f"{mark}-message"}
        await self.make(f"{EDGE}/events", {"events": [reported]}, bearer(token))
        listed = await self.api.get(
            f"{ADMIN}/collector-events", params={"collector_id": collector_id}, headers=dict(self.owner.headers)
        )
        return next(str(event["id"]) for event in listed.json()["events"] if event["kind"] == "high_temperature")

    async def user(self, mark: str) -> str:
        body = {
            "email": f"{mark}-user@example.com",
            "name": f"{mark}-username",
            "password": "a long enough phrase",
            "role": "Technician",
            "site_ids": [self.site_id],
        }
        return str((await self.make(f"{ADMIN}/users", body))["id"])


def is_for_collectors(operation: str) -> bool:
    return operation.split(" ", 1)[1].startswith((f"{EDGE}/", f"{LEGACY}/"))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def new_mark() -> str:
    return f"{MARK}{new_id().hex[-12:]}"


def spread_numbers(superuser: Connection) -> None:
    """Every sequence begins far from all others, so that a number in an answer tells what it is the number of."""
    names = superuser.execute("select oid::regclass::text from pg_class where relkind = 'S' order by 1").fetchall()
    for place, (name,) in enumerate(names, start=1):
        superuser.execute(f"alter sequence {name} restart with {place * 10_000_000 + 1}".encode())
