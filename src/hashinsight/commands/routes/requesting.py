"""Asking for commands, or what asking would come to."""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from hashinsight.commands import service
from hashinsight.commands.answer_schemas import show_dry_run, show_result
from hashinsight.commands.catalogue import LEGACY_NAMES
from hashinsight.commands.requests import caller_for
from hashinsight.commands.routes import examples
from hashinsight.commands.routes.asking import told
from hashinsight.commands.schemas import NewCommands, body
from hashinsight.identity.access import AuthenticateFirst, CurrentCaller, Session, check_step_up, now_of, vault_of
from hashinsight.kit.web.examples import answers

router = APIRouter(route_class=AuthenticateFirst)

Key = Annotated[
    str | None,
    Header(description="The same request again within 24 hours makes nothing and is answered with what it made."),
]
_ANSWERS = answers(examples.MADE, 201, "Made, or refused, machine by machine") | answers(
    examples.DRY_RUN, 200, "A dry run: what the request would reach"
)


@router.post("/commands", status_code=201, response_class=Response, responses=_ANSWERS)
async def request_commands(
    request: Request,
    principal: CurrentCaller,
    session: Session,
    asked: Annotated[NewCommands, body(NewCommands)],
    idempotency_key: Key = None,
) -> Response:
    """One command a machine, for one machine or 100,000. With `dry_run` nothing is made, and 200 says what would be.

    `counts` are whole; `commands`, `refused` and `excluded` hold the first 10,000 each, the rest is listed by
    `/commands?batch_id=` and `/batches/{batch_id}/refused`. A command that its `dedupe_key` had made before is there
    with `"existing": true`. When no machine can be meant at all, it is an error and nothing is stored. Emergencies
    and changes of pools need the second factor shown again, where there is one.
    """
    now, asker, wanted = now_of(request), caller_for(principal), asked.asked(idempotency_key)
    if asked.dry_run:
        return told(show_dry_run(await service.dry_run(session, vault_of(request), asker, wanted, now=now)))
    if asked.emergency or _changes_pools(asked.command_type):
        check_step_up(principal, now=now)
    return told(show_result(await service.request(session, vault_of(request), asker, wanted, now=now)), 201)


def _changes_pools(command_type: str) -> bool:
    old = LEGACY_NAMES.get(command_type)
    return (old.name if old else command_type) == "set_pool"
