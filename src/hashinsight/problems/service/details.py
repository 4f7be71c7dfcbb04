"""One problem with everything that a person needs to judge it; the health and the peers of one machine."""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.queries.accounts import list_user_names
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners
from hashinsight.inventory.queries.expected_now import find_expected
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.paging import Page
from hashinsight.problems.codes import Issue
from hashinsight.problems.health_rules import BY_ISSUE
from hashinsight.problems.peer_stats import PeerCache, PeerSnapshot, peer_snapshot
from hashinsight.problems.queries import details, history, lists, suppressions, timeline
from hashinsight.problems.queries.lists import ProblemFilter
from hashinsight.problems.service.lists import with_suppressions
from hashinsight.telemetry import losses
from hashinsight.telemetry.service.live import read_machine_state

_FIRST_ENTRIES = 200
_RULES = {issue.code: rule for issue, rule in BY_ISSUE.items()}
SitePeerCache = PeerCache[PeerSnapshot]


async def get_details(
    session: AsyncSession, scope: Scope, problem_id: UUID, *, history_hours: int, now: datetime
) -> dict[str, Any]:
    row = await details.get_problem(session, scope, problem_id)
    site_id, miner_no = row["site_id"], row["miner_no"]
    entries = await timeline.list_timeline(session, problem_id, limit=_FIRST_ENTRIES)
    machine = await details.find_machine(session, scope, miner_no)
    actors = [entry["actor_id"] for entry in entries.rows if entry["actor_kind"] == "user"]
    actors += [row[name] for name in ("assigned_to", "acked_by", "resolved_by")]
    answer: dict[str, Any] = {
        "rule": _rule(row["issue_code"]),
        "timeline": list(entries.rows),
        "timeline_cursor": entries.next_cursor,
        "predecessors": await details.list_predecessors(session, problem_id),
        "similar": await details.list_similar(session, scope, row),
        "people": await _user_names(session, actors),
        "machine": None,
        "baseline": None,
        "history": [],
        "suppressions": [],
        "suppressed_detections": [],
    }
    if machine is not None:
        since = now - timedelta(hours=history_hours)
        answer |= {
            "machine": machine | await read_machine_state(session, scope, miner_no, now=now),
            "baseline": await history.find_baseline(session, site_id, miner_no),
            "history": await history.list_features(session, site_id, miner_no, since=since, until=now),
            **await _suppressions(session, site_id, miner_no, now=now),
        }
    (problem,) = await with_suppressions(session, [row], now=now)
    return {"problem": problem, **answer}


async def _user_names(session: AsyncSession, actors: list[Any]) -> dict[str, str]:
    """Of the actors that are users; others, such as the command line, are not ids."""
    user_ids = set()
    for actor in actors:
        with suppress(ValueError):
            user_ids.add(UUID(str(actor)))
    return {str(user_id): name for user_id, name in (await list_user_names(session, user_ids)).items()}


async def list_timeline(
    session: AsyncSession, scope: Scope, problem_id: UUID, *, limit: int, cursor: str | None
) -> Page:
    await details.get_problem(session, scope, problem_id)
    return await timeline.list_timeline(session, problem_id, limit=limit, cursor=cursor)


async def get_health(
    session: AsyncSession, scope: Scope, miner_id: str, site: str | int | None, *, now: datetime
) -> dict[str, Any]:
    """The state of a machine as live, map and counts have it, by the problems that are open at this moment."""
    miner = (await miners.get_miner(session, scope, miner_id, site)).miner
    ids = await lists.list_ids(session, scope, ProblemFilter(miner_no=miner.miner_no), limit=len(Issue))
    rows = await lists.list_rows(session, scope, ids)
    machine = await details.find_machine(session, scope, miner.miner_no) or {}
    scan = await details.find_last_scan(session, miner.site_id)
    # a user may have resolved a problem since the last scan
    scanned = "unknown" if scan is None else machine.get("overall_health") or "unknown"
    without_problem = "ok" if scanned in losses.SEVERITIES else scanned
    health = min((row["severity"] for row in rows), default=without_problem)
    state = await read_machine_state(session, scope, miner.miner_no, now=now, health=health)
    documents = [msgspec.json.decode(row["health_json"]) for row in rows if row["health_json"]]
    return {
        "site_id": miner.site_id,
        "miner_id": miner.miner_id,
        "health_state": state["overall_health"],
        "condition": state["condition"],
        "expected_state": state["expected_state"],
        "issues": [_issue(row) for row in rows],
        "hypotheses": next((document["hypotheses"] for document in documents if document.get("hypotheses")), []),
        "p_fail_24h": max((row["p_fail_24h"] for row in rows if row["p_fail_24h"] is not None), default=None),
        "last_seen_ts": machine.get("last_seen_at"),
        "assessed_at": None if scan is None else scan.ran_at,
        "baseline": await history.find_baseline(session, miner.site_id, miner.miner_no),
        **await _suppressions(session, miner.site_id, miner.miner_no, now=now),
    }


async def _suppressions(session: AsyncSession, site_id: int, miner_no: int, *, now: datetime) -> dict[str, Any]:
    """What suppresses a machine, and the hits since then that opened no problem."""
    rows = await suppressions.list_reaching(session, site_id, miner_no, now=now)
    since = min((row["from_at"] for row in rows), default=None)
    detections = [] if since is None else await suppressions.list_detections(session, miner_no, since=since)
    return {"suppressions": rows, "suppressed_detections": detections}


def _issue(row: dict[str, Any]) -> dict[str, Any]:
    rule = _RULES.get(row["issue_code"])
    return {
        "problem_id": row["id"],
        "issue_code": row["issue_code"],
        "severity": row["severity"],
        "status": row["status"],
        "start_ts": row["start_ts"],
        "evidence": msgspec.json.decode(row["evidence_json"]),
        "recommended_actions": list(rule.actions) if rule else [],
        "confidence": None,  # a rule hits or not; only hypotheses have one
    }


def _rule(issue_code: str) -> dict[str, Any] | None:
    rule = _RULES.get(issue_code)
    if rule is None:
        return None
    return {
        "code": rule.code,
        "severity": rule.severity.name,
        "description": rule.description,
        "metric": rule.metric,
        "recommended_actions": list(rule.actions),
        "needs": list(rule.needs),
    }


async def get_peers(
    database: Database, cache: SitePeerCache, scope: Scope, miner_id: str, site: str | int | None, *, now: datetime
) -> dict[str, Any]:
    """The group is of the whole site, also for a caller who sees only a part of it: statistics, no names.

    A machine with a planned outage at the scan is not compared, nor is any other compared with it.
    """
    async with database.reading(scope.context(read_only=True)) as session:
        miner = (await miners.get_miner(session, scope, miner_id, site)).miner
        scan = await details.find_last_scan(session, miner.site_id)
        expected = scan and await find_expected(session, miner.miner_no, as_of=scan.ran_at)
    answer: dict[str, Any] = {"site_id": miner.site_id, "miner_id": miner.miner_id, "assessed_at": None}
    answer |= {"expected_state": None, "peers": None}
    if scan is None:
        return answer
    if expected is not None:
        return answer | {"assessed_at": scan.ran_at, "expected_state": expected.state}
    context = Context(tenant=str(miner.tenant_id), sites=(miner.site_id,), read_only=True)

    def compute() -> PeerSnapshot:
        rows = database.read_frame(context, history.newest_features(miner.site_id, at=scan.ran_at))
        hashing = database.read_frame(context, history.newest_hashing(miner.site_id))
        expected_states = database.read_frame(context, history.newest_expected(miner.site_id, at=scan.ran_at))
        has_outage = pl.col("miner_no").is_in(expected_states["miner_no"].to_list())
        rows = rows.with_columns(set_apart=pl.col("set_apart") | has_outage)
        return peer_snapshot(_with_hashing(rows, hashing, scan.ran_at), at=scan.ran_at)

    snapshot = await asyncio.to_thread(
        cache.get,
        str(miner.site_id),
        now=now.timestamp(),
        compute=compute,
        fits=lambda cached: bool(cached.at == scan.ran_at),
    )
    return answer | {"assessed_at": snapshot.at, "peers": snapshot.position_of(miner.miner_no)}


def _with_hashing(rows: pl.DataFrame, hashing: pl.DataFrame, at: datetime) -> pl.DataFrame:
    """With the seconds that each has been hashing, and the mode in which it is compared where that is known."""
    joined = rows.join(hashing, on="miner_no", how="left")
    seconds, mode = at.timestamp() - pl.col("since"), pl.coalesce("compared_in", "mode")
    return joined.with_columns(hashing_sec=seconds, mode=mode).drop("since", "compared_in")
