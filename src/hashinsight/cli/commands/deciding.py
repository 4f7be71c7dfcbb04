"""`hashinsight command approve | reject | cancel`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.commands.acting import (
    Acting,
    CommandArgument,
    JsonOption,
    ReasonOption,
    encoded,
    print_lines,
    run_about,
)

FreeReason = Annotated[str, typer.Option("--reason", help="Why, for the record.")]


def approve(command_id: CommandArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Approve a command; its TTL starts now. Requests made on the command line need approval by a user."""
    _decide(command_id, "approve", reason, as_json=json)


def reject(command_id: CommandArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Reject a command; it is canceled."""
    _decide(command_id, "reject", reason, as_json=json)


def cancel(command_id: CommandArgument, *, reason: FreeReason = "", json: JsonOption = False) -> None:
    """Cancel a command: at once if queued; if already sent, with its ack or the end of its lease."""
    _decide(command_id, "cancel", reason, as_json=json)


def _decide(command_id: str, verb: str, reason: str, *, as_json: bool) -> None:
    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.commands import service
        from hashinsight.commands.service.approvals import DecisionTarget

        which = DecisionTarget(command_id=UUID(command_id))
        await getattr(service, verb)(acting.session, acting.asker, which, reason=reason, now=acting.now)
        return await service.get_story(acting.session, acting.asker.seen, UUID(command_id), now=acting.now)

    story = run_about(work, "all_commands", "command_id", command_id)
    if as_json:
        typer.echo(encoded(story))
        return
    asked = ", cancel requested" if story["state"] != "canceled" and story["cancel_requested_at"] else ""
    approval = "" if story["approval_state"] == "none" else f", {story['approval_state']}"
    print_lines(f"{story['command_type']} for {story['miner_id']}: {story['state']}{approval}{asked}")
