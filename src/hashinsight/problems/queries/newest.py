"""What the newest cycle of a site saw of each machine, as columns."""

from datetime import datetime

from psycopg import sql

# Whom the cycle took as a reference: steady, expected to hash, and with no grave problem; `pending` counts there, too.
# By the mode it is compared in, which may be told as unknown.
# A chunk of the state holds the machines of the same chunk of features, but not always all of them.
_NEWEST = """
select v.miner_no, l.model || case i.cooling when 'air' then '' else ' in fluid' end as model, l.firmware,
    coalesce(h.mode, v.mode) as mode, v.data_state, v.hashrate_ratio, v.temp_max, v.efficiency,
    extract(epoch from c.ts)::float8 - h.since as hashing_sec,
    exists (
        select from problem_events e where e.site_id = c.site_id and e.miner_no = v.miner_no and e.status <> 'resolved'
            and (e.severity <= 'P1' or e.issue_code = 'boards_degrading')
    ) or exists (
        select from expected_states x where x.miner_no = v.miner_no and x.from_at <= c.ts
            and (x.until_at is null or x.until_at > c.ts)
    ) as set_apart
from feature_chunks c
cross join lateral unnest(c.miner_no, c.mode, c.data_state, c.hashrate_ratio, c.temp_max, c.efficiency)
    v (miner_no, mode, data_state, hashrate_ratio, temp_max, efficiency)
join telemetry_live l on l.miner_no = v.miner_no
join miners i on i.miner_no = v.miner_no
left join (
    select u.miner_no, u.since, u.mode from problem_state s
        cross join lateral unnest(s.miner_no, s.hashing_since, s.mode) u (miner_no, since, mode)
        where s.site_id = {site}
) h on h.miner_no = v.miner_no
where c.site_id = {site} and c.ts = {at}
"""


def newest_features(site_id: int, *, at: datetime) -> sql.Composed:
    return sql.SQL(_NEWEST).format(site=sql.Literal(site_id), at=sql.Literal(at))
