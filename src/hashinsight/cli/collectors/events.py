"""`hashinsight collector events …`: list, acknowledge, resolve."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import shell_user
from hashinsight.cli.collectors.acting import (
    AnySiteOption,
    CursorOption,
    JsonOption,
    LimitOption,
    TenantOption,
    as_id,
    get_collector,
    get_place,
    run,
    say_one,
    say_rows,
    whole,
)

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

events_app = typer.Typer(help="Events of collectors: list, ack, resolve.", no_args_is_help=True)

EventArgument = Annotated[str, typer.Argument(metavar="EVENT", help="The event's id.")]


@events_app.command("list")
def list_events(
    *,
    site: AnySiteOption = None,
    collector: Annotated[str | None, typer.Option("--collector", help="Only this one, by its id or name.")] = None,
    status: Annotated[str | None, typer.Option("--status", help="open, acknowledged or resolved.")] = None,
    severity: Annotated[str | None, typer.Option("--severity", help="info, warning, error or critical.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only this kind.")] = None,
    tenant: TenantOption = None,
    limit: LimitOption = 100,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List events of collectors, newest first."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.models import CollectorEvent
        from hashinsight.collectors.queries import events
        from hashinsight.collectors.schemas import show_event
        from hashinsight.collectors.states import EventStatus, Severity
        from hashinsight.kit.errors import ValidationFailed
        from hashinsight.kit.paging import page

        of = None if collector is None else await get_collector(session, collector)
        scope, site_id = (whole(of.tenant_id), None) if of else await get_place(session, tenant, site)
        for given, kinds in ((status, EventStatus), (severity, Severity)):
            if given is not None and given not in list(kinds):
                raise ValidationFailed(f"{given} is none of {', '.join(kinds)}")
        query = events.select_events(scope)
        wanted = {"site_id": site_id, "collector_id": of and of.id, "status": status, "severity": severity}
        for name, value in (wanted | {"kind": kind}).items():
            if value is not None:
                query = query.where(getattr(CollectorEvent, name) == value)
        key = [CollectorEvent.at, CollectorEvent.id]
        found = await page(session, query, key, limit=limit, cursor=cursor, descending=True)
        return {"events": [show_event(event) for event in found.rows], "next_cursor": found.next_cursor}

    say_rows(run(work), "events", ("id", "at", "severity", "status", "kind", "title"), as_json=json)


@events_app.command()
def ack(event: EventArgument, *, json: JsonOption = False) -> None:
    """Acknowledge an event."""
    _move(event, "acknowledge", as_json=json)


@events_app.command()
def resolve(event: EventArgument, *, json: JsonOption = False) -> None:
    """Resolve an event."""
    _move(event, "resolve", as_json=json)


def _move(named: str, verb: str, *, as_json: bool) -> None:
    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.models import CollectorEvent
        from hashinsight.collectors.schemas import show_event
        from hashinsight.collectors.service import events as service
        from hashinsight.kit.errors import NotFound

        event_id = as_id(named)
        event = None if event_id is None else await session.get(CollectorEvent, event_id)
        if event is None:
            raise NotFound(f"there is no event {named}")
        by = shell_user()
        await getattr(service, verb)(session, by, event, by.id or by.kind.value, now=now)
        await session.refresh(event)
        return show_event(event)

    say_one(run(work), as_json=as_json)
