"""`hashinsight collector create | list | show | …`: the registry and its heartbeats."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import shell_user
from hashinsight.cli.collectors.acting import (
    AnySiteOption,
    CollectorArgument,
    CursorOption,
    JsonOption,
    LimitOption,
    SiteOption,
    TenantOption,
    brief,
    get_collector,
    get_place,
    get_site,
    run,
    say_one,
    say_rows,
    whole,
)
from hashinsight.cli.output import print_list

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.collectors.models import Collector

NameOption = Annotated[str, typer.Option("--name", help="The collector's name, unique in its site.")]
SecondsOption = Annotated[int | None, typer.Option(min=1, max=86_400)]
TimeOption = Annotated[str | None, typer.Option(help="A time, as 2026-03-01T12:00:00Z; without a zone it is UTC.")]


def create(
    site: SiteOption,
    name: NameOption,
    *,
    zone: Annotated[str | None, typer.Option(help="The zone's code or integer id.")] = None,
    enrol: Annotated[bool, typer.Option("--enrol", help="Print a one-time code instead of the token.")] = False,
    json: JsonOption = False,
) -> None:
    """Create a collector and print its token or enrolment code, which is shown once."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.operators import get_zone_id
        from hashinsight.collectors.service.registry import Credential, NewCollector
        from hashinsight.collectors.service.registry import create as create_collector

        found, scope = await get_site(session, site)
        new = NewCollector(name, await get_zone_id(session, scope, found.id, zone))
        credential = Credential.ENROLMENT_CODE if enrol else Credential.TOKEN
        collector, secret = await create_collector(session, shell_user(), found, new, credential, now=now)
        shown = {} if secret is None else {secret.field: secret.value, "expires_at": secret.expires_at}
        return brief(collector) | shown

    say_one(run(work), as_json=json)


def list_collectors(*, site: AnySiteOption = None, json: JsonOption = False) -> None:
    """List all collectors of the installation."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from sqlalchemy import select

        from hashinsight.collectors.models import Collector
        from hashinsight.inventory.queries.tables import Site

        query = select(Collector, Site.code).join(Site, Site.id == Collector.site_id)
        query = query.order_by(Site.code, Collector.name)
        if site is not None:
            query = query.where(Collector.site_id == (await get_site(session, site))[0].id)
        found = (await session.execute(query)).all()
        return {"collectors": [brief(row) | {"site_code": code} for row, code in found]}

    answer = run(work)
    columns = {"id": "id", "site": "site_code", "name": "name", "status": "status", "last seen (UTC)": "last_seen_at"}
    print_list(answer, "collectors", columns, as_json=json)


def show(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Show one collector and the dates of its newest token."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        return await _shown(session, await get_collector(session, collector))

    say_one(run(work), as_json=json)


def summary(
    *,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    limit: LimitOption = 100,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List collectors with state, last heartbeat, machines and pending commands."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.models import Collector
        from hashinsight.collectors.queries import registry
        from hashinsight.collectors.schemas import show_summary
        from hashinsight.commands.queries.collector_counts import count_by_collector
        from hashinsight.kit.paging import page

        scope, site_id = await get_place(session, tenant, site)
        query = registry.select_summary(scope)
        query = query if site_id is None else query.where(Collector.site_id == site_id)
        found = await page(session, query, [Collector.id], limit=limit, cursor=cursor)
        commands = await count_by_collector(session, [row[0].id for row in found.rows], now=now)
        rows = [show_summary(commands[row[0].id], *row) for row in found.rows]
        return {"collectors": rows, "next_cursor": found.next_cursor}

    fields = ("site_code", "name", "status", "last_seen_at", "active_miners", "total_miners", "pending_commands")
    say_rows(run(work), "collectors", fields, as_json=json)


def change(
    collector: CollectorArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", help="Unique in its site.")] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="By code or integer id; empty for the whole site.")] = None,
    permission: Annotated[
        list[str] | None, typer.Option("--permission", help="read, control, config; repeat it. Others are taken away.")
    ] = None,
    collection_interval_sec: SecondsOption = None,
    heartbeat_interval_sec: SecondsOption = None,
    settings: Annotated[str | None, typer.Option("--settings", help="All its settings, as a JSON object.")] = None,
    notes: Annotated[str | None, typer.Option("--notes", help="Empty to take them away.")] = None,
    registration_open_until: Annotated[
        str | None,
        typer.Option(
            help="It may register the machines of a whole site until then, as 2026-03-01T12:00:00Z; empty: no more."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Change a collector; options that are not given stay as they are."""
    given = {
        "name": name,
        "zone_id": zone,
        "permissions": permission or None,
        "collection_interval_sec": collection_interval_sec,
        "heartbeat_interval_sec": heartbeat_interval_sec,
        "settings": settings,
        "notes": notes,
        "registration_open_until": registration_open_until,
    }

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from pydantic import Json, TypeAdapter

        from hashinsight.collectors.operators import get_zone_id
        from hashinsight.collectors.schemas import ChangeCollectorBody
        from hashinsight.collectors.service.registry import change as change_collector

        found = await get_collector(session, collector)
        wanted: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        wanted |= {field: None for field in ("zone_id", "notes", "registration_open_until") if given[field] == ""}
        if settings is not None:
            wanted["settings"] = TypeAdapter(Json[Any]).validate_python(settings)
        body = ChangeCollectorBody.model_validate(wanted)
        fields = body.model_dump(exclude_unset=True)
        if "zone_id" in fields:
            fields["zone_id"] = await get_zone_id(session, whole(found.tenant_id), found.site_id, body.zone_id)
        if body.permissions is not None:
            fields["permissions"] = sorted({one.value for one in body.permissions})
        return await _shown(session, await change_collector(session, shell_user(), found.id, fields, now=now))

    say_one(run(work), as_json=json)


def approve(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Approve a pending collector."""
    _move(collector, "approve", as_json=json)


def disable(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Disable a collector; it is rejected from its next request on."""
    _move(collector, "disable", as_json=json)


def enable(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Enable a disabled collector."""
    _move(collector, "enable", as_json=json)


def heartbeats(
    collector: CollectorArgument,
    *,
    since: TimeOption = None,
    until: TimeOption = None,
    limit: LimitOption = 20,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List the heartbeats of a collector, newest first."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from pydantic import TypeAdapter

        from hashinsight.collectors.fields import Instant
        from hashinsight.collectors.models import Heartbeat
        from hashinsight.collectors.queries.liveness import select_heartbeats
        from hashinsight.collectors.schemas import show_heartbeat
        from hashinsight.kit.paging import page

        found = await get_collector(session, collector)
        times = TypeAdapter(dict[str, Instant | None]).validate_python({"since": since, "until": until})
        query = select_heartbeats(found.id, times["since"], times["until"])
        key = [Heartbeat.at, Heartbeat.id]
        beats = await page(session, query, key, limit=limit, cursor=cursor, descending=True)
        return {"heartbeats": [show_heartbeat(row) for row in beats.rows], "next_cursor": beats.next_cursor}

    fields = ("at", "status", "cpu_usage", "memory_usage", "miners_online", "miners_total", "version")
    say_rows(run(work), "heartbeats", fields, as_json=json)


def _move(named: str, verb: str, *, as_json: bool) -> None:
    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.service import registry as service

        found = await get_collector(session, named)
        await getattr(service, verb)(session, shell_user(), found, now=now)
        await session.refresh(found)
        return brief(found)

    say_one(run(work), as_json=as_json)


async def _shown(session: "AsyncSession", collector: "Collector") -> dict[str, Any]:
    from hashinsight.collectors.queries import registry, tokens
    from hashinsight.collectors.schemas import show_collector, show_token

    code = await registry.get_site_code(session, collector.site_id)
    token = show_token(await tokens.find_newest_token(session, collector.id))
    return show_collector(collector, code) | {"token": token}
