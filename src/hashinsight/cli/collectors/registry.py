"""`hashinsight collector create | list | show | …`: the registry and its heartbeats."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.collectors.refs import CollectorArgument, run_for_collector, show_identity
from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    CursorOption,
    JsonOption,
    LimitOption,
    SiteOption,
    TenantOption,
    find_tenant_and_site,
    run,
    run_transaction,
)
from hashinsight.cli.output import Columns, print_fields, print_list, show_age

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.collectors.models import Collector

NameOption = Annotated[str, typer.Option("--name", help="Name of the collector; unique in its site.")]
SecondsOption = Annotated[int | None, typer.Option(min=1, max=86_400, help="In seconds.")]
TimeOption = Annotated[str | None, typer.Option(help="Time such as 2026-03-01T12:00:00Z; UTC if it has no zone.")]


def create(
    site: SiteOption,
    name: NameOption,
    *,
    zone: Annotated[str | None, typer.Option(help="Zone code or id; default: the whole site.")] = None,
    enrol: Annotated[bool, typer.Option("--enrol", help="Print a one-time code instead of the token.")] = False,
    json: JsonOption = False,
) -> None:
    """Create a collector and print its token or enrolment code, which is shown once."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.collectors.operators import get_zone_id
        from hashinsight.collectors.service.registry import Credential, NewCollector
        from hashinsight.collectors.service.registry import create as create_collector
        from hashinsight.inventory.queries.places import get_site

        session, scope = context.session, context.caller.seen
        at_site = await get_site(session, scope, site)
        new = NewCollector(name, await get_zone_id(session, scope, at_site.id, zone))
        credential = Credential.ENROLMENT_CODE if enrol else Credential.TOKEN
        collector, secret = await create_collector(session, context.actor, at_site, new, credential, now=context.now)
        shown = {} if secret is None else {secret.field: secret.value, "expires_at": secret.expires_at}
        return show_identity(collector) | shown

    print_fields(run(work, site=site), as_json=json)


def list_collectors(*, site: AnySiteOption = None, json: JsonOption = False) -> None:
    """List all collectors of the installation."""

    async def work(session: "AsyncSession", _settings: Any) -> dict[str, Any]:
        from hashinsight.collectors.queries.registry import list_of_installation

        site_id = None if site is None else (await find_tenant_and_site(session, None, site))[1]
        rows = await list_of_installation(session, site_id=site_id)
        return {"collectors": [show_identity(row) | {"site_code": code} for row, code in rows]}

    columns: Columns = {"id": "id", "site": "site_code", "name": "name", "status": "status", "last seen": _last_seen}
    print_list(run_transaction(work), "collectors", columns, as_json=json)


def show(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Show one collector and the dates of its newest token."""

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        return await _shown(context, target)

    print_fields(run_for_collector(work, collector), as_json=json)


def summary(
    *,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    limit: LimitOption = 100,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List collectors with state, last contact, machines and pending commands."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.collectors.queries.registry import list_summaries
        from hashinsight.collectors.schemas.collectors import show_summary
        from hashinsight.commands.queries.collector_counts import count_by_collector

        page = await list_summaries(
            context.session, context.caller.seen, site_id=context.site_id, limit=limit, cursor=cursor
        )
        commands = await count_by_collector(context.session, [row[0].id for row in page.rows], now=context.now)
        rows = [show_summary(commands[row[0].id], *row) for row in page.rows]
        return {"collectors": rows, "next_cursor": page.next_cursor}

    columns: Columns = {
        "site": "site_code",
        "collector": "name",
        "status": "status",
        "last seen": _last_seen,
        "machines online": "active_miners",
        "machines": "total_miners",
        "pending commands": "pending_commands",
    }
    print_list(run(work, tenant=tenant, site=site), "collectors", columns, as_json=json)


def change(
    collector: CollectorArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", help="New name; unique in its site.")] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="Zone code or id; empty for the whole site.")] = None,
    permission: Annotated[
        list[str] | None,
        typer.Option("--permission", help="read, control or config; repeat for more. Replaces all permissions."),
    ] = None,
    collection_interval_sec: SecondsOption = None,
    heartbeat_interval_sec: SecondsOption = None,
    settings: Annotated[str | None, typer.Option("--settings", help="JSON object; replaces all settings.")] = None,
    notes: Annotated[str | None, typer.Option("--notes", help="Empty to remove them.")] = None,
    registration_open_until: Annotated[
        str | None,
        typer.Option(help="Open registration until this time, such as 2026-03-01T12:00:00Z; empty closes it."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Change a collector. Options you leave out are not changed."""
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

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from pydantic import Json, TypeAdapter

        from hashinsight.collectors.operators import get_zone_id
        from hashinsight.collectors.schemas.requests import ChangeCollectorBody
        from hashinsight.collectors.service.registry import change as change_collector

        changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        changes |= {field: None for field in ("zone_id", "notes", "registration_open_until") if given[field] == ""}
        if settings is not None:
            changes["settings"] = TypeAdapter(Json[Any]).validate_python(settings)
        body = ChangeCollectorBody.model_validate(changes)
        fields = body.model_dump(exclude_unset=True)
        if "zone_id" in fields:
            scope = context.caller.seen
            fields["zone_id"] = await get_zone_id(context.session, scope, target.site_id, body.zone_id)
        if body.permissions is not None:
            fields["permissions"] = sorted({allowed.value for allowed in body.permissions})
        changed = await change_collector(context.session, context.actor, target.id, fields, now=context.now)
        return await _shown(context, changed)

    print_fields(run_for_collector(work, collector), as_json=json)


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

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from pydantic import TypeAdapter

        from hashinsight.collectors.fields import Instant
        from hashinsight.collectors.queries.liveness import list_heartbeats
        from hashinsight.collectors.schemas.collectors import show_heartbeat

        times = TypeAdapter(dict[str, Instant | None]).validate_python({"since": since, "until": until})
        page = await list_heartbeats(context.session, target.id, **times, limit=limit, cursor=cursor)
        return {"heartbeats": [show_heartbeat(row) for row in page.rows], "next_cursor": page.next_cursor}

    columns = {
        "time (UTC)": "at",
        "status": "status",
        "CPU %": "cpu_usage",
        "memory %": "memory_usage",
        "machines online": "miners_online",
        "machines": "miners_total",
        "version": "version",
    }
    print_list(run_for_collector(work, collector), "heartbeats", columns, as_json=json)


def _move(ref: str, verb: str, *, as_json: bool) -> None:
    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.service import registry as service

        move = {"approve": service.approve, "disable": service.disable, "enable": service.enable}[verb]
        await move(context.session, context.actor, target, now=context.now)
        await context.session.refresh(target)
        return show_identity(target)

    print_fields(run_for_collector(work, ref), as_json=as_json)


async def _shown(context: CliContext, collector: "Collector") -> dict[str, Any]:
    from hashinsight.collectors.queries import registry, tokens
    from hashinsight.collectors.schemas.collectors import show_collector, show_token

    code = await registry.get_site_code(context.session, collector.site_id)
    token = show_token(await tokens.find_newest_token(context.session, collector.id))
    return show_collector(collector, code) | {"token": token}


def _last_seen(row: Mapping[str, Any]) -> str:
    return show_age(row["last_seen_at"]) or "never"
