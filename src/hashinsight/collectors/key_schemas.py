"""What people send and see about a collector's keys: of its payloads, and for its commands."""

from base64 import b64encode
from typing import Annotated, Any

from pydantic import Field, SecretStr, StringConstraints, field_validator

from hashinsight.collectors.fields import Body, example, key_of
from hashinsight.collectors.schemas import show
from hashinsight.collectors.signing.models import SigningKey
from hashinsight.wire.keys import Algorithm


class PayloadKeyBody(Body):
    """Without `key_b64` a key is made, and shown in the answer."""

    model_config = example(overlap_sec=86_400)

    key_b64: Annotated[str, StringConstraints(max_length=200)] | None = None
    overlap_sec: Annotated[int, Field(ge=0, le=7 * 86_400)] = 86_400

    @field_validator("key_b64")
    @classmethod
    def _is_key(cls, text: str | None) -> str | None:
        if text is not None:
            key_of(text)
        return text

    @property
    def key(self) -> bytes | None:
        return None if self.key_b64 is None else key_of(self.key_b64)


class SigningKeyBody(Body):
    """Without `key_b64` a key is made; without `signs_after_sec` the first signs at once, a later one in an hour."""

    model_config = example(algorithm="ed25519", signs_after_sec=3600)

    algorithm: Annotated[str, StringConstraints(max_length=40)] = Algorithm.ED25519.value
    key_id: Annotated[str, StringConstraints(max_length=200)] | None = None
    key_b64: Annotated[SecretStr, Field(max_length=200)] | None = None
    signs_after_sec: Annotated[int, Field(ge=0, le=30 * 86_400)] | None = None


class SigningBody(Body):
    model_config = example(on=True)

    on: bool


def show_signing_key(key: SigningKey) -> dict[str, Any]:
    """The public half where there is one; a secret is shown when it is made, and never here."""
    public = None if key.public_key is None else b64encode(key.public_key).decode()
    return show(key, "tenant_id", "site_id", "collector_id", "sealed") | {"public_key": public}
