"""Tell: one problem with everything that a person needs to judge it, and how one machine is."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners
from hashinsight.kit.paging import Page
from hashinsight.problems.codes import Issue
from hashinsight.problems.health_rules import BY_ISSUE
from hashinsight.problems.queries import listing, past, showing, suppressing
from hashinsight.problems.queries.listing import Wanted
from hashinsight.problems.service.listing import shown
from hashinsight.telemetry import losses
from hashinsight.telemetry.service.reading import read_machine_state

_FIRST_ENTRIES = 200
_RULES = {issue.code: rule for issue, rule in BY_ISSUE.items()}


async def tell_problem(
    session: AsyncSession, scope: Scope, problem_id: UUID, *, history_hours: int, now: datetime
) -> dict[str, Any]:
    row = await showing.get_problem(session, scope, problem_id)
    (problem,) = await shown(session, [row], now=now)
    timeline = await showing.list_timeline(session, problem_id, limit=_FIRST_ENTRIES)
    before = await showing.list_predecessors(session, problem_id)
    machine = await showing.find_machine(session, scope, row["miner_no"])
    here: dict[str, Any] = {"machine": machine, "baseline": None, "history": []}
    here |= {"suppressions": [], "suppressed_detections": []}
    if machine is not None:
        here["machine"] = machine | await read_machine_state(session, scope, row["miner_no"], now=now)
        here |= await _of_machine(session, row["site_id"], row["miner_no"], history_hours=history_hours, now=now)
    people = {str(entry["actor_id"]) for entry in timeline.rows if entry["actor_kind"] == "user"}
    people |= {str(row[name]) for name in ("assigned_to", "acked_by", "resolved_by") if row[name]}
    return {
        "problem": problem,
        "rule": _rule(row["issue_code"]),
        "timeline": list(timeline.rows),
        "timeline_cursor": timeline.next_cursor,
        "predecessors": before,
        "similar": await showing.list_similar(session, scope, row),
        "people": await showing.list_names(session, people),
        **here,
    }


async def list_timeline(
    session: AsyncSession, scope: Scope, problem_id: UUID, *, limit: int, cursor: str | None
) -> Page:
    await showing.get_problem(session, scope, problem_id)
    return await showing.list_timeline(session, problem_id, limit=limit, cursor=cursor)


async def tell_health(
    session: AsyncSession, scope: Scope, miner_id: str, site: str | int | None, *, now: datetime
) -> dict[str, Any]:
    """The state of a machine as live, map and counts have it, by the problems that are open at this moment."""
    found = (await miners.get_miner(session, scope, miner_id, site)).miner
    ids = await listing.list_ids(session, scope, Wanted(miner_no=found.miner_no), limit=len(Issue))
    rows = await listing.list_rows(session, scope, ids)
    machine = await showing.find_machine(session, scope, found.miner_no) or {}
    scan = await showing.find_last_scan(session, found.site_id)
    # a person may have resolved since the last scan what it had found
    seen = "unknown" if scan is None else machine.get("overall_health") or "unknown"
    quiet = "ok" if seen in losses.SEVERITIES else seen
    health = min((row["severity"] for row in rows), default=quiet)
    state = await read_machine_state(session, scope, found.miner_no, now=now, health=health)
    newest = [msgspec.json.decode(row["health_json"]) for row in rows if row["health_json"]]
    return {
        "site_id": found.site_id,
        "miner_id": found.miner_id,
        "health_state": state["overall_health"],
        "condition": state["condition"],
        "expected_state": state["expected_state"],
        "issues": [_issue(row) for row in rows],
        "hypotheses": next((one["hypotheses"] for one in newest if one.get("hypotheses")), []),
        "p_fail_24h": max((row["p_fail_24h"] for row in rows if row["p_fail_24h"] is not None), default=None),
        "last_seen_ts": machine.get("last_seen_at"),
        "assessed_at": None if scan is None else scan.ran_at,
        "baseline": await past.find_baseline(session, found.site_id, found.miner_no),
        **await _quiet(session, found.site_id, found.miner_no, now=now),
    }


async def _of_machine(
    session: AsyncSession, site_id: int, miner_no: int, *, history_hours: int, now: datetime
) -> dict[str, Any]:
    since = now - timedelta(hours=history_hours)
    return {
        **await _quiet(session, site_id, miner_no, now=now),
        "baseline": await past.find_baseline(session, site_id, miner_no),
        "history": await past.list_features(session, site_id, miner_no, since=since, until=now),
    }


async def _quiet(session: AsyncSession, site_id: int, miner_no: int, *, now: datetime) -> dict[str, Any]:
    """What suppresses a machine, and what was found on it since then and opened nothing."""
    found = await suppressing.list_reaching(session, site_id, miner_no, now=now)
    since = min((one["from_at"] for one in found), default=None)
    seen = [] if since is None else await suppressing.list_detections(session, miner_no, since=since)
    return {"suppressions": found, "suppressed_detections": seen}


def _issue(row: dict[str, Any]) -> dict[str, Any]:
    rule = _RULES.get(row["issue_code"])
    return {
        "problem_id": row["id"],
        "issue_code": row["issue_code"],
        "severity": row["severity"],
        "status": row["status"],
        "start_ts": row["start_ts"],
        "evidence": msgspec.Raw(row["evidence_json"].encode()),
        "recommended_actions": list(rule.actions) if rule else [],
        "confidence": None,  # a rule says yes or no; hypotheses have one
    }


def _rule(issue_code: str) -> dict[str, Any] | None:
    rule = _RULES.get(issue_code)
    if rule is None:
        return None
    told = {"code": rule.code, "severity": rule.severity.name, "description": rule.description, "metric": rule.metric}
    return told | {"recommended_actions": list(rule.actions), "needs": list(rule.needs)}
