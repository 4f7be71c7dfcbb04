"""Sites whose machines are in every state, written as the live layer and the rollups hold them."""

from hashinsight.problems.chunks import CHUNK
from hashinsight.problems.state import FIELDS, PACKED

CODE, UNSEEN, MIXED = "tx-numbers", "tx-unseen", "tx-mixed"
# their samples are of tomorrow, so that they stay fresh however slow the run is; no cycle judges them
_SITE = f"""
with s as (insert into sites (tenant_id, code, name, timezone, created_at)
    select id, '{CODE}', 'Numbers', 'UTC', now() from tenants limit 1 returning id, tenant_id),
judged as (insert into tick_runs (tick, site_id, period, state, finished_at)
    select 'problem_cycle', s.id, period, 'done', now() from s, generate_series(date_bin('5 minutes', now(), 'epoch')
    - interval '1 h', now() + interval '6 h', interval '5 min') period),
z as (insert into zones (tenant_id, site_id, code, name)
    select tenant_id, id, code, code from s, unnest(array['east', 'west']) code returning id, code)
insert into miners (tenant_id, site_id, miner_id, model, zone_id, expected_ths, expected_source, created_at, updated_at)
select s.tenant_id, s.id, 'n-' || lpad(n::text, 2, '0'), 'Antminer S19j Pro', z.id, 104, 'catalogue', now(), now()
from s, generate_series(0, 39) n join z on z.code = case when n % 2 = 0 then 'east' else 'west' end
"""
# 20 fine, 6 in eco, 3 stopped, 3 dark (one of them suppressed), 2 that stand still, 4 with half their boards; 2 were
# never heard of. Who is dark keeps what it last reported
_LIVE = f"""
insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags, hashrate_5min_ths,
    hashrate_ths, power_w, power_5min_w, powered_5min_ths, temp_c, temp_max_c, updated_at, overall_health,
    inferred_mode, mode_share)
select m.miner_no, m.tenant_id, m.site_id, now() + interval '1 day', now(), true,
    case when n between 29 and 31 then 0 else 1 end, 0, ths, ths, 29 * ths, 29 * ths, ths, 60, 65, now(),
    case n when 29 then 'P0' when 32 then 'P1' when 36 then 'P2' when 37 then 'P2' when 38 then 'P2' when 39 then 'P2'
        else 'ok' end,
    case when n between 20 and 25 then 'eco' else 'normal' end, case when n between 20 and 25 then 0.7 end
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}'
cross join lateral (select substring(m.miner_id from '^n-([0-9]+)$')::int as n) numbered
cross join lateral (select case when n < 20 or n between 29 and 31 then 104.0 when n < 26 then 72.8 when n < 34 then 0.0
    else 52.0 end ths) d
where n not in (34, 35)
"""
_STOPPED = f"""
insert into expected_states (id, tenant_id, site_id, miner_no, state, from_at, cause, created_at)
select gen_random_uuid(), m.tenant_id, m.site_id, m.miner_no, 'stopped', now() - interval '10 minutes', 'a test', now()
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}'
where m.miner_id in ('n-26', 'n-27', 'n-28')
"""
_SUPPRESSED = f"""
insert into suppressions (id, tenant_id, site_id, kind, miner_no, reason, maintenance, created_by_kind, from_at,
    created_at)
select gen_random_uuid(), m.tenant_id, m.site_id, 'miner', m.miner_no, 'a test', false, 'user',
    now() - interval '10 minutes', now()
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}' where m.miner_id = 'n-31'
"""
_OTHER_SITES = f"""
with s as (insert into sites (tenant_id, code, name, timezone, created_at)
    select id, code, name, 'UTC', now() from (select id from tenants limit 1) t,
    (values ('{UNSEEN}', 'Unseen'), ('{MIXED}', 'Mixed')) named (code, name) returning id, tenant_id, code)
insert into miners (tenant_id, site_id, miner_id, model, expected_ths, expected_source, created_at, updated_at)
select s.tenant_id, s.id, left(s.code, 4) || n, 'Antminer S19j Pro', 104, 'catalogue', now(), now()
from s, generate_series(1, 6) n
"""
# five above what is expected and one that stands: more is delivered than expected, and a machine is lost
_MIXED_LIVE = f"""
insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags, hashrate_5min_ths,
    hashrate_ths, updated_at, overall_health)
select m.miner_no, m.tenant_id, m.site_id, now() + interval '1 day', now(), true, 1, 0, ths, ths, now(), 'ok'
from miners m join sites s on s.id = m.site_id and s.code = '{MIXED}'
cross join lateral (select case when m.miner_id like '%6' then 0.0 else 130.0 end ths) d
"""
_PAST = f"""
insert into telemetry_5min (miner_no, bucket_ts, tenant_id, site_id, samples, online_samples, hashrate_n, temp_n,
    power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, created_at)
select m.miner_no, at, m.tenant_id, m.site_id, 1, 1, 1, 1, 1, 0, 80.0, 60.0, 2400.0, 0, at
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}',
    generate_series(date_bin('5 minutes', now(), 'epoch') - interval '4 h', now(), interval '5 min') at
where m.miner_id < 'n-10'
"""
# an hour of one in eco, and what it has learnt of it: 0.70 of what it is rated for, within 0.01
_ECO_PAST = f"""
insert into telemetry_5min (miner_no, bucket_ts, tenant_id, site_id, samples, online_samples, hashrate_n, temp_n,
    power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, created_at)
select m.miner_no, at, m.tenant_id, m.site_id, 1, 1, 1, 1, 1, 0, 72.8, 60.0, 2100.0, 0, at
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}',
    generate_series(date_bin('5 minutes', now(), 'epoch') - interval '1 h', now(), interval '5 min') at
where m.miner_id = 'n-20'
"""
_LEARNT = {"ewma": 0.0, "reference": 0.7, "variance": 0.01**2, "samples": 600}
CONDITIONS = {"P0": 1, "P1": 1, "P2": 4, "P3": 0, "down": 3, "stopped": 3, "unknown": 2, "fine": 26}


def _baseline() -> str:
    """The same figures for every metric; only the hashrate's are looked at."""
    cells = {
        name: "''" if name in PACKED else f"'{{{', '.join([str(_LEARNT.get(name, default))] * rows)}}}'"
        for name, (rows, _, default) in FIELDS.items()
    }
    return (
        f"insert into problem_state (site_id, chunk, tenant_id, miner_no, {', '.join(cells)})"
        f" select m.site_id, m.miner_no / {CHUNK}, m.tenant_id, array[m.miner_no], {', '.join(cells.values())}"
        f" from miners m join sites s on s.id = m.site_id and s.code = '{CODE}' where m.miner_id = 'n-20'"
    )


FILL = (_SITE, _LIVE, _STOPPED, _SUPPRESSED, _PAST, _ECO_PAST, _baseline(), _OTHER_SITES, _MIXED_LIVE)
_CODES = f"'{CODE}', '{UNSEEN}', '{MIXED}'"
EMPTY = f"update miners set state = 'retired' where site_id in (select id from sites where code in ({_CODES}))"
