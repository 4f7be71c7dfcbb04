"""What a cycle reads and writes beside the registry: its state in chunks, the site's row, features and runs."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
from psycopg import sql
from sqlalchemy import Table, delete, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.db import binary
from hashinsight.kit.db.bulk import RawDumper
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import driver_connection
from hashinsight.problems import chunks
from hashinsight.problems.chunks import Chunk
from hashinsight.problems.codes import EventStatus
from hashinsight.problems.events import ARRAYS, KINDS, Events, keys_of
from hashinsight.problems.frame import Ints
from hashinsight.problems.mixtures import Mixture, Mixtures
from hashinsight.problems.models import RUNS, SITES, STATE
from hashinsight.problems.state import FIELDS, PACKED, State

_READ = {name: (rows, kind) for name, (rows, kind, _) in FIELDS.items()}
_PARTS = ("share", "mean", "sd", "label", "must_save", "few")  # of a mixture


@dataclass(frozen=True)
class SiteState:
    """A site's row: its tenant, its newest cycle, the number of its next event, and its mode models."""

    tenant_id: UUID
    code: str
    next_no: int
    cycled_at: datetime | None
    mixtures: Mixtures


async def find_site_state(session: AsyncSession, site_id: int) -> SiteState | None:
    """Inserted on the first cycle. None: the site was deleted."""
    site = (await session.execute(select(Site.tenant_id, Site.code).where(Site.id == site_id))).one_or_none()
    if site is None:
        return None
    inserted = upsert(SITES).values(site_id=site_id, tenant_id=site.tenant_id, next_no=1, modes={})
    await session.execute(inserted.on_conflict_do_nothing())
    columns = [SITES.c[name] for name in ("next_no", "cycled_at", "fitted_at", "modes")]
    row = (await session.execute(select(*columns).where(SITES.c.site_id == site_id))).one()
    fitted = float("-inf") if row.fitted_at is None else row.fitted_at.timestamp()
    models = {
        name: Mixture(
            **{part: np.array(stored[part]) for part in ("share", "mean", "sd")},
            label=np.array(stored["label"], dtype=np.int8),
            must_save=np.array(stored["must_save"], dtype=np.bool_),
            few=np.array(stored["few"]).reshape(-1, 2, 2),
            machines=stored["machines"],
        )
        for name, stored in row.modes.items()
        if "few" in stored  # otherwise of an older version, and soon fitted again
    }
    return SiteState(site.tenant_id, site.code, row.next_no, row.cycled_at, Mixtures(models, fitted))


async def lock_site(session: AsyncSession, site_id: int) -> None:
    """Holds off operators' actions until the commit. Taken before the writes, not before the step."""
    await session.execute(select(SITES.c.site_id).where(SITES.c.site_id == site_id).with_for_update())


async def update_site(
    session: AsyncSession,
    site_id: int,
    *,
    next_no: int,
    mixtures: Mixtures,
    fitted_before: float,
    standing: bytes,
    now: datetime,
) -> None:
    values: dict[str, Any] = {"next_no": next_no, "cycled_at": now, "standing": standing}
    if mixtures.fitted_at != fitted_before:
        values["fitted_at"] = datetime.fromtimestamp(mixtures.fitted_at, UTC)
        values["modes"] = {
            name: {
                **{part: getattr(mixture, part).tolist() for part in _PARTS},
                "machines": mixture.machines,
            }
            for name, mixture in mixtures.of.items()
        }
    await session.execute(update(SITES).where(SITES.c.site_id == site_id).values(**values))


async def read_state(database: Database, context: Context, site_id: int) -> State:
    columns = sql.SQL(", ").join(
        sql.SQL("{0}" if name in PACKED else "array_send({0}) as {0}").format(sql.Identifier(name))
        for name in ("miner_no", *FIELDS)
    )
    query = sql.SQL("select {} from problem_state where site_id = {} order by chunk").format(
        columns, sql.Literal(site_id)
    )
    rows = await database.frame(context, query, on_main=True)
    return State(*await asyncio.to_thread(chunks.read, rows, _READ, packed=PACKED))


async def write_state(session: AsyncSession, site: SiteState, site_id: int, before: State, after: State) -> None:
    stored = before.miner_no, before.of
    rows = await asyncio.to_thread(chunks.rows, after.miner_no, after.of, stored, packed=PACKED)
    names = ("miner_no", *FIELDS)
    # a field that did not change is null here and keeps its value: PostgreSQL does not write it again
    changed = sql.SQL(", ").join(sql.SQL("{0} = coalesce(%s, {0})").format(sql.Identifier(name)) for name in names)
    changes = sql.SQL("update problem_state set {} where site_id = %s and chunk = %s").format(changed)
    await _execute_many(session, changes, [[*row.values, site_id, row.number] for row in rows if not row.is_new])
    new = [[site.tenant_id, site_id, row.number, *row.values] for row in rows if row.is_new]
    await _execute_many(session, _insert(STATE, ("tenant_id", "site_id", "chunk", *names)), new)
    gone = set(_numbers(before.miner_no)) - set(_numbers(after.miner_no))
    if gone:
        await session.execute(delete(STATE).where(STATE.c.site_id == site_id, STATE.c.chunk.in_(gone)))


async def write_features(
    session: AsyncSession, table: Table, rows: Sequence[Chunk], names: Sequence[str], key: tuple[UUID, int, datetime]
) -> None:
    """Rows that exist stay as they are. `key` is tenant, site and time."""
    statement = _insert(table, ("tenant_id", "site_id", "ts", "chunk", "miner_no", *names))
    await _execute_many(session, statement, [[*key, row.number, *row.values] for row in rows])


async def _execute_many(session: AsyncSession, statement: sql.Composed, rows: Sequence[Sequence[Any]]) -> None:
    """A few hundred rows at most, each of a thousand machines, pipelined."""
    if rows:
        async with (await driver_connection(session)).cursor() as cursor:
            cursor.adapters.register_dumper(binary.Raw, RawDumper)
            await cursor.executemany(statement, rows)


def _insert(table: Table, names: Sequence[str]) -> sql.Composed:
    return sql.SQL("insert into {} ({}) values ({}) on conflict do nothing").format(
        sql.Identifier(table.name),
        sql.SQL(", ").join(map(sql.Identifier, names)),
        sql.SQL(", ").join([sql.Placeholder()] * len(names)),
    )


def _numbers(miner_no: Ints) -> list[int]:
    return [number for number, _ in chunks.cut(miner_no)]


@dataclass(frozen=True)
class KnownEvents:
    """Events as a cycle reads them, with id and version of each row, all in one order."""

    events: Events
    problem_id: pl.Series
    version: Ints


async def read_events(database: Database, context: Context, site_id: int, *, next_no: int) -> KnownEvents:
    columns = sql.SQL(", ").join(map(sql.Identifier, ARRAYS))
    query = sql.SQL("select problem_id::text as problem_id, version, {} from problem_pulse where site_id = {}").format(
        columns, sql.Literal(site_id)
    )
    rows = await database.frame(context, query, on_main=True)
    arrays: dict[str, Any] = {name: rows[name].to_numpy().astype(KINDS[name]) for name in ARRAYS}
    order = np.argsort(keys_of(arrays["subject"], arrays["issue"]), kind="stable")
    return KnownEvents(
        Events(**{name: values[order] for name, values in arrays.items()}, next_no=next_no),
        rows["problem_id"].cast(pl.String).gather(order),
        rows["version"].to_numpy()[order].astype(np.int64),
    )


_COLLECTORS = text("""
select
    -1 - number as subject,
    id::text as collector_id,
    collection_interval_sec::float8 as interval_sec
from collectors
where site_id = :site_id and status <> 'disabled'
""")
# By the pulse, which remembers a month: events are kept for ever, and a cycle never looks through all of them.
_REPAIRED = text("""
select distinct e.miner_no
from problem_pulse p
join problem_events e on e.id = p.problem_id
where p.site_id = :site_id
    and p.status = :resolved
    and p.resolved_ts > extract(epoch from cast(:since as timestamptz))
    and e.status = 'resolved'
    and e.resolution_cause in ('repaired', 'replaced')
    and e.miner_no is not null
""")


async def list_collectors(session: AsyncSession, site_id: int) -> pl.DataFrame:
    rows = (await session.execute(_COLLECTORS, {"site_id": site_id})).all()
    schema = {"subject": pl.Int64, "collector_id": pl.String, "interval_sec": pl.Float64}
    return pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row")


async def list_repaired(session: AsyncSession, site_id: int, *, since: datetime) -> Sequence[int]:
    """Machines with a problem that was resolved as repaired or replaced since then."""
    values = {"site_id": site_id, "since": since, "resolved": int(EventStatus.RESOLVED)}
    return list((await session.execute(_REPAIRED, values)).scalars())


async def write_run(
    session: AsyncSession, tenant_id: UUID, site_id: int, period: datetime, run: dict[str, Any]
) -> None:
    """Runs of later periods were those of a wrong clock, and go."""
    inserted = upsert(RUNS).values(tenant_id=tenant_id, site_id=site_id, period=period, **run)
    await session.execute(inserted.on_conflict_do_update(index_elements=["site_id", "period"], set_=run))
    await session.execute(delete(RUNS).where(RUNS.c.site_id == site_id, RUNS.c.period > period))


async def delete_old_runs(session: AsyncSession, *, before: datetime) -> None:
    await session.execute(delete(RUNS).where(RUNS.c.period < before))


async def list_site_ids(session: AsyncSession) -> list[int]:
    return list((await session.execute(select(Site.id).order_by(Site.id))).scalars())
