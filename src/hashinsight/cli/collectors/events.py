"""`hashinsight collector events …`: list, acknowledge, resolve."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.collectors.refs import get_collector
from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    CursorOption,
    JsonOption,
    LimitOption,
    TenantOption,
    find_tenant_and_site,
    need_server,
    run_for,
    run_in,
)
from hashinsight.cli.output import print_fields, print_list

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.cli.context import Place

events_app = typer.Typer(help="Events of collectors: list, ack, resolve.", no_args_is_help=True)

EventArgument = Annotated[str, typer.Argument(metavar="EVENT_ID")]
_COLUMNS = {
    "id": "id",
    "time (UTC)": "at",
    "site": "site_code",
    "collector": "collector",
    "severity": "severity",
    "status": "status",
    "kind": "kind",
    "title": "title",
}


@events_app.command("list")
def list_events(
    *,
    site: AnySiteOption = None,
    collector: Annotated[str | None, typer.Option("--collector", help="Only this collector, by id or name.")] = None,
    status: Annotated[str | None, typer.Option("--status", help="open, acknowledged or resolved.")] = None,
    severity: Annotated[str | None, typer.Option("--severity", help="info, warning, error or critical.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only this kind.")] = None,
    tenant: TenantOption = None,
    limit: LimitOption = 100,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List events of collectors, newest first."""

    async def find_place(session: "AsyncSession") -> "Place":
        if collector is None:
            return await find_tenant_and_site(session, tenant, site)
        return (await get_collector(session, collector)).tenant_id, None

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.cli.names import with_site_codes
        from hashinsight.collectors.queries import events
        from hashinsight.collectors.queries.registry import list_names
        from hashinsight.collectors.schemas.configs import show_event
        from hashinsight.collectors.states import EventStatus, Severity
        from hashinsight.kit.errors import ValidationFailed

        for option, value, kinds in (("status", status, EventStatus), ("severity", severity, Severity)):
            if value is not None and value not in list(kinds):
                raise ValidationFailed(f"{value}: {option} is one of {', '.join(kinds)}")
        session = context.session
        collector_id = None if collector is None else (await get_collector(session, collector)).id
        filters = {"site_id": context.site_id, "collector_id": collector_id, "status": status, "severity": severity}
        page = await events.list_events(
            session, context.caller.seen, filters | {"kind": kind}, limit=limit, cursor=cursor
        )
        rows = await with_site_codes(session, [show_event(event) for event in page.rows])
        names = await list_names(session, [row["collector_id"] for row in rows])
        rows = [{**row, "collector": names[row["collector_id"]]} for row in rows]
        return {"events": rows, "next_cursor": page.next_cursor}

    print_list(run_in(find_place, work), "events", _COLUMNS, as_json=json)


@events_app.command()
def ack(event: EventArgument, *, json: JsonOption = False) -> None:
    """Acknowledge an event."""
    _move(event, "acknowledge", as_json=json)


@events_app.command()
def resolve(event: EventArgument, *, json: JsonOption = False) -> None:
    """Resolve an event."""
    _move(event, "resolve", as_json=json)


def _move(event_id: str, verb: str, *, as_json: bool) -> None:
    need_server()
    from hashinsight.collectors.queries.events import find_tenant_of_event

    async def work(context: CliContext) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.collectors.queries.events import find_event
        from hashinsight.collectors.schemas.configs import show_event
        from hashinsight.collectors.service import events as service
        from hashinsight.kit.errors import NotFound

        event = await find_event(context.session, context.caller.seen, UUID(event_id))
        if event is None:
            raise NotFound(f"there is no event {event_id}")
        move = {"acknowledge": service.acknowledge, "resolve": service.resolve}[verb]
        await move(context.session, context.actor, event, now=context.now)
        await context.session.refresh(event)
        return show_event(event)

    print_fields(run_for(work, find_tenant_of_event, "event", event_id), as_json=as_json)
