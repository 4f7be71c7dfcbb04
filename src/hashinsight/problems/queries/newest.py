"""What the newest cycle of a site saw of each machine, as columns."""

from datetime import datetime

from psycopg import sql

# of those whose problem is grave there is no reference; `pending` counts, as in the cycle
_NEWEST = """
select v.miner_no, l.model, l.firmware, v.mode, v.data_state, v.hashrate_ratio, v.temp_max, v.efficiency,
    exists (
        select from problem_events e where e.site_id = c.site_id and e.miner_no = v.miner_no and e.status <> 'resolved'
            and (e.severity <= 'P1' or e.issue_code = 'boards_degrading')
    ) as ailing
from feature_chunks c
cross join lateral unnest(c.miner_no, c.mode, c.data_state, c.hashrate_ratio, c.temp_max, c.efficiency)
    v (miner_no, mode, data_state, hashrate_ratio, temp_max, efficiency)
join telemetry_live l on l.miner_no = v.miner_no
where c.site_id = {site} and c.ts = {at}
"""


def newest_features(site_id: int, *, at: datetime) -> sql.Composed:
    return sql.SQL(_NEWEST).format(site=sql.Literal(site_id), at=sql.Literal(at))
