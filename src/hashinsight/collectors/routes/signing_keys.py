"""Keys by which a collector's commands are signed, and the switch."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Request

from hashinsight.collectors.operators import Operator, get_collector, operator
from hashinsight.collectors.queries import signing_keys as queries
from hashinsight.collectors.routes import examples
from hashinsight.collectors.schemas import SigningBody, SigningKeyBody, show_signing_key
from hashinsight.collectors.service import signing_keys as service
from hashinsight.identity.access import CurrentCaller, ReadSession, Session, check_step_up, now_of, vault_of
from hashinsight.identity.permissions import Permission
from hashinsight.kit.web.examples import answers

router = APIRouter()

KeyHolder = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS)]
Issuer = Annotated[Operator, operator(Permission.COLLECTOR_TOKENS, step_up=True)]
_PATH = "/collectors/{collector_id}/signing-keys"
_KEYS = {"signs_commands": True, "keys": [examples.SIGNING_KEY]}
_MADE = {
    "key_id": "cloud-20260301-5f0c1a",
    "algorithm": "ed25519",
    "public_key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    "secret": None,
    "signs_from": examples.THEN,
}


@router.get(_PATH, responses=answers(_KEYS))
async def list_signing_keys(holder: KeyHolder, session: ReadSession, collector_id: UUID) -> dict[str, Any]:
    """Every key that it has or had, with its public half where there is one."""
    collector = await get_collector(session, holder, collector_id)
    keys = await queries.list_keys(session, collector_id)
    return {"signs_commands": collector.signs_commands, "keys": [show_signing_key(key) for key in keys]}


@router.post(_PATH, status_code=201, responses=answers(_MADE, 201))
async def add_signing_key(
    request: Request, issuer: Issuer, session: Session, collector_id: UUID, body: SigningKeyBody
) -> dict[str, Any]:
    """A key that takes over after `signs_after_sec`: give it to the collector before. The old ones stay until revoked.

    `ed25519`: the answer has the public key. `hmac-sha256`: the secret is shown only here, unless you gave it.
    By a person with a step-up.
    """
    collector = await get_collector(session, issuer, collector_id)
    given = service.KeyMaterial(
        body.algorithm, body.key_id, None if body.key_b64 is None else body.key_b64.get_secret_value()
    )
    after = None if body.signs_after_sec is None else timedelta(seconds=body.signs_after_sec)
    new = await service.add_key(
        session, vault_of(request), issuer.actor, collector, given, signs_after=after, now=now_of(request)
    )
    return {
        "key_id": new.key_id,
        "algorithm": new.algorithm,
        "public_key": new.public_b64,
        "secret": new.secret_b64,
        "signs_from": new.signs_from,
    }


@router.delete(f"{_PATH}/{{key_id}}", responses=answers(_KEYS))
async def revoke_signing_key(
    request: Request, holder: KeyHolder, session: Session, collector_id: UUID, key_id: str
) -> dict[str, Any]:
    """It signs nothing from the next poll on, and its secret is gone. Not the last one while signing is on."""
    collector = await get_collector(session, holder, collector_id)
    keys = await service.revoke_key(session, holder.actor, collector, key_id, now=now_of(request))
    return {"signs_commands": collector.signs_commands, "keys": [show_signing_key(key) for key in keys]}


@router.put("/collectors/{collector_id}/signing", responses=answers({"signs_commands": True}))
async def turn_signing(
    request: Request,
    principal: CurrentCaller,
    holder: KeyHolder,
    session: Session,
    *,
    collector_id: UUID,
    body: SigningBody,
) -> dict[str, Any]:
    """On: from the next poll on it is handed signed commands or none. Needs a key that signs by now.

    Off needs a step-up (403 `STEP_UP_REQUIRED`), and a person (403 `PERSON_REQUIRED`).
    """
    collector = await get_collector(session, holder, collector_id)
    if not body.on:
        check_step_up(principal, now=now_of(request))
    await service.switch_signing(session, holder.actor, collector, on=body.on, now=now_of(request))
    return {"signs_commands": body.on}
