"""Examples of the longer answers: one problem with everything around it, its timeline, the health of a machine."""

from typing import Any

from hashinsight.problems.routes import examples
from hashinsight.problems.routes.examples import ANN, EVIDENCE, NOW, PROBLEM, PROBLEM_ID, SUPPRESSION, THEN

_ENTRY: dict[str, Any] = {
    "id": "01980f80-0000-7000-8000-0000000007e1",
    "at": NOW,
    "kind": "acknowledged",
    "actor_kind": "user",
    "actor_id": ANN,
    "message": "on my way to the aisle",
    "details": {},
}
TIMELINE: dict[str, Any] = {"timeline": [_ENTRY], "next_cursor": None}
_METRIC = {
    "expected": 0.998,
    "sigma": 0.009,
    "samples": 2016,
    "last_value": 0.672,
    "last_residual": -0.326,
    "anchor": 1.001,
}
_POINT: dict[str, Any] = {
    "ts": NOW,
    "data_state": "fresh",
    "inferred_mode": "normal",
    "hashrate_ratio": 0.672,
    "temp_max": 61.0,
    "efficiency": 31.2,
    "boards_ratio": 0.667,
    "fan_speed_min": 5760.0,
    "reject_rate": 0.002,
    "hw_error_rate": 0.4,
    "trend_slope": -0.001,
    "volatility": 0.006,
    "temp_spread": 4.0,
    "temp_load": 52.0,
    "board_share_min": 0.0,
    "expected": {"hashrate_ratio": 0.998, "efficiency": 29.5, "temp_max": 66.0},
}
_DETECTION: dict[str, Any] = {
    "issue_code": "fan_zero",
    "severity": "P1",
    "first_seen_ts": THEN,
    "last_seen_ts": NOW,
    "detections": 12,
}
_BASELINE: dict[str, Any] = {
    "metrics": {"hashrate_ratio": _METRIC},
    "inferred_mode": "normal",
    "mode_confidence": 1.0,
    "thaw_reason": "none",
    "updated_at": NOW,
    "frozen_since": THEN,
    "thawed_at": None,
    "mode_changed_at": None,
}
STORY: dict[str, Any] = {
    "problem": PROBLEM,
    "rule": {
        "code": "hashrate_degradation",
        "severity": "P2",
        "description": "Hashrate below its own baseline, or repeated reboots",
        "metric": "hashrate_ratio",
        "recommended_actions": ["restart", "inspect_boards"],
        "needs": ["hashrate_ratio"],
    },
    "timeline": [_ENTRY],
    "timeline_cursor": None,
    "predecessors": [
        {
            "id": "01980f10-0000-7000-8000-0000000000e1",
            "severity": "P2",
            "status": "resolved",
            "start_ts": "2026-02-11T08:00:00Z",
            "last_seen_ts": "2026-02-11T09:30:00Z",
            "resolved_ts": "2026-02-11T09:45:00Z",
            "recurrence_count": 1,
            "resolved_by": ANN,
            "resolution_cause": "cleaned",
            "resolution_action": "dust blown out",
        }
    ],
    "similar": [
        {
            "resolution_cause": "repaired",
            "resolution_action": "hashboard swapped",
            "times": 7,
            "last_resolved_ts": "2026-02-27T16:10:00Z",
            "median_sec": 86400.0,
        }
    ],
    "people": {ANN: "Ann"},
    "machine": {
        "miner_no": 10231,
        "miner_id": "B2-R14-03",
        "site_id": 3,
        "model": "Antminer S19j Pro",
        "firmware": "LUXminer 2026.1",
        "serial": "SN-0815",
        "owner": "customer-7",
        "position": "3",
        "rated_ths": 104.0,
        "rated_source": "catalogue",
        "reference_ths": 104.0,
        "expected_ths": 104.0,
        "expected_source": "catalogue",
        "state": "in_service",
        "zone": "B2",
        "rack": "R14",
        "condition": "P2",
        "overall_health": "P2",
        "expected_state": None,
        "stopped_ths": 0.0,
        "online": True,
        "sample_at": NOW,
        "last_seen_at": NOW,
    },
    "suppressions": [SUPPRESSION],
    "suppressed_detections": [_DETECTION],
    "baseline": _BASELINE,
    "history": [_POINT],
}
HEALTH: dict[str, Any] = {
    "site_id": 3,
    "miner_id": "B2-R14-03",
    "health_state": "P2",
    "condition": "P2",
    "expected_state": None,
    "issues": [
        {
            "problem_id": PROBLEM_ID,
            "issue_code": "hashrate_degradation",
            "severity": "P2",
            "status": "open",
            "start_ts": THEN,
            "evidence": [EVIDENCE],
            "recommended_actions": ["restart", "inspect_boards"],
            "confidence": None,
        }
    ],
    "hypotheses": [],
    "p_fail_24h": 0.312,
    "last_seen_ts": NOW,
    "assessed_at": NOW,
    "suppressions": [SUPPRESSION],
    "suppressed_detections": [_DETECTION],
    "baseline": _BASELINE,
}
PEERS: dict[str, Any] = {
    "site_id": 3,
    "miner_id": "B2-R14-03",
    "assessed_at": NOW,
    "expected_state": None,
    "peers": {
        metric: {**standing, "spread": {"edges": [0.66, 0.845, 1.03], "counts": [1, 639]}}
        for metric, standing in examples.PEERS.items()
    },
}
