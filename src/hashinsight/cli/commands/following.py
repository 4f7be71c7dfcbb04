"""`hashinsight command list | show | catalogue`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.commands.acting import (
    Acting,
    AnySiteOption,
    CommandArgument,
    CursorOption,
    JsonOption,
    LimitOption,
    SinceOption,
    TenantOption,
    encoded,
    print_lines,
    print_rows,
    run,
    run_about,
    short,
    words,
)


def list_commands(
    *,
    site: AnySiteOption = None,
    miner: Annotated[str | None, typer.Option("--miner", help="Only this machine's.")] = None,
    batch: Annotated[str | None, typer.Option("--batch", help="Only of this batch.")] = None,
    state: Annotated[list[str] | None, typer.Option("--state", help="queued, dispatched, …; may be repeated.")] = None,
    command_type: Annotated[str | None, typer.Option("--type", help="Only of this type.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only what waits for approval.")] = False,
    since: SinceOption = None,
    limit: LimitOption = 50,
    cursor: CursorOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List commands, newest first, and why those in the queue wait."""

    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.cli.commands.names import with_site_codes
        from hashinsight.commands import service
        from hashinsight.commands.command_schemas import show_brief
        from hashinsight.commands.queries.commands import CommandFilter
        from hashinsight.commands.service.stories import find_machine
        from hashinsight.commands.states import State

        wanted = CommandFilter(
            site_id=acting.site_id,
            batch_id=TypeAdapter(UUID | None).validate_python(batch),
            state=("queued",) if waiting else tuple(TypeAdapter(list[State]).validate_python(state or [])),
            approval_state="required" if waiting else None,
            command_type=command_type,
            since=TypeAdapter(AwareDatetime | None).validate_python(since),
            **(await find_machine(acting.session, acting.caller.seen, miner, acting.site_id)),
        )
        found = await service.list_commands(
            acting.session, acting.caller.seen, wanted, limit=limit, cursor=cursor, now=acting.now
        )
        rows = await with_site_codes(acting.session, [show_brief(one) for one in found.rows])
        return {"commands": rows, "next_cursor": found.next_cursor}

    answer = run(work, tenant=tenant, site=site)
    if json:
        typer.echo(encoded(answer))
    else:
        print_rows([_line(one) for one in answer["commands"]], "commands", more=answer["next_cursor"])


def show(command_id: CommandArgument, *, json: JsonOption = False) -> None:
    """Tell a command's whole story: who asked and why, each move, each attempt, who decided."""

    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.cli.commands.names import names_in, with_site_codes
        from hashinsight.commands import service

        told = await service.get_story(acting.session, acting.caller.seen, UUID(command_id), now=acting.now)
        (story,) = await with_site_codes(acting.session, [told])
        return story if json else {"story": story, "names": await names_in(acting.session, story)}

    answer = run_about(work, "all_commands", "command_id", command_id)
    if json:
        typer.echo(encoded(answer))
    else:
        from hashinsight.cli.commands.story import tell

        print_lines(*tell(answer["story"], answer["names"]))


def catalogue(*, json: JsonOption = False) -> None:
    """List the types of commands, what they take, and how risky they are."""
    from hashinsight.cli.acting import need_server

    need_server()
    from hashinsight.commands.answer_schemas import show_catalogue
    from hashinsight.commands.catalogue_table import catalogue_table

    if json:
        typer.echo(encoded(show_catalogue()))
        return
    head, _, *rows = [line.strip("| ").split(" | ") for line in catalogue_table().replace("`", "").splitlines()]
    print_rows([dict(zip(head[:6], (*row, *[""] * 6), strict=False)) for row in rows], "types")


def _line(one: dict[str, Any]) -> dict[str, Any]:
    told = one["wait_reason"] or one["error_code"] or one["error_message"]
    return {
        "command_id": one["command_id"],
        "created": short(one["created_at"]),
        "site": one["site_code"],
        "miner": one["miner_id"],
        "command": f"{one['command_type']} {words(one['params'])}".strip(),
        "priority": one["priority"],
        "state": one["state"],
        "why": told,
    }
