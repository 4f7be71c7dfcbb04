"""A site with machines and collectors on a real database; each call of the service has its own transaction."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import AsyncCursor
from psycopg.rows import dict_row
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor, ActorKind
from hashinsight.commands import service
from hashinsight.commands.ack_messages import scrub_ack
from hashinsight.commands.requests import CommandRequest, DryRunResult, RequestResult
from hashinsight.commands.service import sweeps
from hashinsight.commands.service.acks import AckResult
from hashinsight.commands.service.approvals import DecisionResult, DecisionTarget
from hashinsight.commands.service.leases import LeasedCommand, LeaseHolder
from hashinsight.identity.caller import Caller, automation_caller
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import WHOLE_TENANT, Reach
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id
from hashinsight.kit.scrub import Scrubber
from hashinsight.wire.acks import Ack, AckStatus

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
VAULT = Vault(b"k" * 32)
SITE = 1


class CommandSite:
    def __init__(self, database: Database, superuser_url: str) -> None:
        self.database = database
        self._url = superuser_url
        self.now = NOON
        self.tenant = new_id()

    def open(self, machines: int = 60) -> None:
        """Site 1 with two zones, the odd machines in the first; two collectors of the site, one of the first zone."""
        self.write("insert into tenants (id, name, created_at) values (%s, 'a', %s)", self.tenant, self.now)
        self.write(
            "insert into sites (id, tenant_id, code, name, created_at) overriding system value"
            " select n, %s, 'site-' || n, 'x', %s from generate_series(1, 2) n",
            *(self.tenant, self.now),
        )
        self.write(
            "insert into zones (id, tenant_id, site_id, code, name) overriding system value"
            " select n, %s, 1, 'z' || n, 'x' from generate_series(1, 2) n",
            self.tenant,
        )
        self.add_machines(1, machines)
        self.north, self.south = self.collector("north"), self.collector("south")
        self.zoned = self.collector("zoned", zone_id=1)

    def add_machines(self, first: int, last: int, *, site_id: int = 1) -> None:
        self.write(
            "insert into miners (miner_no, tenant_id, site_id, zone_id, miner_id, model, created_at, updated_at)"
            " overriding system value select n, %s, %s, case when %s = 1 then 2 - n %% 2 end, 'm' || n, 'Antminer S19',"
            " %s, %s from generate_series(%s::int, %s::int) n",
            *(self.tenant, site_id, site_id, self.now, self.now, first, last),
        )

    def collector(
        self, name: str, *, zone_id: int | None = None, site_id: int = SITE, device: str | None = None
    ) -> LeaseHolder:
        collector_id = new_id()
        self.write(
            "insert into collectors (id, tenant_id, site_id, zone_id, name, status, permissions, last_seen_at,"
            " created_at, updated_at) values (%s, %s, %s, %s, %s, 'active', '{read,control}', %s, %s, %s)",
            *(collector_id, self.tenant, site_id, zone_id, name, self.now, self.now, self.now),
        )
        actor = Actor(ActorKind.COLLECTOR, str(collector_id))
        return LeaseHolder(self.tenant, site_id, zone_id, collector_id, device, actor)

    def person(self, name: str, reach: Reach = WHOLE_TENANT, *, role: Role = Role.OPS_MANAGER) -> Caller:
        return Caller(self.tenant, Actor(ActorKind.USER, name), ((role, reach),), (SITE,))

    @property
    def rule(self) -> Caller:
        return automation_caller(self.tenant, Actor(ActorKind.RULE, "rule-7"))

    def cap_at(self, share: float) -> None:
        """How much of the site may be down by commands at one time."""
        self.write(
            "insert into tenant_settings (tenant_id, version, data, updated_at)"
            " values (%s, 1, jsonb_build_object('thresholds', jsonb_build_object('max_share_of_site_down', %s)), %s)"
            " on conflict (tenant_id) do update set data = excluded.data",
            *(self.tenant, share, self.now),
        )

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    @asynccontextmanager
    async def session(self, sites: tuple[int, ...] | None = None) -> AsyncIterator[AsyncSession]:
        async with self.database.transaction(Context(tenant=str(self.tenant), sites=sites)) as session:
            yield session

    async def request(
        self, command_type: str, *miners: int, caller: Caller | None = None, **more: Any
    ) -> RequestResult:
        async with self.session() as session:
            return await service.request(
                session,
                VAULT,
                caller or self.person("ann"),
                command_request(command_type, *miners, **more),
                now=self.now,
            )

    async def dry_run(self, command_type: str, *miners: int, caller: Caller | None = None, **more: Any) -> DryRunResult:
        async with self.session() as session:
            return await service.dry_run(
                session,
                VAULT,
                caller or self.person("ann"),
                command_request(command_type, *miners, **more),
                now=self.now,
            )

    async def make_command(self, command_type: str, *miners: int, **more: Any) -> UUID:
        """One command that was made, by its id."""
        answer = await self.request(command_type, *miners, **more)
        (command,) = answer.commands
        return command.command_id

    async def lease(self, holder: LeaseHolder | None = None, **more: Any) -> list[LeasedCommand]:
        holder = holder or self.north
        async with self.session((holder.site_id,)) as session:
            return await service.lease(session, VAULT, holder, now=self.now, **more)

    async def lease_one(self, holder: LeaseHolder | None = None) -> LeasedCommand:
        (command,) = await self.lease(holder)
        return command

    async def ack(self, *acks: Ack, holder: LeaseHolder | None = None) -> list[AckResult]:
        """As the door hands them on: clean."""
        holder, scrubber = holder or self.north, Scrubber()
        async with self.session((holder.site_id,)) as session:
            return await service.ack(session, holder, [scrub_ack(ack, scrubber) for ack in acks], now=self.now)

    async def ack_one(
        self, dispatch_id: object, status: str = "succeeded", *, holder: LeaseHolder | None = None, **more: Any
    ) -> AckResult:
        (answer,) = await self.ack(Ack(str(dispatch_id), AckStatus(status), **more), holder=holder)
        return answer

    async def ack_all(self, holder: LeaseHolder | None = None) -> list[LeasedCommand]:
        """Everything that goes out now, done; what was handed out."""
        done: list[LeasedCommand] = []
        while leased := await self.lease(holder, limit=500):
            await self.ack(*[Ack(str(command.dispatch_id), AckStatus.SUCCEEDED) for command in leased], holder=holder)
            done += leased
        return done

    async def approve(self, which: DecisionTarget, caller: Caller) -> DecisionResult:
        async with self.session() as session:
            return await service.approve(session, caller, which, reason="fine", now=self.now)

    async def reject(self, which: DecisionTarget, caller: Caller) -> DecisionResult:
        async with self.session() as session:
            return await service.reject(session, caller, which, reason="no", now=self.now)

    async def cancel(self, which: DecisionTarget, caller: Caller | None = None) -> DecisionResult:
        async with self.session() as session:
            return await service.cancel(session, caller or self.person("ann"), which, reason="stop", now=self.now)

    async def story(self, command_id: UUID, caller: Caller | None = None) -> dict[str, Any]:
        async with self.session() as session:
            return await service.get_story(session, (caller or self.person("ann")).seen, command_id, now=self.now)

    async def state(self, command_id: UUID) -> str:
        return str((await self.story(command_id))["state"])

    async def sweep(self) -> sweeps.SweepCounts:
        async with self.database.transaction(job_context()) as session:
            return await sweeps.sweep(session, now=self.now)

    async def archive(self) -> int:
        async with self.database.transaction(job_context()) as session:
            return await sweeps.archive(session, now=self.now)

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self._url, row_factory=dict_row) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def write(self, statement: str, *values: Any) -> None:
        with psycopg.connect(self._url) as connection:
            connection.execute(statement.encode(), values or None)

    def count(self, table: str) -> int:
        return int(self.rows(f"select count(*) from {table}")[0]["count"])

    @contextmanager
    def statements(self, of: str | None = None) -> Iterator[list[str]]:
        """The statements that the program sends meanwhile; `of`: only on connections with this application's name."""
        sent: list[str] = []
        execute = AsyncCursor.execute

        async def noted(cursor: AsyncCursor, query: Any, *more: Any, **options: Any) -> AsyncCursor:
            if of in (None, cursor.connection.info.get_parameters().get("application_name")):
                sent.append(str(query))
            return await execute(cursor, query, *more, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(AsyncCursor, "execute", noted)
            yield sent


def command_request(command_type: str, *miners: int, **more: Any) -> CommandRequest:
    if miners:
        more["miner_ids"] = tuple(f"m{miner}" for miner in miners)
    return CommandRequest(command_type, **{"site": SITE, "reason": "a test", **more})
