"""`hashinsight command list | show | catalogue`."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from hashinsight.cli.commands.decisions import CommandArgument, run_for_command
from hashinsight.cli.commands.story import story_lines
from hashinsight.cli.context import (
    AnySiteOption,
    Context,
    CursorOption,
    JsonOption,
    LimitOption,
    SinceOption,
    TenantOption,
    need_server,
    run,
)
from hashinsight.cli.names import list_story_names, with_site_codes
from hashinsight.cli.output import Columns, print_lines, print_list, print_result, print_rows, show_params, to_json


def show_command(row: Mapping[str, Any]) -> str:
    return f"{row['command_type']} {show_params(row['params'])}".strip()


_COLUMNS: Columns = {
    "id": "command_id",
    "created (UTC)": "created_at",
    "site": "site_code",
    "miner": "miner_id",
    "command": show_command,
    "priority": "priority",
    "state": "state",
    "reason": lambda row: row["wait_reason"] or row["error_code"] or row["error_message"],
}


def list_commands(
    *,
    site: AnySiteOption = None,
    miner: Annotated[str | None, typer.Option("--miner", help="Only this machine.")] = None,
    batch: Annotated[str | None, typer.Option("--batch", help="Only this batch.")] = None,
    state: Annotated[list[str] | None, typer.Option("--state", help="queued, dispatched, …; repeat for more.")] = None,
    command_type: Annotated[str | None, typer.Option("--type", help="Only this command type.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only commands waiting for approval.")] = False,
    since: SinceOption = None,
    limit: LimitOption = 50,
    cursor: CursorOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List commands, newest first, with the reason for waiting or failure."""

    async def work(context: Context) -> dict[str, Any]:
        from uuid import UUID

        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.commands import service
        from hashinsight.commands.queries.commands import CommandFilter
        from hashinsight.commands.schemas.commands import show_brief
        from hashinsight.commands.service.stories import find_machine
        from hashinsight.commands.states import State

        session, scope = context.session, context.caller.seen
        command_filter = CommandFilter(
            site_id=context.site_id,
            batch_id=TypeAdapter(UUID | None).validate_python(batch),
            state=("queued",) if waiting else tuple(TypeAdapter(list[State]).validate_python(state or [])),
            approval_state="required" if waiting else None,
            command_type=command_type,
            since=TypeAdapter(AwareDatetime | None).validate_python(since),
            **(await find_machine(session, scope, miner, context.site_id)),
        )
        page = await service.list_commands(session, scope, command_filter, limit=limit, cursor=cursor, now=context.now)
        rows = await with_site_codes(session, [show_brief(row) for row in page.rows])
        return {"commands": rows, "next_cursor": page.next_cursor}

    print_list(run(work, tenant=tenant, site=site), "commands", _COLUMNS, as_json=json)


def show(command_id: CommandArgument, *, json: JsonOption = False) -> None:
    """Show one command: requester, reason, approvals, history and attempts."""

    async def work(context: Context) -> tuple[Any, Any]:
        from uuid import UUID

        from hashinsight.commands import service

        row = await service.get_story(context.session, context.caller.seen, UUID(command_id), now=context.now)
        (story,) = await with_site_codes(context.session, [row])
        return story, await list_story_names(context.session, story)

    story, names = run_for_command(work, command_id)
    if json:
        typer.echo(to_json(story))
    else:
        print_lines(*story_lines(story, names))


def catalogue(*, json: JsonOption = False) -> None:
    """List the command types with parameters and risk."""
    need_server()
    from hashinsight.commands.catalogue_table import catalogue_table
    from hashinsight.commands.schemas.catalogue import show_catalogue

    if json:
        print_result(show_catalogue(), "", as_json=True)
        return
    head, _, *rows = [line.strip("| ").split(" | ") for line in catalogue_table().replace("`", "").splitlines()]
    print_rows([dict(zip(head[:6], (*row, *[""] * 6), strict=False)) for row in rows], "types")
