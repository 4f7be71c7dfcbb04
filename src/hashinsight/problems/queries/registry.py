"""The statements of the registry, each over all rows of a cycle."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import polars as pl
from sqlalchemy import ARRAY, TextClause, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.bulk import staged
from hashinsight.kit.ids import new_ids
from hashinsight.problems.events import ARRAYS

_KEPT_SNAPSHOTS = 12

_PULSE = ", ".join(ARRAYS)
_PULSE_CHANGED = ", ".join(f"{name} = s.{name}" for name in ARRAYS if name not in ("event_no", "subject", "issue"))
_PULSE_KINDS = {
    "problem_id": "uuid", "version": "integer", "event_no": "bigint", "subject": "bigint", "issue": "smallint",
    "severity": "smallint", "status": "smallint", "notified": "smallint", "flapping": "boolean",
    "escalated": "boolean", "predecessor": "bigint", "recurrences": "integer", "consecutive_ok": "integer",
    "consecutive_fail": "integer", "flap_count": "integer", "start_ts": "float8", "opened_ts": "float8",
    "last_seen_ts": "float8", "resolved_ts": "float8", "flap_since": "float8",
}  # fmt: skip


_INSERT_PULSE = f"""
insert into problem_pulse (problem_id, tenant_id, site_id, version, {_PULSE})
select problem_id, :tenant, :site, 0, {_PULSE}
from {{stage}}
where version < 0
"""  # noqa: S608 - names of our own columns
# A row whose version has changed since it was read belongs to somebody's action: it is not written, and named.
_UPDATE_PULSE = f"""
with moved as (
    update problem_pulse p
    set {_PULSE_CHANGED}
    from {{stage}} s
    where p.problem_id = s.problem_id and p.version = s.version
    returning p.problem_id
)
select problem_id::text from {{stage}} where version >= 0
except
select problem_id::text from moved
"""  # noqa: S608


async def write_pulse(session: AsyncSession, tenant_id: UUID, site_id: int, rows: pl.DataFrame) -> list[str]:
    """Rows with version -1 are new. Returns the ids of those that somebody has acted on since they were read."""
    if rows.is_empty():
        return []
    async with staged(session, "stage_pulse", rows, _PULSE_KINDS) as stage:
        await session.execute(text(_INSERT_PULSE.format(stage=stage)), {"tenant": tenant_id, "site": site_id})
        return list((await session.execute(text(_UPDATE_PULSE.format(stage=stage)))).scalars())


_EVENT_KINDS = {
    "id": "uuid", "is_new": "boolean", "event_no": "bigint", "subject": "bigint", "issue_code": "text",
    "severity": "text", "status": "text", "start_ts": "float8", "opened_ts": "float8", "last_seen_ts": "float8",
    "seen": "boolean", "resolved_ts": "float8", "recurrence_count": "integer", "flapping": "boolean",
    "escalated": "boolean", "predecessor": "bigint", "evidence": "jsonb", "peers": "jsonb", "miner_no": "integer",
    "miner_id": "text", "collector_id": "uuid", "zone_id": "integer", "model": "text", "firmware": "text",
}  # fmt: skip
# the first snapshot stays, the oldest of the others goes
_SNAPSHOTS = f"""case
            when s.evidence is null then e.evidence_json
            when jsonb_array_length(e.evidence_json) < {_KEPT_SNAPSHOTS} then e.evidence_json || s.evidence
            else (e.evidence_json - 1) || s.evidence
        end"""
_UPDATE_EVENTS = f"""
    update problem_events e
    set
        severity = s.severity,
        status = s.status,
        opened_ts = to_timestamp(s.opened_ts),
        last_seen_ts = to_timestamp(s.last_seen_ts),
        seen = s.seen,
        resolved_ts = to_timestamp(s.resolved_ts),
        miner_id = coalesce(s.miner_id, e.miner_id),
        dedup_key = coalesce(s.miner_id, e.miner_id, e.collector_id::text) || ':' || e.issue_code,
        recurrence_count = s.recurrence_count,
        flapping = s.flapping,
        escalated = s.escalated,
        evidence_json = {_SNAPSHOTS},
        peer_metrics_json = coalesce(s.peers, e.peer_metrics_json),
        model = coalesce(s.model, e.model),
        firmware = coalesce(s.firmware, e.firmware),
        updated_at = :now,
        -- a reopened problem is nobody's yet
        acked_by = case when s.status = 'open' and e.status = 'resolved' then null else e.acked_by end,
        acked_at = case when s.status = 'open' and e.status = 'resolved' then null else e.acked_at end,
        resolved_by = case
            when s.status = 'resolved' and e.status <> 'resolved' then 'system'
            when s.status = 'open' then null
            else e.resolved_by
        end,
        resolution_cause = case
            when s.status = 'resolved' and e.status <> 'resolved' then case
                when coalesce(s.miner_no::text, s.collector_id::text) is null then 'left_site'
                when s.escalated then 'escalated'
                else 'recovered'
            end
            when s.status = 'open' then null
            else e.resolution_cause
        end,
        resolution_action = case when s.status = 'open' then null else e.resolution_action end
    from {{stage}} s
    where e.id = s.id and not s.is_new
"""  # noqa: S608 - names of our own columns
_INSERT_EVENTS = """
    insert into problem_events (
        id, tenant_id, site_id, event_no, miner_no, miner_id, collector_id, issue_code, severity, status,
        start_ts, opened_ts, last_seen_ts, seen, resolved_ts, recurrence_count, dedup_key,
        evidence_json, peer_metrics_json, flapping, escalated, predecessor_id,
        zone_id, model, firmware, created_at, updated_at
    )
    select
        s.id, :tenant, :site, s.event_no, s.miner_no, s.miner_id, s.collector_id, s.issue_code, s.severity, s.status,
        to_timestamp(s.start_ts), to_timestamp(s.opened_ts), to_timestamp(s.last_seen_ts), s.seen,
        to_timestamp(s.resolved_ts), s.recurrence_count,
        coalesce(s.miner_id, s.collector_id::text) || ':' || s.issue_code,
        case when s.evidence is null then '[]' else jsonb_build_array(s.evidence) end,
        s.peers, s.flapping, s.escalated,
        (select p.id from problem_events p where p.site_id = :site and p.event_no = s.predecessor),
        s.zone_id, s.model, s.firmware, :now, :now
    from {stage} s
    where s.is_new and (s.miner_no is not null or s.collector_id is not null)
"""
_MISNAMED = text("""
select e.id, m.miner_id
from problem_events e
left join miners m on m.miner_no = e.miner_no and m.site_id = e.site_id
where e.site_id = :site
    and e.status <> 'resolved'
    and e.miner_no is not null
    and m.miner_id is distinct from e.miner_id
""")
# Two machines may have swapped ids, and a problem is active once by its key: first all old keys go, then the new ones
# come. The problem of a machine that has left has no key until it is closed.
_UNKEYED = "update problem_events set dedup_key = id::text where id = any(:ids)"
_RENAMED = """
update problem_events e
set miner_id = n.miner_id, dedup_key = n.miner_id || ':' || e.issue_code, updated_at = :now
from unnest(cast(:ids as uuid[]), cast(:names as text[])) n (id, miner_id)
where e.id = n.id and n.miner_id is not null
"""
_REZONED = text("""
update problem_events e set zone_id = m.zone_id, updated_at = :now
from miners m
where m.miner_no = e.miner_no and m.site_id = e.site_id
    and e.site_id = :site and e.status <> 'resolved'
    and m.zone_id is distinct from e.zone_id
""")


async def follow_zones(session: AsyncSession, site_id: int, *, now: datetime) -> None:
    """Active problems are in the present zones of their machines."""
    await session.execute(_REZONED, {"site": site_id, "now": now})


async def follow_names(session: AsyncSession, site_id: int, *, now: datetime) -> None:
    """Active problems have the present ids of their machines."""
    rows = (await session.execute(_MISNAMED, {"site": site_id})).all()
    if rows:
        ids = [row.id for row in rows]
        await session.execute(_by_ids(_UNKEYED), {"ids": ids})
        await session.execute(_by_ids(_RENAMED), {"ids": ids, "names": [row.miner_id for row in rows], "now": now})


async def write_events(
    session: AsyncSession, tenant_id: UUID, site_id: int, rows: pl.DataFrame, *, now: datetime
) -> None:
    if rows.is_empty():
        return
    async with staged(session, "stage_events", rows, _EVENT_KINDS) as stage:
        # existing problems first: one that ends makes room for a new one with its key
        await session.execute(text(_UPDATE_EVENTS.format(stage=stage)), {"now": now})
        await session.execute(
            text(_INSERT_EVENTS.format(stage=stage)), {"tenant": tenant_id, "site": site_id, "now": now}
        )


_INSERT_TIMELINE = """
insert into problem_timeline (id, tenant_id, site_id, problem_id, at, kind, actor_kind, details)
select
    id, :tenant, :site, problem_id, :now, kind, 'system',
    jsonb_build_object('severity', severity, 'issue_code', issue_code)
from {stage}
"""
# A detection that was not seen for a day starts a new count.
_UPSERT_SUPPRESSED = """
insert into suppressed_detections as t (
    miner_no, issue_code, tenant_id, site_id, severity, first_seen_ts, last_seen_ts, detections
)
select miner_no, issue_code, :tenant, :site, severity, :now, :now, 1
from {stage}
on conflict (miner_no, issue_code) do update
set
    severity = excluded.severity,
    tenant_id = excluded.tenant_id,
    site_id = excluded.site_id,
    last_seen_ts = excluded.last_seen_ts,
    first_seen_ts = case when t.last_seen_ts < :now - interval '1 day' then :now else t.first_seen_ts end,
    detections = case when t.last_seen_ts < :now - interval '1 day' then 1 else t.detections + 1 end
"""


async def delete_events(session: AsyncSession, ids: Sequence[str]) -> None:
    """Of problems that never opened."""
    if ids:
        await session.execute(_by_ids("delete from problem_events where id = any(:ids)"), {"ids": list(ids)})


async def delete_pulse(session: AsyncSession, ids: Sequence[str]) -> None:
    if ids:
        await session.execute(_by_ids("delete from problem_pulse where problem_id = any(:ids)"), {"ids": list(ids)})


async def write_timeline(
    session: AsyncSession, tenant_id: UUID, site_id: int, rows: pl.DataFrame, *, now: datetime
) -> None:
    if rows.is_empty():
        return
    entries = rows.select("problem_id", "kind", "severity", "issue_code", id=pl.Series(new_ids(len(rows))))
    kinds = {"problem_id": "uuid", "kind": "text", "severity": "text", "issue_code": "text", "id": "uuid"}
    async with staged(session, "stage_timeline", entries, kinds) as stage:
        await session.execute(
            text(_INSERT_TIMELINE.format(stage=stage)),
            {"tenant": tenant_id, "site": site_id, "now": now},
        )


async def write_suppressed(
    session: AsyncSession, tenant_id: UUID, site_id: int, rows: pl.DataFrame, *, now: datetime
) -> None:
    if rows.is_empty():
        return
    kinds = {"miner_no": "integer", "issue_code": "text", "severity": "text"}
    async with staged(session, "stage_suppressed", rows, kinds) as stage:
        await session.execute(
            text(_UPSERT_SUPPRESSED.format(stage=stage)),
            {"tenant": tenant_id, "site": site_id, "now": now},
        )


def _by_ids(statement: str) -> TextClause:
    return text(statement).bindparams(bindparam("ids", type_=ARRAY(Uuid)))
