"""`hashinsight collector create | list | show | …`: the registry and its heartbeats."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import say, shell_user
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
    """Create a collector and print its token, or the code by which it enrols itself. It is shown only here."""

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
    """List the collectors of the installation."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.queries.registry import list_of_installation

        site_id = None if site is None else (await get_site(session, site))[0].id
        rows = await list_of_installation(session, site_id=site_id)
        return {"collectors": [brief(row) | {"site_code": code} for row, code in rows]}

    answer = run(work)
    rows = answer["collectors"]
    width = max((len(row["site_code"]) for row in rows), default=0)
    lines = [f"{row['id']}  {row['status']:<8}  {row['site_code']:<{width}}  {row['name']}" for row in rows]
    say(answer, "\n".join(lines), as_json=json)


def show(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Show one collector, with the dates of its newest token."""

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
    """One line a collector: state, last heartbeat, load, machines, open alerts."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.answer_schemas import show_summary
        from hashinsight.collectors.queries.registry import list_summaries
        from hashinsight.commands.queries.collector_counts import count_by_collector

        scope, site_id = await get_place(session, tenant, site)
        page = await list_summaries(session, scope, site_id=site_id, limit=limit, cursor=cursor)
        commands = await count_by_collector(session, [row[0].id for row in page.rows], now=now)
        rows = [show_summary(commands[row[0].id], *row) for row in page.rows]
        return {"collectors": rows, "next_cursor": page.next_cursor}

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
    """Change what is given and nothing else."""
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
    """Let a pending collector in."""
    _move(collector, "approve", as_json=json)


def disable(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Refuse every call of this collector from the next one on."""
    _move(collector, "disable", as_json=json)


def enable(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Let a disabled collector in again."""
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
    """List its heartbeats, newest first."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from pydantic import TypeAdapter

        from hashinsight.collectors.answer_schemas import show_heartbeat
        from hashinsight.collectors.fields import Instant
        from hashinsight.collectors.queries.liveness import list_heartbeats

        found = await get_collector(session, collector)
        times = TypeAdapter(dict[str, Instant | None]).validate_python({"since": since, "until": until})
        page = await list_heartbeats(session, found.id, **times, limit=limit, cursor=cursor)
        return {"heartbeats": [show_heartbeat(row) for row in page.rows], "next_cursor": page.next_cursor}

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
    from hashinsight.collectors.answer_schemas import show_collector, show_token
    from hashinsight.collectors.queries import registry, tokens

    code = await registry.get_site_code(session, collector.site_id)
    token = show_token(await tokens.find_newest_token(session, collector.id))
    return show_collector(collector, code) | {"token": token}
