"""Suppressions of machines, zones, groups and sites: list, create, lift."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from hashinsight.identity.access import CurrentCaller, ReadSession, Session
from hashinsight.inventory.filters import Word
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import miners, places
from hashinsight.kit.web.parameters import body
from hashinsight.kit.web.responses import encode, errors
from hashinsight.problems.queries import suppressions as queries
from hashinsight.problems.schemas.requests import Lift, NewSuppression
from hashinsight.problems.schemas.suppressions import CreatedSuppressions, Suppression, SuppressionPage
from hashinsight.problems.schemas.words import SuppressionKind
from hashinsight.problems.service import suppressions

router = APIRouter(prefix="/suppressions")


@router.get("", response_model=SuppressionPage, responses=errors(404))
async def list_suppressions(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    site_id: SiteQuery = None,
    miner_id: Annotated[Word | None, Query(description="Suppressions of this machine itself.")] = None,
    kind: SuppressionKind | None = None,
    everything: Annotated[bool, Query(alias="all", description="Also ended and lifted ones.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Suppressions in force or planned, newest first."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    miner = None if miner_id is None else (await miners.get_miner(session, scope, miner_id, site)).miner.miner_no
    page = await queries.list_suppressions(
        session, scope, site_id=site, miner_no=miner, kind=kind, everything=everything, limit=limit, cursor=cursor,
        now=now,
    )  # fmt: skip
    return encode(SuppressionPage, {"suppressions": list(page.rows), "next_cursor": page.next_cursor})


@router.post("", status_code=201, response_model=CreatedSuppressions, responses=errors(404))
async def create_suppression(
    caller: CurrentCaller, session: Session, now: Now, given: Annotated[NewSuppression, body(NewSuppression)]
) -> Response:
    """Open no new problems on these machines until a time, or until it is lifted. A group: one suppression per site.

    Needs the permission for all of the zone, group or site.
    """
    target = await suppressions.get_target(
        session, caller, given.kind, given.site_id, miner_id=given.miner_id, zone=given.zone, group_id=given.group_id
    )
    created = await suppressions.suppress(session, caller, target, given.to_request(), now=now)
    return encode(CreatedSuppressions, {"suppressions": created}, 201)


@router.post("/{suppression_id}/lift", response_model=Suppression, responses=errors(404, 409))
async def lift_suppression(
    caller: CurrentCaller,
    session: Session,
    now: Now,
    suppression_id: UUID,
    given: Annotated[Lift | None, body(Lift)] = None,
) -> Response:
    """End it now, or cancel a planned one. 409 `ALREADY_LIFTED` when it is over.

    A `reason` is stored in the audit log, and for a machine in the timelines of its open problems.
    """
    reason = None if given is None else given.reason
    return encode(Suppression, await suppressions.lift(session, caller, suppression_id, reason=reason, now=now))
