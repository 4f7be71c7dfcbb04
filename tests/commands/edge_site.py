"""A site with machines whose collectors poll and ack over HTTP; what they do is asked for as a rule would."""

import json
from typing import Any, cast
from uuid import UUID

import httpx
import psycopg
from fastapi import FastAPI
from psycopg.rows import dict_row

from hashinsight.audit.actions import Actor, ActorKind
from hashinsight.commands import service
from hashinsight.commands.requests import CommandRequest, PreApproval
from hashinsight.commands.service import sweeps
from hashinsight.identity.caller import automation_caller
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database
from tests.collectors.collector_site import CollectorSite, bearer
from tests.people import People

POLL = "/api/edge/v1/commands/poll"
BATCH = "/api/edge/v1/commands/ack/batch"
LEGACY = "/api/collector/commands"
FAN = {"speed": 60}
Headers = dict[str, str]


class EdgeSite:
    def __init__(self, collector_site: CollectorSite, superuser_url: str) -> None:
        self.collector_site = collector_site
        self.api = collector_site.api
        self._url = superuser_url
        self.north: Headers = {}
        self.south: Headers = {}
        self.collector_id = ""

    async def open(self, machines: int = 60) -> None:
        """Two collectors of the site, and machines m1 … of which the odd ones stand in the zone `hall`."""
        self.zone_id = await self.collector_site.zone("hall")
        self.tenant_id = await self.collector_site.people.tenant_id("a")
        self.write(
            "insert into miners (tenant_id, site_id, zone_id, miner_id, created_at, updated_at)"
            " select %s, %s, case n %% 2 when 1 then %s::int end, 'm' || n, %s, %s from generate_series(1, %s) n",
            *(
                self.tenant_id,
                self.collector_site.site_id,
                self.zone_id,
                self.collector_site.now,
                self.collector_site.now,
                machines,
            ),
        )
        self.collector_id, token = await self.collector_site.collector("north")
        self.north = bearer(token)
        self.south = await self.collector("south")

    async def collector(self, name: str, **more: Any) -> Headers:
        return bearer((await self.collector_site.collector(name, **more))[1])

    async def stranger(self) -> Headers:
        """A collector of another tenant."""
        await self.collector_site.site("elsewhere", "b")
        owner = await self.collector_site.people.headers("Owner", "b")
        made = await self.collector_site.post("collectors", {"site_id": "elsewhere", "name": "x"}, owner)
        return bearer(made.json()["token"])

    async def make_commands(self, command_type: str = "set_fan", *machines: int, **more: Any) -> list[UUID]:
        """Ask for it, for machine 1 where none is named; the commands' ids, in the order of the machines."""
        given = {"params": FAN} if command_type == "set_fan" else {}
        wanted = [f"m{number}" for number in machines or (1,)]
        request = CommandRequest(
            command_type,
            **{
                "site": self.collector_site.site_id,
                "reason": "a test",
                "miner_ids": tuple(wanted),
                "pre_approval": PreApproval("olga", "a test"),
                **given,
                **more,
            },
        )
        caller = automation_caller(self.tenant_id, Actor(ActorKind.RULE, "rule-7"))
        async with self.collector_site.database.transaction(Context(tenant=str(self.tenant_id))) as session:
            answer = await service.request(
                session, self.collector_site.app.state.vault, caller, request, now=self.collector_site.now
            )
        assert not answer.refused, answer.refused
        made = {command.miner_id: command.command_id for command in answer.commands}
        return [made[miner_id] for miner_id in wanted]

    async def poll(self, headers: Headers | None = None, path: str = POLL, **params: Any) -> httpx.Response:
        return await self.api.get(path, headers=headers or self.north, params=params)

    async def poll_commands(self, headers: Headers | None = None, **params: Any) -> list[dict[str, Any]]:
        answer = await self.poll(headers, **params)
        assert answer.status_code == 200, answer.text
        commands: list[dict[str, Any]] = answer.json()["commands"]
        return commands

    async def dispatch(self, *machines: int, **more: Any) -> str:
        """Order for one machine and poll: the id on the wire."""
        await self.make_commands("set_fan", *machines, **more)
        (command,) = await self.poll_commands()
        return str(command["command_id"])

    async def post(self, path: str, body: Any, headers: Headers | None = None) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.api.post(path, content=content, headers=headers or self.north)

    async def post_ack(
        self, command_id: str, body: Any = None, headers: Headers | None = None, **more: Any
    ) -> httpx.Response:
        ack = {"status": "succeeded", **more} if body is None else body
        return await self.post(f"/api/edge/v1/commands/{command_id}/ack", ack, headers)

    async def ack(self, command_id: str, status: str = "succeeded", **more: Any) -> tuple[bool, str, str | None]:
        """An ack that is answered 200: whether it was applied, the command's state, and the code."""
        answer = await self.post_ack(command_id, {"status": status, **more.pop("body", {})}, **more)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert body["success"] is True
        assert body["command_id"] == command_id
        return body["applied"], body["state"], body.get("error_code")

    async def sweep(self) -> None:
        async with self.collector_site.database.transaction(job_context()) as session:
            await sweeps.sweep(session, now=self.collector_site.now)

    async def archive(self) -> int:
        async with self.collector_site.database.transaction(job_context()) as session:
            return await sweeps.archive(session, now=self.collector_site.now)

    def command(self, command_id: UUID) -> dict[str, Any]:
        (row,) = self.rows("select * from all_commands where command_id = %s", command_id)
        return row

    def attempt(self, dispatch_id: str) -> dict[str, Any]:
        (row,) = self.rows("select * from command_attempts where dispatch_id = %s", dispatch_id)
        return row

    def events(self, command_id: UUID) -> list[str]:
        rows = self.rows("select event from command_history where command_id = %s order by n", command_id)
        return [row["event"] for row in rows]

    def everything(self) -> list[dict[str, Any]]:
        """All that commands keep, to see that nothing of it changed."""
        kept = ("commands", "commands_done", "command_attempts", "command_history")
        return [row for table in kept for row in self.rows(f"select * from {table} order by 1, 2")]

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self._url, row_factory=dict_row) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def write(self, statement: str, *values: Any) -> None:
        with psycopg.connect(self._url) as connection:
            connection.execute(statement.encode(), values)


async def make_edge_site(api: httpx.AsyncClient, people: People, database: Database, superuser_url: str) -> EdgeSite:
    collector_site = CollectorSite(api, cast("FastAPI", api.app), people, database)  # type: ignore[attr-defined] # hung there
    await collector_site.open()
    edge_site = EdgeSite(collector_site, superuser_url)
    await edge_site.open()
    return edge_site
