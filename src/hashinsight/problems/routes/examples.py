"""Examples for the OpenAPI document. A test compares their keys with what the routes answer."""

from typing import Any

THEN, NOW, LATER = "2026-03-01T11:00:00Z", "2026-03-01T12:00:00Z", "2026-03-01T18:00:00Z"
ANN = "01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a11"
PROBLEM_ID = "01980f80-0000-7000-8000-0000000000e1"
EVIDENCE: dict[str, Any] = {
    "rule_code": "hashrate_degradation",
    "description": "Hashrate below its own baseline, or repeated reboots",
    "evaluated_at": NOW,
    "way": "own_past",
    "ways": ["own_past"],
    "metric": "hashrate_ratio",
    "hashrate_ratio": 0.672,
    "threshold": 0.968,
    "side": "below",
    "measured": "now",
    "held": False,
    "baseline": {
        "metric": "hashrate_ratio",
        "value": 0.672,
        "expected": 0.998,
        "residual": -0.326,
        "smoothed_residual": -0.071,
        "sigma": 0.009,
        "z": -7.9,
        "from_anchor": -0.074,
    },
    "expected_ths": 104.0,
    "expectation": "given",
    "left_out": ["board_share_min"],
}
PEERS = {
    "hashrate_ratio": {
        "level": "site:model:firmware:mode",
        "value": 0.672,
        "robust_z": -31.0,
        "percentile": 0.0,
        "median": 0.997,
        "p10": 0.981,
        "p25": 0.991,
        "p75": 1.003,
        "p90": 1.012,
        "min": 0.66,
        "max": 1.03,
        "count": 640,
    }
}
PROBLEM: dict[str, Any] = {
    "id": PROBLEM_ID,
    "site_id": 3,
    "event_no": 4711,
    "miner_no": 10231,
    "miner_id": "B2-R14-03",
    "collector_id": None,
    "issue_code": "hashrate_degradation",
    "severity": "P2",
    "status": "open",
    "start_ts": THEN,
    "opened_ts": THEN,
    "resolved_ts": None,
    "dedup_key": "B2-R14-03:hashrate_degradation",
    "suppress_until": None,
    "maintenance_flag": False,
    "symptom": False,
    "flapping": False,
    "escalated": False,
    "incident_id": None,
    "predecessor_id": None,
    "assigned_to": None,
    "acked_by": None,
    "acked_at": None,
    "resolved_by": None,
    "resolution_cause": None,
    "resolution_action": None,
    "loss_ths": 34.1,
    "loss_thh": 34.1,
    "p_fail_24h": 0.312,
    "zone_id": 7,
    "model": "Antminer S19j Pro",
    "firmware": "LUXminer 2026.1",
    "created_at": THEN,
    "updated_at": NOW,
    "last_seen_ts": NOW,
    "recurrence_count": 0,
    "consecutive_ok": 0,
    "consecutive_fail": 13,
    "evidence_json": [EVIDENCE],
    "actions_json": [],
    "peer_metrics_json": PEERS,
    "ml_json": None,
    "health_json": None,
    "zone": "B2",
    "suppressed": False,
}
RESOLVED: dict[str, Any] = {
    **PROBLEM,
    "status": "resolved",
    "resolved_ts": NOW,
    "resolved_by": ANN,
    "resolution_cause": "repaired",
    "resolution_action": "hashboard 2 swapped",
}
PAGE: dict[str, Any] = {
    "problems": [PROBLEM],
    "pagination": {"page": 1, "per_page": 50, "total": 1, "pages": 1},
}
_LINES = (
    "id,site_id,site,site_name,miner_id,zone,issue_code,severity,status\r\n"
    f"{PROBLEM_ID},3,tx-1,Midland 1,B2-R14-03,B2,offline,P0,open\r\n"
)
LIST_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "As asked",
        "content": {"application/json": {"example": PAGE}, "text/csv": {"example": _LINES}},
    }
}
OF_MINER: dict[str, Any] = {"miner_id": "B2-R14-03", "problems": [PROBLEM], "total": 1}
RISKS: dict[str, Any] = {
    "site_id": 3,
    "judged": 49,
    "columns": {"miner_no": [812, 97], "miner_id": ["B2-R14-03", "A1-R02-11"], "p_fail_24h": [0.62, 0.31]},
}
_CATALOGUE = {"warn_source": "catalogue", "crit_source": "catalogue"}
_ASSUMED = {"warn_source": "assumed", "crit_source": "assumed"}
TEMPERATURE_LIMITS: dict[str, Any] = {
    "site_id": 3,
    "limits": [
        {
            "sensor": "chip",
            "warn_c": 88.0,
            "crit_c": 95.0,
            **_CATALOGUE,
            "other": {"sensor": "board", "warn_c": 83.0, "crit_c": 90.0, **_CATALOGUE},
        },
        {
            "sensor": "chip",
            "warn_c": 75.0,
            "crit_c": 85.0,
            **_ASSUMED,
            "other": {"sensor": "board", "warn_c": 75.0, "crit_c": 85.0, **_ASSUMED},
        },
    ],
    "columns": {"miner_no": [97, 812], "limit": [0, 1]},
}
SUMMARY: dict[str, Any] = {
    "site_id": 3,
    "total_miners": 4120,
    "healthy_miners": 3991,
    "problem_miners": 41,
    "stopped_miners": 78,
    "down_miners": 2,
    "unknown_miners": 8,
    "by_severity": {"P0": 2, "P1": 9, "P2": 21, "P3": 11},
    "by_issue": {"hashrate_degradation": 14, "offline": 2},
    "incidents": [{"incident_id": "01980f80-0000-7000-8000-0000000001c1", "problems": 12}],
    "loss": {"ths": 812.4, "thh": 9630.0},
    "top_risks": [
        {
            "miner_id": "B2-R14-03",
            "issue_code": "hashrate_degradation",
            "severity": "P2",
            "p_fail_24h": 0.312,
            "start_ts": THEN,
        }
    ],
    "last_scan_ts": NOW,
}
SUPPRESSED: dict[str, Any] = {
    "success": True,
    "miner_id": "B2-R14-03",
    "message": "suppressed until 2026-03-01 18:00:00Z",
    "until": LATER,
    "maintenance": True,
    "reason": "new fans",
}
UNSUPPRESSED: dict[str, Any] = {
    "success": True,
    "miner_id": "B2-R14-03",
    "message": "not suppressed any more; still suppressed by its zone",
    "lifted": 1,
    "still_by": ["zone"],
}
SUPPRESSION: dict[str, Any] = {
    "id": "01980f80-0000-7000-8000-0000000005e1",
    "site_id": 3,
    "kind": "zone",
    "miner_no": None,
    "zone_id": 7,
    "group_id": None,
    "from_at": NOW,
    "until_at": LATER,
    "maintenance": True,
    "reason": "rewiring",
    "created_at": NOW,
    "created_by_kind": "user",
    "created_by": ANN,
    "lifted_at": None,
    "lifted_by": None,
    "site": "tx-midland-1",
    "miner_id": None,
    "zone": "B2",
    "group": None,
}
COUNTS: dict[str, Any] = {
    "total": 43,
    "symptoms": 12,
    "facets": {
        "severity": [{"value": "P0", "problems": 2}, {"value": "P1", "problems": 41}],
        "issue_code": [{"value": "offline", "problems": 2}],
        "status": [{"value": "open", "problems": 43}],
        "site": [{"value": "tx-midland-1", "problems": 43, "name": "Midland 1"}],
        "zone": [{"value": "B2", "problems": 43}],
        "model": [{"value": "Antminer S19j Pro", "problems": 43}],
        "firmware": [{"value": "LUXminer 2026.1", "problems": 43}],
        "age": [{"value": "hour", "problems": 40}, {"value": "older", "problems": 3}],
    },
}
ASSIGNEES: dict[str, Any] = {"assignees": [{"id": ANN, "name": "Ann"}]}
BULK: dict[str, Any] = {
    "results": [
        {"id": PROBLEM_ID, "changed": True, "status": "ack"},
        {
            "id": "01980f80-0000-7000-8000-0000000000e2",
            "changed": False,
            "error_code": "ALREADY_ACKNOWLEDGED",
            "reason": "somebody has taken it already",
        },
    ],
    "counts": {"changed": 1, "refused": 1},
}
