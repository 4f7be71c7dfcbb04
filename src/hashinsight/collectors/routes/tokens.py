"""Collectors' tokens and enrolment codes: shown once, to those who may."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Request

from hashinsight.collectors.operators import Operator, get_collector, operator
from hashinsight.collectors.routes import examples
from hashinsight.collectors.schemas import CodeBody, RotateBody
from hashinsight.collectors.service import tokens
from hashinsight.collectors.service.tokens import IssuedSecret
from hashinsight.identity.access import Session, now_of
from hashinsight.identity.permissions import Permission
from hashinsight.kit.web.examples import answers

router = APIRouter()

KeyHolder = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS)]
Issuer = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS, step_up=True)]


@router.post(
    "/collectors/{collector_id}/rotate-token",
    responses=answers({"token": "hi_collector_…", "expires_at": examples.LATER, "old_tokens_until": examples.THEN}),
)
async def rotate_token(
    request: Request, issuer: Issuer, session: Session, collector_id: UUID, body: RotateBody
) -> dict[str, Any]:
    """A new token, shown only here, by a person with a step-up. The old ones are good for `overlap_sec` more."""
    now = now_of(request)
    overlap = timedelta(seconds=body.overlap_sec)
    collector = await get_collector(session, issuer, collector_id)
    life = timedelta(days=body.life_days)
    secret = await tokens.rotate(session, issuer.actor, collector, overlap=overlap, life=life, now=now)
    return _once(secret) | {"old_tokens_until": now + overlap}


@router.post("/collectors/{collector_id}/revoke-tokens", responses=answers({"revoked": 2}))
async def revoke_tokens(request: Request, holder: KeyHolder, session: Session, collector_id: UUID) -> dict[str, Any]:
    """All tokens and unused enrolment codes of this collector, at once: its next call is refused. Needs no step-up."""
    collector = await get_collector(session, holder, collector_id)
    return {"revoked": await tokens.revoke(session, holder.actor, collector, now=now_of(request))}


@router.post(
    "/collectors/{collector_id}/enrolment-code",
    responses=answers({"enrolment_code": "hi_enrol_…", "expires_at": examples.THEN}),
)
async def issue_enrolment_code(
    request: Request, issuer: Issuer, session: Session, collector_id: UUID, body: CodeBody
) -> dict[str, Any]:
    """A new one-time code for a pending collector, shown only here, by a person with a step-up.

    The codes before it are good no more.
    """
    collector = await get_collector(session, issuer, collector_id)
    life = timedelta(hours=body.life_hours)
    return _once(await tokens.issue_code(session, issuer.actor, collector, life=life, now=now_of(request)))


def _once(secret: IssuedSecret) -> dict[str, Any]:
    return {secret.field: secret.value, "expires_at": secret.expires_at}
