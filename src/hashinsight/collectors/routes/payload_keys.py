"""Payload keys of collectors that encrypt what they send."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Request

from hashinsight.collectors.operators import Operator, get_collector, operator
from hashinsight.collectors.routes import examples
from hashinsight.collectors.schemas import PayloadKeyBody
from hashinsight.collectors.service import payload_keys
from hashinsight.identity.access import Session, now_of, vault_of
from hashinsight.identity.permissions import Permission
from hashinsight.kit.web.examples import answers

router = APIRouter()

KeyHolder = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS)]
Issuer = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS, step_up=True)]
_PATH = "/collectors/{collector_id}/payload-key"
_SET = {"payload_key": "mJ4J0w…", "old_keys_until": examples.THEN}


@router.post(_PATH, responses=answers(_SET))
async def set_payload_key(
    request: Request, issuer: Issuer, session: Session, collector_id: UUID, body: PayloadKeyBody
) -> dict[str, Any]:
    """Set or rotate the AES-256 key of its encrypted payloads: yours, or a new one that is shown only here.

    By a person with a step-up. The keys before it are good for `overlap_sec` more.
    """
    collector = await get_collector(session, issuer, collector_id)
    new = await payload_keys.set_key(
        session,
        vault_of(request),
        issuer.actor,
        collector,
        given=body.key,
        overlap=timedelta(seconds=body.overlap_sec),
        now=now_of(request),
    )
    return {"payload_key": new.shown_b64, "old_keys_until": new.old_keys_until}


@router.delete(_PATH, responses=answers({"removed": 1}))
async def remove_payload_keys(
    request: Request, holder: KeyHolder, session: Session, collector_id: UUID
) -> dict[str, Any]:
    """All its payload keys, at once: what it encrypts is refused from its next batch on."""
    collector = await get_collector(session, holder, collector_id)
    return {"removed": await payload_keys.remove_keys(session, holder.actor, collector, now=now_of(request))}
