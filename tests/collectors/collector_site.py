"""A tenant with a site, its people and its collectors, and a clock that is set by hand."""

from datetime import timedelta
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy import insert, text

from hashinsight.inventory.queries.tables import Group, Site, Zone
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks.scheduler import plan
from hashinsight.kit.ticks.worker import TickRunner
from hashinsight.worker import ticks
from tests.people import People

ADMIN = "/api/admin/v1"
EDGE = "/api/edge/v1"


class CollectorSite:
    def __init__(self, api: httpx.AsyncClient, app: FastAPI, people: People, database: Database) -> None:
        self.api = api
        self.app = app
        self.people = people
        self.database = database
        self.start = system_clock() + timedelta(seconds=1)
        people.clock = lambda: self.now  # who signs in, does so at the time that it is here
        self.owner: dict[str, str] = {}
        self.site_id = 0
        self.at(0)

    def at(self, seconds: float) -> None:
        """Set the application's clock, counted from the start. People's tokens are good for the first minutes."""
        now = self.start + timedelta(seconds=seconds)
        self.now = now
        self.app.state.clock = lambda: now

    async def open(self) -> None:
        self.site_id = await self.site("tx-1")
        self.owner = await self.people.headers("Owner")

    async def site(self, code: str, tenant: str = "a") -> int:
        tenant_id = await self.people.tenant_id(tenant)
        values = {"tenant_id": tenant_id, "code": code, "name": code, "created_at": self.start}
        async with self.database.transaction(job_context()) as session:
            return (await session.execute(insert(Site).values(**values).returning(Site.id))).scalar_one()

    async def zone(self, code: str, site_id: int | None = None) -> int:
        tenant_id = await self.people.tenant_id("a")
        values = {"tenant_id": tenant_id, "site_id": site_id or self.site_id, "code": code, "name": code}
        async with self.database.transaction(job_context()) as session:
            return (await session.execute(insert(Zone).values(**values).returning(Zone.id))).scalar_one()

    async def group(self, name: str) -> int:
        values = {
            "tenant_id": await self.people.tenant_id("a"),
            "name": name,
            "kind": "listed",
            "created_at": self.start,
        }
        async with self.database.transaction(job_context()) as session:
            return (await session.execute(insert(Group).values(**values).returning(Group.id))).scalar_one()

    async def collector(self, name: str = "north", **more: Any) -> tuple[str, str]:
        """A new collector: its id, and its token or code."""
        answer = await self.post("collectors", {"site_id": "tx-1", "name": name} | more)
        assert answer.status_code == 201, answer.text
        body = answer.json()
        return body["collector"]["id"], body.get("token") or body.get("enrolment_code") or ""

    async def get(self, path: str, headers: dict[str, str] | None = None, **params: Any) -> httpx.Response:
        return await self.api.get(f"{ADMIN}/{path}", headers=headers or self.owner, params=params)

    async def post(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        return await self.api.post(f"{ADMIN}/{path}", headers=headers or self.owner, json=body)

    async def beat(self, token: str, body: Any = None, **headers: str) -> httpx.Response:
        return await self.api.post(f"{EDGE}/heartbeat", headers=bearer(token) | headers, json=body or {})

    async def call(self, token: str, headers: dict[str, str] | None = None, **params: Any) -> httpx.Response:
        """A call that is no heartbeat."""
        return await self.api.get(f"{EDGE}/config", headers=bearer(token) | (headers or {}), params=params)

    async def shown(self, collector_id: str) -> dict[str, Any]:
        answer = await self.get(f"collectors/{collector_id}")
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    async def events(self, collector_id: str, kind: str | None = None) -> list[dict[str, Any]]:
        params: dict[str, Any] = {"collector_id": collector_id} | ({"kind": kind} if kind else {})
        answer = await self.get("collector-events", **params)
        assert answer.status_code == 200, answer.text
        listed: list[dict[str, Any]] = answer.json()["events"]
        return listed

    async def audited(self, action: str) -> list[Any]:
        async with self.database.transaction(job_context()) as session:
            query = text("select * from audit_log where action = :action order by at")
            return list((await session.execute(query, {"action": action})).all())

    async def run_ticks(self, *names: str) -> None:
        """As scheduler and worker would at this instant."""
        due = [tick for tick in ticks(self.app.state.settings, self.app.state.database) if tick.name in names]
        await plan(self.database, due, now=self.now)
        now = self.now
        await TickRunner(self.database, due, clock=lambda: now).run_due()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
