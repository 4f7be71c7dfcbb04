"""Signatures of commands: made by the cloud, checked by the collector before it executes.

The signature covers the canonical JSON of twelve fields: those of the message, plus `tenant_id`, `not_before` and
`nonce` from `cloud_sign`. Unsigned fields have no effect: the verb must match the signed type; TTL, lease and issue
time are information only. A replayed command is caught by its dispatch id, which no collector runs twice.
"""

import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from hashinsight.wire.canonical import canonical_json
from hashinsight.wire.commands import VERBS, Command
from hashinsight.wire.keys import KeyRing, SigningKey
from hashinsight.wire.times import find_time, write_time

LEEWAY = timedelta(seconds=30)  # typical error of clocks in the field
_NONCE_BYTES = 16


class SignatureStatus(StrEnum):
    GENUINE = "genuine"
    UNSIGNED = "unsigned"
    UNKNOWN_KEY = "unknown key"
    WRONG = "wrong"
    NOT_YET = "not yet"
    STALE = "stale"


def sign(
    command: Command, key: SigningKey, *, tenant_id: str, not_before: datetime, nonce: str | None = None
) -> Command:
    """The command with its `cloud_sign`."""
    seal = {
        "alg": key.algorithm.value,
        "key_id": key.key_id,
        "tenant_id": tenant_id,
        "not_before": write_time(not_before),
        "nonce": nonce or secrets.token_urlsafe(_NONCE_BYTES),
    }
    signature = key.sign(signed_bytes(command.to_wire(), seal))
    return replace(command, cloud_sign={**seal, "signature": b64encode(signature).decode()})


def verify(
    message: Mapping[str, Any],
    keys: KeyRing,
    *,
    now: datetime,
    tenant_id: str | None = None,
    leeway: timedelta = LEEWAY,
) -> SignatureStatus:
    """Times are checked last, after the signature. `tenant_id` if the collector knows its tenant."""
    seal = message.get("cloud_sign")
    if seal is None:
        return SignatureStatus.UNSIGNED
    if not isinstance(seal, Mapping):
        return SignatureStatus.WRONG
    key_id = seal.get("key_id")
    key = keys.get(key_id) if isinstance(key_id, str) else None
    if key is None:
        return SignatureStatus.UNKNOWN_KEY
    try:
        data, signature = signed_bytes(message, seal), _signature_in(seal)
    except ValueError:
        return SignatureStatus.WRONG
    is_ours = tenant_id is None or seal.get("tenant_id") == tenant_id
    if seal.get("alg") != key.algorithm.value or not is_ours or not key.verifies(data, signature):
        return SignatureStatus.WRONG
    return _check_times(message, seal, now=now, leeway=leeway)


def signed_bytes(message: Mapping[str, Any], seal: Mapping[str, Any]) -> bytes:
    """The bytes that are signed; ValueError for a message that cannot have been signed."""
    command_type = message.get("command_type")
    if not isinstance(command_type, str) or message.get("command") != VERBS.get(command_type):
        raise ValueError("command does not match command_type")
    return canonical_json(
        {
            "command_id": message.get("command_id"),
            "tenant_id": seal.get("tenant_id"),
            "site_id": _as_text(message.get("site_id")),
            "zone_id": _as_text(message.get("zone_id")),
            "miner_id": message.get("miner_id"),
            "command_type": command_type,
            "params": message.get("params"),
            "priority": message.get("priority"),
            "not_before": seal.get("not_before"),
            "expires_at": message.get("expires_at"),
            "attempt": message.get("attempt"),
            "nonce": seal.get("nonce"),
        }
    )


def _check_times(
    message: Mapping[str, Any], seal: Mapping[str, Any], *, now: datetime, leeway: timedelta
) -> SignatureStatus:
    not_before, expires_at = find_time(seal.get("not_before")), find_time(message.get("expires_at"))
    if not_before is None or expires_at is None:
        return SignatureStatus.WRONG
    if now < not_before - leeway:
        return SignatureStatus.NOT_YET
    return SignatureStatus.STALE if now >= expires_at else SignatureStatus.GENUINE


def _signature_in(seal: Mapping[str, Any]) -> bytes:
    text = str(seal.get("signature"))
    signature = b64decode(text, validate=True)
    if b64encode(signature).decode() != text:  # a second spelling of the same bytes means tampering
        raise ValueError("signature is not canonical base64")
    return signature


def _as_text(value: Any) -> str | None:
    """Collectors compare site ids and codes as text, so they are signed as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueError("a site or zone must be an integer or a string")
