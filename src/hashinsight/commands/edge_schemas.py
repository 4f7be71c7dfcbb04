"""What the OpenAPI document shows of commands for collectors. Bodies are read by `wire.acks`, not here."""

from typing import Annotated, Any

from fastapi import Query

from hashinsight.commands.limits import MAX_POLL_LIMIT, POLL_LIMIT

_ID = "0195508a-0000-7000-8000-00000000000b"
_THEN, _LATER = "2026-03-01T12:00:00Z", "2026-03-01T12:15:00Z"

COMMAND = {
    "command_id": _ID,
    "site_id": "tx-midland-1",
    "miner_id": "A-17",
    "command_type": "reboot_device",
    "command": "reboot",
    "params": {},
    "priority": 30,
    "issued_at": _THEN,
    "expires_at": _LATER,
    "ttl_sec": 900,
    "attempt": 1,
    "lease_until": "2026-03-01T12:03:00Z",
}
POLLED = {"commands": [COMMAND]}
PENDING = {"success": True, "commands": [COMMAND]}
ACKED = {"success": True, "command_id": _ID, "applied": True, "state": "succeeded"}
_LATE = {"command_id": _ID, "applied": False, "state": "succeeded", "error_code": "ALREADY_FINAL"}
ACKED_ALL = {"success": True, "applied": 1, "results": [{k: v for k, v in ACKED.items() if k != "success"}, _LATE]}

_ACK = {
    "status": "succeeded",
    "started_at": _THEN,
    "finished_at": "2026-03-01T12:00:04Z",
    "device_id": "edge-box-1",
    "result": {"accepted": True},
    "before": {"hashrate_ths": 0.0},
    "after": {"hashrate_ths": 104.2},
}


def _body(example: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": "object"}, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


ONE_ACK = _body(_ACK)
NAMED_ACK = _body({"command_id": _ID, **_ACK})
MANY_ACKS = _body({"acks": [{"command_id": _ID, **_ACK}, {"command_id": _ID, "result_code": 1}]})

Limit = Annotated[int, Query(ge=1, description=f"Of more than {MAX_POLL_LIMIT} it gets {MAX_POLL_LIMIT}.")]
__all__ = ["ACKED", "ACKED_ALL", "MANY_ACKS", "NAMED_ACK", "ONE_ACK", "PENDING", "POLLED", "POLL_LIMIT", "Limit"]
