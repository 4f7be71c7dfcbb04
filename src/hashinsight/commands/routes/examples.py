"""Examples for the OpenAPI document. A test compares their keys with what the routes answer."""

from typing import Any

_THEN, _LATER = "2026-03-01T12:00:00Z", "2026-03-01T12:15:00Z"
_TENANT = "01980f7e-0000-7000-8000-000000000001"
_ANN = "01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a11"
_COMMAND = "01980f80-0000-7000-8000-00000000000b"
_BATCH = "01980f80-0000-7000-8000-0000000000ba"
_DISPATCH = "01980f80-0000-7000-8000-0000000000d1"
_COLLECTOR = "01980f7e-0000-7000-8000-0000000000c0"

MADE: dict[str, Any] = {
    "batch_id": _BATCH,
    "commands": [
        {
            "command_id": _COMMAND,
            "miner_id": "B2-R14-03",
            "state": "queued",
            "approval_state": "none",
            "existing": False,
        }
    ],
    "refused": [{"miner_id": "B2-R14-99", "error_code": "NOT_FOUND", "reason": "there is no such miner"}],
    "counts": {"created": 1, "existing": 0, "refused": 1},
    "approval_reasons": [],
    "repeated": False,
}
DRY_RUN: dict[str, Any] = {
    "machines": 812,
    "kw": 2476.6,
    "ths": 81200.0,
    "share_of_site": 0.197,
    "unknown_power": 0,
    "unknown_ths": 0,
    "excluded": [
        {
            "miner_id": "B2-R14-03",
            "error_code": "DUPLICATE",
            "reason": "the same waits already: disable_hashing (efficiency, queued)",
            "command_id": _COMMAND,
        }
    ],
    "counts": {"excluded": 1, "supersedes": 3},
    "blast_radius": {"down_now": 30, "cap": 824, "would_wait": 18, "exceeds_cap": False},
    "needs_approval": True,
    "approval_reasons": [
        "the catalogue calls it high risk",
        "812 machines, more than 20 in one batch",
        "2601 kW asked by one requester in 60 min (limit 100 kW)",
    ],
    "approval_causes": [
        {"code": "HIGH_RISK", "value": None, "limit": None, "window_min": None},
        {"code": "MANY_MACHINES", "value": 812, "limit": 20, "window_min": None},
        {"code": "MUCH_POWER_IN_WINDOW", "value": 2601.2, "limit": 100, "window_min": 60},
    ],
}
COMMAND: dict[str, Any] = {
    "command_id": _COMMAND,
    "tenant_id": _TENANT,
    "site_id": 3,
    "zone_id": 7,
    "miner_no": 10231,
    "miner_id": "B2-R14-03",
    "batch_id": _BATCH,
    "command_type": "set_fan",
    "is_control": True,
    "params": {"speed": 80},
    "priority": "efficiency",
    "priority_number": 5,
    "urgency": 15,
    "emergency": False,
    "ttl_sec": 900,
    "expires_at": _LATER,
    "dedupe_key": None,
    "approval_state": "none",
    "approval_until": None,
    "created_by_kind": "user",
    "created_by": _ANN,
    "created_at": _THEN,
    "created_reason": "inlet is 4 °C above its neighbours",
    "rule_id": None,
    "rule_version": None,
    "problem_id": None,
    "state": "queued",
    "moves": 1,
    "attempt": 0,
    "max_retries": 3,
    "retry_backoff_sec": 15,
    "next_attempt_at": _THEN,
    "dispatch_id": None,
    "lease_owner": None,
    "lease_device": None,
    "lease_until": None,
    "dispatched_at": None,
    "started_at": None,
    "finished_at": None,
    "cancel_requested_at": None,
    "error_code": None,
    "error_message": None,
    "superseded_by": None,
    "verification": None,
    "over_cap": None,
    "updated_at": _THEN,
    "wait_reason": "MINER_LOCKED",
}
_OWNED = {"tenant_id": _TENANT, "site_id": 3, "command_id": _COMMAND}
_MOVE = {
    **_OWNED,
    "n": 1,
    "at": _THEN,
    "event": "created",
    "old_state": None,
    "new_state": "queued",
    "actor_kind": "user",
    "actor_id": _ANN,
    "message": None,
    "details": None,
    "execution_time_ms": None,
    "recorded_at": _THEN,
}
_ATTEMPT = {
    **_OWNED,
    "dispatch_id": _DISPATCH,
    "miner_no": 10231,
    "n": 1,
    "collector_id": _COLLECTOR,
    "device": "edge-box-1",
    "held_by": [_COLLECTOR],
    "deliveries": 1,
    "leased_at": _THEN,
    "lease_until": _LATER,
    "result": "succeeded",
    "acked_at": _THEN,
    "started_at": _THEN,
    "finished_at": _THEN,
    "execution_time_ms": 5200,
    "error_code": None,
    "error_message": None,
    "snapshot_before": {"fan": 60},
    "snapshot_after": {"fan": 80},
    "payload": {"status": "succeeded"},
    "late_count": 0,
    "late_acks": None,
}
APPROVAL: dict[str, Any] = {
    "id": "01980f80-0000-7000-8000-0000000000a1",
    "tenant_id": _TENANT,
    "site_id": 3,
    "batch_id": _BATCH,
    "command_id": None,
    "decision": "approved",
    "by_kind": "user",
    "by_id": "01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a22",
    "at": _THEN,
    "reason": "seen on the camera: the aisle is empty",
    "commands": 812,
}
_ENTRY = {
    "id": "01980f80-0000-7000-8000-0000000000e1",
    "at": _THEN,
    "recorded_at": _THEN,
    "actor_kind": "user",
    "actor_id": _ANN,
    "action": "command_created",
    "entity_type": "command",
    "entity_id": _COMMAND,
    "before": None,
    "after": {"state": "queued", "command_type": "set_fan", "params": {"speed": 80}},
    "reason": "inlet is 4 °C above its neighbours",
    "request_id": "01980f80-0000-7000-8000-0000000000f1",
    "address": "192.0.2.7",
}
STORY: dict[str, Any] = COMMAND | {
    "evidence": None,
    "ack_payload": None,
    "attempts": [_ATTEMPT],
    "history": [_MOVE],
    "approvals": [APPROVAL],
    "audit": [_ENTRY],
}
BATCH: dict[str, Any] = {
    "batch_id": _BATCH,
    "site_id": 3,
    "command_type": "disable_hashing",
    "params": {},
    "priority": "efficiency",
    "created_by_kind": "user",
    "created_by": _ANN,
    "created_at": _THEN,
    "reason": "the transformer is serviced",
    "approval_state": "required",
    "approval_reason": "the catalogue calls it high risk; 812 machines, more than 20 in one batch",
    "waits": True,
    "counts": {"machines": 813, "created": 812, "existing": 0, "refused": 1},
}
BATCH_STORY: dict[str, Any] = BATCH | {
    "selection": {"site": "tx-midland-1", "miner_ids": None, "group_id": 5, "filter": None, "online": None},
    "states": {"queued": 800, "dispatched": 10, "succeeded": 2},
    "approval_state": "approved",
    "waits": False,
    "waiting_for_approval": 0,
    "refused": [MADE["refused"][0]],
    "approvals": [APPROVAL],
}
DECIDED: dict[str, Any] = {"batch_id": _BATCH, "commands": 812, "states": {"queued": 812}}
CATALOGUE: dict[str, Any] = {
    "types": [
        {
            "command_type": "set_fan",
            "wire_verb": "set_fan",
            "risk": "medium",
            "effect": "adjusts",
            "down": "no",
            "is_control": True,
            "params": {
                "properties": {
                    "speed": {"type": "integer", "title": "Speed", "minimum": 0, "maximum": 100, "unit": "%"}
                },
                "required": ["speed"],
            },
            "secret_params": [],
            "opposes": [],
            "undone_by": "set_fan",
            "older_names": [],
        }
    ],
    "priorities": ["safety", "compliance", "efficiency", "convenience"],
    "ttl_sec": {"least": 5, "most": 604800, "default": 900},
    "machines": {"most": 100000},
}
