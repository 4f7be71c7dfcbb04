"""What the newest cycle of a site saw of each machine, as columns."""

from datetime import datetime
from typing import Any

from psycopg import sql
from sqlalchemy import Select, select
from sqlalchemy.dialects import postgresql

from hashinsight.inventory.models import Miner
from hashinsight.inventory.queries.expected_now import expected_now

# literals go in as they are: no driver reads the text for its own marks
_PLAIN = postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call]

# Whom the cycle took as a reference: steady and with no grave problem; `pending` counts there, too.
# Sets that are asked for one by one are made once: whatever the statistics say of arrays and of young tables.
_NEWEST = """
with grave as materialized (
    select miner_no from problem_events where site_id = {site} and status <> 'resolved' and miner_no is not null
        and (severity <= 'P1' or issue_code = 'boards_degrading')
), in_fluid as materialized (
    select miner_no from miners where site_id = {site} and cooling <> 'air'
)
select v.miner_no,
    l.model || case when v.miner_no in (select miner_no from in_fluid) then ' in fluid' else '' end as model,
    l.firmware, v.mode, v.data_state, v.hashrate_ratio, v.temp_max, v.efficiency,
    v.miner_no in (select miner_no from grave) as set_apart
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


def newest_expected(site_id: int, *, at: datetime) -> sql.SQL:
    """Machines that were expected to stand still: by command, curtailed or under maintenance."""
    expected = expected_now(at, ended_after=at)
    machines: Select[Any] = select(Miner.miner_no).where(Miner.site_id == site_id, expected.state.is_not(None))
    query = expected.join(machines)
    return sql.SQL(str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True})))


def newest_hashing(site_id: int) -> sql.Composed:
    """Since when each machine hashes, and in which mode it is compared, which may be told as unknown.

    Of the same machines, but not always of all of them; to be joined by who reads both, not in one statement: a server
    that cannot know how long arrays are goes through one of them for each machine of the other.
    """
    return sql.SQL(_HASHING).format(site=sql.Literal(site_id))
