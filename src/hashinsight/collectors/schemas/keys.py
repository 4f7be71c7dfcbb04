"""Answers about a collector's tokens and keys. Secrets are shown once, when they are created."""

from base64 import b64encode
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

from hashinsight.collectors.models import SigningKey
from hashinsight.wire.keys import Algorithm


class NewToken(BaseModel):
    token: str = Field(description="Shown only here.")
    expires_at: AwareDatetime
    old_tokens_until: AwareDatetime


class RevokedTokens(BaseModel):
    revoked: int


class NewEnrolmentCode(BaseModel):
    enrolment_code: str = Field(description="Shown only here.")
    expires_at: AwareDatetime


class NewPayloadKeyOut(BaseModel):
    payload_key: str | None = Field(description="Base64; null if the caller gave the key.")
    old_keys_until: AwareDatetime


class RemovedKeys(BaseModel):
    removed: int


class SigningKeyOut(BaseModel):
    key_id: str
    algorithm: Algorithm
    public_key: str | None = Field(description="Base64; null for HMAC keys.")
    created_at: AwareDatetime
    signs_from: AwareDatetime
    revoked_at: AwareDatetime | None


class SigningKeyList(BaseModel):
    signs_commands: bool
    keys: list[SigningKeyOut]


class NewSigningKeyOut(BaseModel):
    key_id: str
    algorithm: Algorithm
    public_key: str | None
    secret: str | None = Field(description="Of a generated HMAC key, shown only here.")
    signs_from: AwareDatetime


class SigningSwitch(BaseModel):
    signs_commands: bool


def show_signing_key(key: SigningKey) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "algorithm": key.algorithm,
        "public_key": None if key.public_key is None else b64encode(key.public_key).decode(),
        "created_at": key.created_at,
        "signs_from": key.signs_from,
        "revoked_at": key.revoked_at,
    }
