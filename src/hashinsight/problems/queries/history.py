"""One machine's baseline and features, read by its chunk; and the newest features of a whole site."""

from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import sql
from sqlalchemy import Select, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.queries.expected_now import expected_now
from hashinsight.inventory.queries.tables import Miner
from hashinsight.problems.baselines import COLD
from hashinsight.problems.chunks import CHUNK
from hashinsight.problems.codes import ANCHORED_METRICS, MIN_CONFIDENCE, REFERENCED_METRICS, Metric, Mode, ThawReason
from hashinsight.problems.models import FEATURE_CHUNKS, FEATURE_HOURS

CYCLE_HOURS = 48  # with every cycle; before that one row per hour
MAX_HOURS = 720
_WITH_RESIDUAL = {"hashrate_ratio": "residual_hashrate", "efficiency": "residual_eff", "temp_max": "residual_temp"}
SERIES = ("hashrate_ratio", "temp_max", "efficiency", "boards_ratio", "fan_speed_min", "reject_rate", "hw_error_rate",
          "trend_slope", "volatility", "temp_spread", "temp_load", "board_share_min")  # fmt: skip
_PER_METRIC = ("ewma", "variance", "samples", "last_raw", "last_residual")


def _element(name: str, row: int) -> str:
    return f"s.{name}[{row} * n.count + n.place]"


def _baseline() -> str:
    """One row: the numbers of each metric, one after the other."""
    cells = [f"{_element(name, metric)} as {name}_{metric}" for metric in Metric for name in _PER_METRIC]
    cells += [f"{_element('anchor', metric)} as anchor_{metric}" for metric in range(ANCHORED_METRICS)]
    cells += [f"{_element('reference', metric)} as reference_{metric}" for metric in range(REFERENCED_METRICS)]
    plain = ("mode", "mode_confidence", "updated_at", "frozen_since", "thawed_at", "thaw_reason", "mode_changed_at")
    cells += [f"{_element(name, 0)} as {name}" for name in plain]
    return (
        f"select {', '.join(cells)} from problem_state s"  # noqa: S608 - names of our own columns
        " cross join lateral (select cardinality(s.miner_no) as count,"
        " array_position(s.miner_no, :miner_no) as place) n"
        " where s.site_id = :site_id and s.chunk = :chunk and n.place is not null"
    )


def _points(table: str) -> str:
    """One point per cycle or hour. A missing value is null."""
    cells = [f"nullif(s.{name}[n.place], 'NaN') as {name}" for name in (*SERIES, *_WITH_RESIDUAL.values())]
    return (
        f"select s.ts, s.data_state[n.place] as data_state, s.mode[n.place] as mode, {', '.join(cells)}"  # noqa: S608
        f" from {table} s cross join lateral (select array_position(s.miner_no, :miner_no) as place) n"
        " where s.site_id = :site_id and s.chunk = :chunk and s.ts > :since and s.ts <= :until and n.place is not null"
        " order by s.ts"
    )


_BASELINE = text(_baseline())
_EVERY_CYCLE, _EVERY_HOUR = text(_points(FEATURE_CHUNKS.name)), text(_points(FEATURE_HOURS.name))
_STATES = ("unknown", "stale", "offline", "fresh")


async def find_baseline(session: AsyncSession, site_id: int, miner_no: int) -> dict[str, Any] | None:
    """The machine's baseline by metric: expected value, deviation, samples, anchor; and whether it is learning.

    It is stored relative to machines of its kind; the answer has the absolute values of the moment.
    """
    row = (await session.execute(_BASELINE, _place(site_id, miner_no))).one_or_none()
    if row is None:
        return None
    of: Any = row._mapping  # noqa: SLF001 - SQLAlchemy's name for it
    metrics = {}
    for metric in Metric:
        variance = _number(of[f"variance_{int(metric)}"])
        common = of[f"reference_{int(metric)}"] if metric < REFERENCED_METRICS else 0.0
        metrics[metric.name.lower()] = {
            "expected": _number(of[f"ewma_{int(metric)}"] + common),
            "sigma": None if variance is None else variance**0.5,
            "samples": int(of[f"samples_{int(metric)}"]),
            "is_known": bool(of[f"samples_{int(metric)}"] >= COLD),
            "last_value": _number(of[f"last_raw_{int(metric)}"]),
            "last_residual": _number(of[f"last_residual_{int(metric)}"]),
            "anchor": _number(of[f"anchor_{int(metric)}"] + common) if metric < ANCHORED_METRICS else None,
        }
    return {
        "metrics": metrics,
        "inferred_mode": Mode(of["mode"] if of["mode_confidence"] >= MIN_CONFIDENCE else 0).name.lower(),
        "mode_confidence": _number(of["mode_confidence"]),
        "thaw_reason": ThawReason(of["thaw_reason"]).name.lower(),
        **{name: _when(of[name]) for name in ("updated_at", "frozen_since", "thawed_at", "mode_changed_at")},
    }


async def list_features(
    session: AsyncSession, site_id: int, miner_no: int, *, since: datetime, until: datetime
) -> list[dict[str, Any]]:
    """Every cycle of the last two days, otherwise one per hour. `expected` is the baseline of that time."""
    recent = until - since <= timedelta(hours=CYCLE_HOURS)
    values = _place(site_id, miner_no) | {"since": since, "until": until}
    rows = await session.execute(_EVERY_CYCLE if recent else _EVERY_HOUR, values)
    return [_point(row._mapping) for row in rows]  # noqa: SLF001


def _point(of: Any) -> dict[str, Any]:
    expected = {
        name: None if of[name] is None or of[residual] is None else of[name] - of[residual]
        for name, residual in _WITH_RESIDUAL.items()
    }
    point: dict[str, Any] = {"ts": of["ts"], "data_state": _STATES[of["data_state"]]}
    point |= {"inferred_mode": Mode(of["mode"]).name.lower()}
    return point | {name: of[name] for name in SERIES} | {"expected": expected}


def _place(site_id: int, miner_no: int) -> dict[str, Any]:
    return {"site_id": site_id, "miner_no": miner_no, "chunk": miner_no // CHUNK}


def _when(seconds: Any) -> datetime | None:
    return None if _number(seconds) is None else datetime.fromtimestamp(seconds, UTC)


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)  # noqa: PLR0124 - NaN is unlike itself


# literals are inlined: no driver parses the text for placeholders
_PLAIN = postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call]

# Machines with a severe problem are no reference, as in the cycle; pending ones count, too.
# Materialized, because the planner misjudges arrays and young tables.
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
    """Machines with a planned outage: stopped by command, curtailed or under maintenance."""
    expected = expected_now(at, ended_after=at)
    machines: Select[Any] = select(Miner.miner_no).where(Miner.site_id == site_id, expected.state.is_not(None))
    query = expected.join(machines)
    return sql.SQL(str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True})))


def newest_hashing(site_id: int) -> sql.Composed:
    """Since when each machine hashes, and the mode in which it is compared, which may be shown as unknown.

    Joined by the caller and not in one statement: the server cannot know how long the arrays are, and would scan one of
    them for each machine of the other.
    """
    return sql.SQL(_HASHING).format(site=sql.Literal(site_id))
