"""Credentials of collectors: tokens, enrolment codes, payload keys, signing keys."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Request

from hashinsight.collectors.operators import Operator, get_collector, operator
from hashinsight.collectors.queries.keys import list_signing_keys as list_keys
from hashinsight.collectors.schemas.keys import (
    NewEnrolmentCode,
    NewPayloadKeyOut,
    NewSigningKeyOut,
    NewToken,
    RemovedKeys,
    RevokedTokens,
    SigningKeyList,
    SigningSwitch,
    show_signing_key,
)
from hashinsight.collectors.schemas.requests import CodeBody, PayloadKeyBody, RotateBody, SigningBody, SigningKeyBody
from hashinsight.collectors.service import keys, tokens
from hashinsight.identity.access import CurrentCaller, ReadSession, Session, vault_of
from hashinsight.identity.permissions import Permission
from hashinsight.inventory.parameters import Now
from hashinsight.kit.web.responses import errors

router = APIRouter(prefix="/collectors/{collector_id}")

KeyManager = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS)]
Issuer = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS, step_up=True)]


@router.post("/rotate-token", response_model=NewToken, responses=errors(404))
async def rotate_token(issuer: Issuer, session: Session, now: Now, collector_id: UUID, body: RotateBody) -> Any:
    """A new token, shown once. Old ones stay valid for `overlap_sec`. Needs a step-up."""
    overlap, life = timedelta(seconds=body.overlap_sec), timedelta(days=body.life_days)
    collector = await get_collector(session, issuer, collector_id)
    secret = await tokens.rotate(session, issuer.actor, collector, overlap=overlap, life=life, now=now)
    return {"token": secret.value, "expires_at": secret.expires_at, "old_tokens_until": now + overlap}


@router.post("/revoke-tokens", response_model=RevokedTokens, responses=errors(404))
async def revoke_tokens(manager: KeyManager, session: Session, now: Now, collector_id: UUID) -> Any:
    """Revoke all tokens and unused enrolment codes at once: its next call is refused. Needs no step-up."""
    collector = await get_collector(session, manager, collector_id)
    return {"revoked": await tokens.revoke(session, manager.actor, collector, now=now)}


@router.post("/enrolment-code", response_model=NewEnrolmentCode, responses=errors(404, 409))
async def issue_enrolment_code(issuer: Issuer, session: Session, now: Now, collector_id: UUID, body: CodeBody) -> Any:
    """A new one-time code for a pending collector, shown once; earlier codes are revoked. Needs a step-up."""
    collector = await get_collector(session, issuer, collector_id)
    life = timedelta(hours=body.life_hours)
    secret = await tokens.issue_code(session, issuer.actor, collector, life=life, now=now)
    return {"enrolment_code": secret.value, "expires_at": secret.expires_at}


@router.post("/payload-key", response_model=NewPayloadKeyOut, responses=errors(404))
async def set_payload_key(
    request: Request, issuer: Issuer, session: Session, now: Now, *, collector_id: UUID, body: PayloadKeyBody
) -> Any:
    """Set or rotate the AES-256 key of its encrypted payloads: yours, or a generated one that is shown once.

    Earlier keys stay valid for `overlap_sec`. Needs a step-up.
    """
    collector = await get_collector(session, issuer, collector_id)
    overlap = timedelta(seconds=body.overlap_sec)
    new = await keys.set_payload_key(
        session, vault_of(request), issuer.actor, collector, key=body.key, overlap=overlap, now=now
    )
    return {"payload_key": new.shown_b64, "old_keys_until": new.old_keys_until}


@router.delete("/payload-key", response_model=RemovedKeys, responses=errors(404))
async def remove_payload_keys(manager: KeyManager, session: Session, now: Now, collector_id: UUID) -> Any:
    """Remove all its payload keys at once: encrypted payloads are refused from the next batch on."""
    collector = await get_collector(session, manager, collector_id)
    return {"removed": await keys.remove_payload_keys(session, manager.actor, collector, now=now)}


@router.get("/signing-keys", response_model=SigningKeyList, responses=errors(404))
async def list_signing_keys(manager: KeyManager, session: ReadSession, collector_id: UUID) -> Any:
    """Every key that it has or had, with the public key of Ed25519 keys."""
    collector = await get_collector(session, manager, collector_id)
    rows = await list_keys(session, collector_id)
    return {"signs_commands": collector.signs_commands, "keys": [show_signing_key(key) for key in rows]}


@router.post("/signing-keys", status_code=201, response_model=NewSigningKeyOut, responses=errors(404, 409))
async def add_signing_key(
    request: Request, issuer: Issuer, session: Session, now: Now, *, collector_id: UUID, body: SigningKeyBody
) -> Any:
    """A key that takes over after `signs_after_sec`: install it on the collector before. Old keys stay until revoked.

    `ed25519`: the answer has the public key. `hmac-sha256`: a generated secret is shown once. Needs a step-up.
    """
    collector = await get_collector(session, issuer, collector_id)
    key_b64 = None if body.key_b64 is None else body.key_b64.get_secret_value()
    material = keys.KeyMaterial(body.algorithm, body.key_id, key_b64)
    signs_after = None if body.signs_after_sec is None else timedelta(seconds=body.signs_after_sec)
    new = await keys.add_signing_key(
        session, vault_of(request), issuer.actor, collector, material, signs_after=signs_after, now=now
    )
    return {
        "key_id": new.key_id,
        "algorithm": new.algorithm,
        "public_key": new.public_b64,
        "secret": new.secret_b64,
        "signs_from": new.signs_from,
    }


@router.delete("/signing-keys/{key_id}", response_model=SigningKeyList, responses=errors(404, 409))
async def revoke_signing_key(manager: KeyManager, session: Session, now: Now, collector_id: UUID, key_id: str) -> Any:
    """It signs nothing from the next poll on, and its secret is deleted. Not the last one while signing is on."""
    collector = await get_collector(session, manager, collector_id)
    rows = await keys.revoke_signing_key(session, manager.actor, collector, key_id, now=now)
    return {"signs_commands": collector.signs_commands, "keys": [show_signing_key(key) for key in rows]}


@router.put("/signing", response_model=SigningSwitch, responses=errors(404, 409))
async def switch_signing(
    caller: CurrentCaller, manager: KeyManager, session: Session, now: Now, *, collector_id: UUID, body: SigningBody
) -> Any:
    """On: from the next poll on it gets signed commands or none; needs a key that signs now.

    Off needs a step-up (403 `STEP_UP_REQUIRED`) by a person (403 `PERSON_REQUIRED`).
    """
    collector = await get_collector(session, manager, collector_id)
    if not body.on:
        caller.check_step_up(now=now)
    await keys.switch_signing(session, manager.actor, collector, on=body.on, now=now)
    return {"signs_commands": body.on}
