"""`hashinsight command approve | reject | cancel`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import CliContext, JsonOption, ReasonOption, need_server, run_for
from hashinsight.cli.output import print_result

CommandArgument = Annotated[str, typer.Argument(metavar="COMMAND_ID")]


def approve(command_id: CommandArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Approve a command; its TTL starts now. Requests made on the command line need approval by a user."""
    _decide(command_id, "approve", reason, as_json=json)


def reject(command_id: CommandArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Reject a command; it is canceled."""
    _decide(command_id, "reject", reason, as_json=json)


def cancel(command_id: CommandArgument, *, reason: ReasonOption = "", json: JsonOption = False) -> None:
    """Cancel a command: at once if queued; if dispatched, when its ack arrives or its lease ends."""
    _decide(command_id, "cancel", reason, as_json=json)


def run_for_command(work: Any, command_id: str) -> Any:
    need_server()
    from hashinsight.commands.queries.commands import find_tenant_of_command

    return run_for(work, find_tenant_of_command, "command", command_id)


def _decide(command_id: str, verb: str, reason: str, *, as_json: bool) -> None:
    async def work(context: CliContext) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.commands import service
        from hashinsight.commands.service.approvals import DecisionTarget

        key = UUID(command_id)
        target = DecisionTarget(command_id=key)
        decide = {"approve": service.approve, "reject": service.reject, "cancel": service.cancel}[verb]
        await decide(context.session, context.caller, target, reason=reason, now=context.now)
        return await service.get_story(context.session, context.caller.seen, key, now=context.now)

    story = run_for_command(work, command_id)
    pending = ", cancel requested" if story["state"] != "canceled" and story["cancel_requested_at"] else ""
    approval = "" if story["approval_state"] == "none" else f", {story['approval_state']}"
    text = f"{story['command_type']} for {story['miner_id']}: {story['state']}{approval}{pending}"
    print_result(story, text, as_json=as_json)
