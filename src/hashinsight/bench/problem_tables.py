"""Tables of `bench api`: a site with one open problem per machine and twice as many resolved, in plain SQL."""

import asyncio

from hashinsight.bench.scratch import Scratch

MACHINES = 100_000
RESOLVED = 200_000
SOMEBODY = "01997000-0000-7000-8000-000000000001"

_PLACES = """
insert into zones (tenant_id, site_id, code, name)
    select tenant_id, id, 'z' || n, 'zone ' || n from sites, generate_series(1, 20) n;
insert into miners (tenant_id, site_id, zone_id, miner_id, model, firmware, created_at, updated_at)
    select s.tenant_id, s.id, z.id, 'm' || n,
        (array['Antminer S19j Pro', 'Antminer S21', 'Whatsminer M50S'])[1 + n % 3],
        'firmware 2026.' || n % 5, s.created_at, s.created_at
    from sites s, generate_series(1, {machines}) n join zones z on z.code = 'z' || 1 + n % 20;
insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags, hashrate_5min_ths,
    overall_health, updated_at)
    select miner_no, tenant_id, site_id, '{now}', '{now}', true, 1, 0, 100, 'P2', '{now}' from miners;
"""
# as a cycle writes them, with three evidence snapshots, peers and pulse; 5, 15, 40 and 40 % by severity; 1 in 50 is
# assigned, 1 in 7 of the resolved was closed by a person
_EVENTS = """
create temporary table planned as
select uuidv7() id, m.*, n, n > {machines} is_old, '{now}'::timestamptz - n * interval '7 seconds' began,
    case when n % 20 = 0 then 0 when n % 20 < 4 then 1 when n % 20 < 12 then 2 else 3 end severity
from generate_series(1, {machines} + {resolved}) n join miners m on m.miner_id = 'm' || 1 + (n - 1) % {machines};
alter table planned add issue_code text, add status text;
update planned set issue_code = case severity when 0 then (array['overheat_crit', 'offline'])[1 + n / 20 % 2]
        when 1 then (array['hashrate_zero', 'boards_dead', 'fan_zero'])[1 + n % 3]
        when 2 then (array['hashrate_degradation', 'efficiency_degradation', 'temp_anomaly'])[1 + n % 3]
        else (array['fleet_outlier', 'sensor_fault'])[1 + n % 2] end,
    status = case when is_old then 'resolved' when n % 50 < 40 then 'open' when n % 50 < 46 then 'ack'
        else 'in_progress' end;
insert into problem_events (id, tenant_id, site_id, event_no, miner_no, miner_id, issue_code, severity, status,
    start_ts, opened_ts, last_seen_ts, seen, resolved_ts, dedup_key, evidence_json, peer_metrics_json, p_fail_24h,
    zone_id, model, firmware, assigned_to, resolved_by, resolution_cause, created_at, updated_at)
select id, tenant_id, site_id, n, miner_no, miner_id, issue_code, 'P' || severity, status, began, began, began,
    not is_old, case when is_old then began + interval '1 hour' end, miner_id || ':' || issue_code,
    (select jsonb_agg(jsonb_build_object('rule_code', issue_code, 'description', 'hashes less than its own past',
        'hashrate_ratio', 0.9 - s / 100.0, 'threshold', 0.05, 'evaluated_at', began, 'baseline', jsonb_build_object(
        'metric', 'hashrate_ratio', 'expected', 1.0, 'residual', -0.1, 'sigma', 0.01, 'z', -10))) from
        generate_series(1, 3) s),
    jsonb_build_object('hashrate_ratio', jsonb_build_object('level', 'site:model:firmware:mode', 'value', 0.9,
        'robust_z', -4.2, 'percentile', 0.004, 'median', 1.0, 'mad', 0.01, 'p10', 0.97, 'p25', 0.99, 'p75', 1.01,
        'p90', 1.02, 'min', 0.9, 'max', 1.04, 'count', 640)),
    case when n % 3 = 0 then (n % 997) / 1000.0 end, zone_id, model, firmware,
    case when n % 50 = 7 then '{somebody}' end,
    case when is_old then case when n % 7 = 0 then '{somebody}' else 'system' end end,
    case when is_old then case when n % 7 = 0 then 'repaired' else 'recovered' end end, began, began
from planned;
insert into problem_pulse (problem_id, tenant_id, site_id, version, event_no, subject, issue, severity, status,
    start_ts, opened_ts, last_seen_ts, resolved_ts, recurrences, consecutive_ok, consecutive_fail, flap_since,
    flap_count, flapping, notified, escalated, predecessor)
select id, tenant_id, site_id, 0, n, miner_no, severity, severity, 1, extract(epoch from began),
    extract(epoch from began), extract(epoch from '{now}'::timestamptz), 'NaN', 0, 0, 9, 'NaN', 0, false, 127, false,
    -1
from planned where not is_old;
insert into problem_timeline (id, tenant_id, site_id, problem_id, at, kind, actor_kind)
select uuidv7(), tenant_id, site_id, id, began, 'opened', 'system' from planned;
insert into problem_sites (site_id, tenant_id, next_no, cycled_at, modes)
    select id, tenant_id, 1 + {machines} + {resolved}, '{now}', '{{}}' from sites;
insert into problem_runs (tenant_id, site_id, period, ran_at, machines, fresh, stale, offline, unknown, healthy,
    with_problem, actions, seconds)
    select tenant_id, id, '{now}', '{now}', {machines}, {machines}, 0, 0, 0, 0, {machines}, '{{}}', '{{}}' from sites;
"""


def statements(*, machines: int, resolved: int, now: str) -> str:
    """Run as superuser, on an installation with one site and no machines."""
    return (_PLACES + _EVENTS).format(machines=machines, resolved=resolved, now=now, somebody=SOMEBODY)


async def fill(installation: Scratch, *, now: str) -> None:
    script = installation.folder / "problems.sql"
    script.write_text(f"set timezone = 'UTC';\n{statements(machines=MACHINES, resolved=RESOLVED, now=now)}")
    await asyncio.to_thread(installation.run_psql, "-f", str(script))
    await asyncio.to_thread(installation.settle)
