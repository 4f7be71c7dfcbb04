"""Answers about commands for collectors, and examples of the acks that they send (`wire.acks` reads those)."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from hashinsight.commands.limits import MAX_POLL_LIMIT
from hashinsight.commands.states import State

_ID = "0195508a-0000-7000-8000-00000000000b"
_ACK = {
    "status": "succeeded",
    "started_at": "2026-03-01T12:00:00Z",
    "finished_at": "2026-03-01T12:00:04Z",
    "device_id": "edge-box-1",
    "result": {"accepted": True},
    "before": {"hashrate_ths": 0.0},
    "after": {"hashrate_ths": 104.2},
}
_COMMAND = {
    "command_id": _ID,
    "site_id": "tx-midland-1",
    "miner_id": "A-17",
    "command_type": "reboot_device",
    "command": "reboot",
    "params": {},
    "priority": 30,
    "issued_at": "2026-03-01T12:00:00Z",
    "expires_at": "2026-03-01T12:15:00Z",
    "ttl_sec": 900,
    "attempt": 1,
    "lease_until": "2026-03-01T12:03:00Z",
}
Time = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Limit = Annotated[int, Query(ge=1, description=f"At most {MAX_POLL_LIMIT} are returned.")]


def _ack_body(example: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": "object"}, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


ACK_BODY = _ack_body(_ACK)
NAMED_ACK_BODY = _ack_body({"command_id": _ID, **_ACK})
ACK_BATCH_BODY = _ack_body({"acks": [{"command_id": _ID, **_ACK}, {"command_id": _ID, "result_code": 1}]})


class _WireCommand(TypedDict):
    command_id: Annotated[str, Field(description="Id of this dispatch: acks name it.")]
    site_id: Annotated[str | int, Field(description="In the form that the collector itself uses.")]
    miner_id: str
    command_type: Annotated[str, Field(description="Later versions may add types: reject one that you do not know.")]
    command: Annotated[str, Field(description="The wire verb of `command_type`.")]
    params: dict[str, Any]
    priority: Annotated[int, Field(description="Higher goes first.")]
    issued_at: Time
    expires_at: Time
    ttl_sec: int
    attempt: int
    lease_until: Time


class CloudSign(TypedDict):
    alg: Literal["hmac-sha256", "ed25519"]
    key_id: str
    tenant_id: str
    not_before: Time
    nonce: str
    signature: Annotated[str, Field(description="Base64")]


class WireCommand(_WireCommand, total=False):
    zone_id: Annotated[str | int, Field(description="If the poll named a zone.")]
    cloud_sign: Annotated[CloudSign, Field(description="If signing is on.")]


class PollAnswer(TypedDict):
    __pydantic_config__ = ConfigDict(json_schema_extra={"example": {"commands": [_COMMAND]}})  # type: ignore[misc]

    commands: list[WireCommand]


class LegacyPollAnswer(PollAnswer):
    __pydantic_config__ = ConfigDict(json_schema_extra={"example": {"success": True, "commands": [_COMMAND]}})  # type: ignore[misc]

    success: Literal[True]


class _AckOutcome(TypedDict):
    command_id: str | None
    applied: bool
    state: State | None


class AckOutcome(_AckOutcome, total=False):
    error_code: Annotated[str, Field(description="Why it was not applied.")]
    reason: Annotated[str, Field(description="Of an ack that cannot be read.")]


class AckAnswer(AckOutcome):
    __pydantic_config__ = ConfigDict(  # type: ignore[misc]
        json_schema_extra={"example": {"success": True, "command_id": _ID, "applied": True, "state": "succeeded"}}
    )

    success: Literal[True]


class AckBatchAnswer(TypedDict):
    success: Literal[True]
    applied: Annotated[int, Field(description="How many were applied.")]
    results: Annotated[list[AckOutcome], Field(description="One per ack, in their order.")]
