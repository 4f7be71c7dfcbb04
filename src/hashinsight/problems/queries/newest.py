"""What the newest cycle of a site saw of each machine, as columns."""

from datetime import datetime

from psycopg import sql

# Whom the cycle took as a reference: steady, expected to hash, and with no grave problem; `pending` counts there, too.
# Sets that are asked for one by one are made once: whatever the statistics say of arrays and of young tables.
_NEWEST = """
with grave as materialized (
    select miner_no from problem_events where site_id = {site} and status <> 'resolved' and miner_no is not null
        and (severity <= 'P1' or issue_code = 'boards_degrading')
), awaited as materialized (
    select miner_no from expected_states where from_at <= {at} and (until_at is null or until_at > {at})
), in_fluid as materialized (
    select miner_no from miners where site_id = {site} and cooling <> 'air'
)
select v.miner_no,
    l.model || case when v.miner_no in (select miner_no from in_fluid) then ' in fluid' else '' end as model,
    l.firmware, v.mode, v.data_state, v.hashrate_ratio, v.temp_max, v.efficiency,
    v.miner_no in (select miner_no from grave) or v.miner_no in (select miner_no from awaited) as set_apart
from feature_chunks c
cross join lateral unnest(c.miner_no, c.mode, c.data_state, c.hashrate_ratio, c.temp_max, c.efficiency)
    v (miner_no, mode, data_state, hashrate_ratio, temp_max, efficiency)
cross join lateral (select model, firmware from telemetry_live l where l.miner_no = v.miner_no limit 1) l
where c.site_id = {site} and c.ts = {at}
"""
_HASHING = """
select u.miner_no, u.since, u.mode as compared_in from problem_state s
cross join lateral unnest(s.miner_no, s.hashing_since, s.mode) u (miner_no, since, mode)
where s.site_id = {site}
"""


def newest_features(site_id: int, *, at: datetime) -> sql.Composed:
    return sql.SQL(_NEWEST).format(site=sql.Literal(site_id), at=sql.Literal(at))


def newest_hashing(site_id: int) -> sql.Composed:
    """Since when each machine hashes, and in which mode it is compared, which may be told as unknown.

    Of the same machines, but not always of all of them; to be joined by who reads both, not in one statement: a server
    that cannot know how long arrays are goes through one of them for each machine of the other.
    """
    return sql.SQL(_HASHING).format(site=sql.Literal(site_id))
