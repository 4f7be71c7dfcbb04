"""Following commands: lists, and the whole story of one."""

from contextlib import suppress
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import AwareDatetime
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import service
from hashinsight.commands.answer_schemas import show_brief
from hashinsight.commands.queries import commands as queries
from hashinsight.commands.queries.commands import CommandFilter
from hashinsight.commands.routes import examples
from hashinsight.commands.routes.asking import told
from hashinsight.commands.service.stories import find_machine
from hashinsight.commands.states import Approval, Priority, State
from hashinsight.identity.access import CurrentCaller, ReadSession
from hashinsight.identity.permissions import Permission
from hashinsight.inventory.filters import Word
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.web.examples import answers

router = APIRouter()

Text = Annotated[Word | None, Query()]


@router.get(
    "/commands", response_class=Response, responses=answers({"commands": [examples.COMMAND], "next_cursor": None})
)
async def list_commands(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    site_id: SiteQuery = None,
    miner_id: Annotated[Word | None, Query(description="The operator's own id of the machine.")] = None,
    batch_id: UUID | None = None,
    state: Annotated[list[State] | None, Query(description="May be given several times.")] = None,
    approval_state: Approval | None = None,
    command_type: Text = None,
    priority: Priority | None = None,
    rule_id: Text = None,
    problem_id: Text = None,
    created_by: Text = None,
    since: Annotated[AwareDatetime | None, Query(description="Created then or later.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Created before.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Commands in one's scope, newest first, finished ones too. One that waits says why: `wait_reason`."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    wanted = CommandFilter(
        site_id=site,
        batch_id=batch_id,
        state=tuple(one.value for one in state or ()),
        approval_state=approval_state,
        command_type=command_type,
        priority=priority,
        rule_id=rule_id,
        problem_id=problem_id,
        created_by=created_by,
        since=since,
        until=until,
        **(await find_machine(session, scope, miner_id, site)),
    )
    found = await service.list_commands(session, scope, wanted, limit=limit, cursor=cursor, now=now)
    return told({"commands": [show_brief(row) for row in found.rows], "next_cursor": found.next_cursor})


@router.get("/commands/{command_id}", response_class=Response, responses=answers(examples.STORY))
async def read_command(
    principal: CurrentCaller, scope: ViewScope, session: ReadSession, now: Now, command_id: UUID
) -> Response:
    """A command's whole story: its fields, attempts, moves, decisions and audit, and why it waits if it does.

    `audit` is null for those who may not read the record there.
    """
    story = await service.get_story(session, scope, command_id, now=now)
    if not await _may_read_audit(session, principal, command_id):
        story["audit"] = None
    return told(story)


async def _may_read_audit(session: AsyncSession, principal: CurrentCaller, command_id: UUID) -> bool:
    with suppress(Forbidden, NotFound):
        await queries.get_command(session, principal.scope_for(Permission.AUDIT_READ), command_id)
        return True
    return False
