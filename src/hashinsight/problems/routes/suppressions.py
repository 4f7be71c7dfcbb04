"""Suppressions of machines, zones, groups and sites: list, make, lift."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response

from hashinsight.identity.access import ReadSession, Session
from hashinsight.inventory.filters import Word
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import miners, places
from hashinsight.kit.web.examples import answers
from hashinsight.problems.queries import suppressions as queries
from hashinsight.problems.routes import examples
from hashinsight.problems.routes.params import Caller, told
from hashinsight.problems.schemas import Lift, NewSuppression, body
from hashinsight.problems.service import suppressions

router = APIRouter(prefix="/suppressions")

_LIST = {"suppressions": [examples.SUPPRESSION], "next_cursor": None}
_MADE = {"suppressions": [examples.SUPPRESSION]}
_LIFTED = {**examples.SUPPRESSION, "lifted_at": "2026-03-01T13:00:00Z", "lifted_by": examples.ANN}


@router.get("", response_class=Response, responses=answers(_LIST))
async def list_suppressions(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    site_id: SiteQuery = None,
    miner_id: Annotated[Word | None, Query(description="Said of this machine itself.")] = None,
    kind: Literal["miner", "zone", "group", "site"] | None = None,
    everything: Annotated[bool, Query(alias="all", description="Also those that are over.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """What is suppressed or will be, newest first."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    miner = None if miner_id is None else (await miners.get_miner(session, scope, miner_id, site)).miner.miner_no
    found = await queries.list_suppressions(
        session,
        scope,
        site_id=site,
        miner_no=miner,
        kind=kind,
        everything=everything,
        limit=limit,
        cursor=cursor,
        now=now,
    )
    return told({"suppressions": found.rows, "next_cursor": found.next_cursor})


@router.post("", status_code=201, response_class=Response, responses=answers(_MADE, 201))
async def make_suppression(
    asker: Caller, session: Session, now: Now, asked: Annotated[NewSuppression, body(NewSuppression)]
) -> Response:
    """Open nothing new on these machines until a time, or until it is lifted. A group over several sites: one a site.

    Whoever suppresses a zone, group or site must hold all of it.
    """
    target = await suppressions.get_target(
        session, asker, asked.kind, asked.site_id, miner_id=asked.miner_id, zone=asked.zone, group_id=asked.group_id
    )
    made = await suppressions.suppress(session, asker, target, asked.wish(), now=now)
    return told({"suppressions": made}, 201)


@router.post("/{suppression_id}/lift", response_class=Response, responses=answers(_LIFTED))
async def lift_suppression(
    asker: Caller, session: Session, now: Now, suppression_id: UUID, wish: Annotated[Lift | None, body(Lift)] = None
) -> Response:
    """End it now, or take back what was planned. 409 `ALREADY_LIFTED` when it is over.

    A `reason` is kept in the audit, and for a machine in the timelines of its open problems.
    """
    reason = None if wish is None else wish.reason
    return told(await suppressions.lift(session, asker, suppression_id, reason=reason, now=now))
