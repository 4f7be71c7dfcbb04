"""The whole application with two tenants, sites, machines and collectors, and people who use the typed client."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

import httpx
import psycopg
from fastapi import FastAPI
from psycopg.rows import dict_row

from hashinsight.client import ApiError, CommandRequest, EdgeClient, HashInsight
from hashinsight.kit.clock import system_clock
from tests.people import People

ADMIN = "/api/admin/v1"
# what a request writes into, all of it
TABLES = (
    "commands",
    "commands_done",
    "command_batches",
    "command_history",
    "command_attempts",
    "command_dedupe",
    "command_keys",
    "approvals",
)


class TwoTenants:
    """Site tx-1 has the zones z1 and z2 and machines m1 … m60 (the odd ones in z1); site tx-2 has n1 … n5."""

    def __init__(self, api: httpx.AsyncClient, people: People, superuser_url: str) -> None:
        self.api = api
        self.people = people
        self._url = superuser_url
        self.start = system_clock() + timedelta(seconds=1)
        people.clock = lambda: self.start
        self.at(0)

    def at(self, seconds: float) -> None:
        """Set the application's clock, counted from the start. People's tokens are good for the first 15 minutes."""
        self.now = self.start + timedelta(seconds=seconds)
        now = self.now
        cast("FastAPI", self.api.app).state.clock = lambda: now  # type: ignore[attr-defined] # hung there by a fixture

    async def open(self) -> None:
        for tenant, sites in (("a", {"tx-1": ("m", 60), "tx-2": ("n", 5)}), ("b", {"other": ("x", 5)})):
            tenant_id = await self.people.tenant_id(tenant)
            for code, (letter, machines) in sites.items():
                self._site(tenant_id, code, letter, machines)
        self.owner = await self.person("Owner")
        self.noc = await self.person("NOC")
        self.manager = await self.person("OpsManager")

    def _site(self, tenant_id: object, code: str, letter: str, machines: int) -> None:
        site_id = self.row(
            "insert into sites (tenant_id, code, name, created_at) values (%s, %s, %s, %s) returning id",
            *(tenant_id, code, code, self.start),
        )["id"]
        self.write(
            "insert into zones (tenant_id, site_id, code, name)"
            " select %s, %s, 'z' || n, 'x' from generate_series(1, 2) n",
            *(tenant_id, site_id),
        )
        self.add_machines(code, letter, 1, machines)

    def add_machines(self, site: str, letter: str, first: int, last: int) -> None:
        self.write(
            "insert into miners (tenant_id, site_id, zone_id, miner_id, model, expected_ths, expected_source,"
            " created_at, updated_at)"
            " select s.tenant_id, s.id, z.id, %s || n, 'Antminer S19', 95, 'operator', %s, %s from sites s"
            " cross join generate_series(%s::int, %s::int) n"
            " join zones z on z.site_id = s.id and z.code = 'z' || 2 - n %% 2 where s.code = %s",
            *(letter, self.start, self.start, first, last, site),
        )

    def site_id(self, code: str = "tx-1") -> int:
        return int(self.row("select id from sites where code = %s", code)["id"])

    def zone_id(self, code: str, site: str = "tx-1") -> int:
        query = "select z.id from zones z join sites s on s.id = z.site_id where s.code = %s and z.code = %s"
        return int(self.row(query, site, code)["id"])

    async def headers(self, role: str = "Owner", tenant: str = "a", **scope: Any) -> dict[str, str]:
        return await self.people.headers(role, tenant, **scope)

    async def person(self, role: str, tenant: str = "a", **scope: Any) -> HashInsight:
        token = (await self.headers(role, tenant, **scope))["Authorization"].removeprefix("Bearer ")
        return HashInsight(self.api, token=token)

    async def edge(self, name: str = "north", site: str = "tx-1", device_id: str | None = None) -> EdgeClient:
        body = {"site_id": site, "name": name}
        answer = await self.api.post(f"{ADMIN}/collectors", json=body, headers=await self.headers())
        assert answer.status_code == 201, answer.text
        return EdgeClient(self.api, answer.json()["token"], device_id=device_id)

    async def post(self, path: str, body: Any, headers: Mapping[str, str]) -> httpx.Response:
        return await self.api.post(f"{ADMIN}{path}", json=body, headers=dict(headers))

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self._url, row_factory=dict_row) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def row(self, query: str, *values: Any) -> dict[str, Any]:
        (row,) = self.rows(query, *values)
        return row

    def write(self, statement: str, *values: Any) -> None:
        with psycopg.connect(self._url) as connection:
            connection.execute(statement.encode(), values)

    def write_named(self, statement: str, values: Mapping[str, Any]) -> None:
        with psycopg.connect(self._url) as connection:
            connection.execute(statement.encode(), values)

    def stored(self) -> dict[str, int]:
        """Rows of every table that a request writes into, and of the record's entries about commands."""
        counts = [f"select '{table}' as name, count(*)::int as n from {table}" for table in TABLES]
        counts.append("select 'audit', count(*)::int from audit_log where action like 'command%%'")
        return {row["name"]: row["n"] for row in self.rows(" union all ".join(counts))}


def fan_command(*miners: str, speed: int = 60, **more: Any) -> CommandRequest:
    """A medium one, which needs no approval for a few machines."""
    return _new("set_fan", miners, {"params": {"speed": speed}, **more})


def reboot_command(*miners: str, **more: Any) -> CommandRequest:
    """A high one, which waits for approval."""
    return _new("reboot_device", miners, more)


def _new(command_type: str, miners: tuple[str, ...], more: dict[str, Any]) -> CommandRequest:
    if miners:
        more["miner_ids"] = list(miners)
    return CommandRequest(command_type, **{"site_id": "tx-1", "reason": "a test", **more})


async def refused_with(call: Any) -> tuple[int, str]:
    """Status and code of a call that must be refused."""
    try:
        answer = await call
    except ApiError as error:
        return error.status, error.code
    raise AssertionError(f"was answered {answer}")
