"""The events of a replay as JSON lines, in the form that scripts rely on: one object a problem or incident."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from hashinsight.problems.codes import Issue
from hashinsight.replay.driving import Replayed


def lines_of(done: Replayed) -> Iterator[str]:
    """By the time of opening. There are no incidents yet: every line is a problem, and none is another's symptom."""
    for event in done.events.sort("opened_ts", "event_no").iter_rows(named=True):
        evidence: dict[str, Any] | None = json.loads(done.evidence.get(event["event_no"], "null"))
        if event["issue_code"] == Issue.COLLECTOR_DOWN.code and evidence is not None:
            evidence["collector"] = str(event["miner_id"]).removeprefix("collector:")
        yield json.dumps(
            {
                "kind": "problem",
                "site": event["site"],
                "miner_id": event["miner_id"] if event["subject"] >= 0 else None,
                "issue_code": event["issue_code"],
                "severity": event["severity"],
                "opened_at": _iso(event["opened_ts"]),
                "resolved_at": _iso(event["resolved_ts"]),
                "symptom": False,
                "incident_id": None,
                "evidence": evidence,
            },
            ensure_ascii=False,
        )


def _iso(at: datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"
