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

    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.cli.commands.names import with_site_codes
        from hashinsight.commands import service
        from hashinsight.commands.answer_schemas import show_brief
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
            **(await find_machine(acting.session, acting.asker.seen, miner, acting.site_id)),
        )
        found = await service.list_commands(
            acting.session, acting.asker.seen, wanted, limit=limit, cursor=cursor, now=acting.now
        )
        rows = await with_site_codes(acting.session, [show_brief(one) for one in found.rows])
        return {"commands": rows, "next_cursor": found.next_cursor}

    answer = run(work, tenant=tenant, site=site)
    if json:
        typer.echo(encoded(answer))
    else:
        print_rows([_line(one) for one in answer["commands"]], "commands", more=answer["next_cursor"])


def show(command_id: CommandArgument, *, json: JsonOption = False) -> None:
    """Show one command: requester, reason, approvals, history and attempts."""

    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.cli.commands.names import names_in, with_site_codes
        from hashinsight.commands import service

        told = await service.get_story(acting.session, acting.asker.seen, UUID(command_id), now=acting.now)
        (story,) = await with_site_codes(acting.session, [told])
        return story if json else {"story": story, "names": await names_in(acting.session, story)}

    answer = run_about(work, "all_commands", "command_id", command_id)
    if json:
        typer.echo(encoded(answer))
    else:
        from hashinsight.cli.commands.story import story_lines

        print_lines(*story_lines(answer["story"], answer["names"]))


def catalogue(*, json: JsonOption = False) -> None:
    """List the command types with parameters and risk."""
    from hashinsight.cli.acting import need_server

    need_server()
    from hashinsight.commands.answer_schemas import show_catalogue
    from hashinsight.commands.catalogue import catalogue_table

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
