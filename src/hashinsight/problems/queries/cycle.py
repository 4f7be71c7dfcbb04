"""What a cycle carries on: read as columns, written as chunks, and only what has changed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
from numpy.typing import NDArray
from psycopg import sql
from sqlalchemy import Table, delete, select, update
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
from hashinsight.problems.events import ARRAYS, KINDS, Events, keys_of
from hashinsight.problems.frame import Ints
from hashinsight.problems.mixtures import Mixture, Mixtures
from hashinsight.problems.models import SITES, STATE
from hashinsight.problems.state import FIELDS, PACKED, State

_READ = {name: (rows, kind) for name, (rows, kind, _) in FIELDS.items()}
_PARTS = ("share", "mean", "sd", "label", "must_save", "few")  # of a mixture


@dataclass(frozen=True)
class SiteState:
    """A site's own row: who it belongs to, its newest cycle, its next number, and its mode models."""

    tenant_id: UUID
    code: str
    next_no: int
    cycled_at: datetime | None
    mixtures: Mixtures


async def keep_site(session: AsyncSession, site_id: int) -> SiteState | None:
    """The row of a site, made where there is none yet. None: there is no such site any more."""
    site = (await session.execute(select(Site.tenant_id, Site.code).where(Site.id == site_id))).one_or_none()
    if site is None:
        return None
    made = upsert(SITES).values(site_id=site_id, tenant_id=site.tenant_id, next_no=1, modes={})
    await session.execute(made.on_conflict_do_nothing())
    columns = [SITES.c[name] for name in ("next_no", "cycled_at", "fitted_at", "modes")]
    row = (await session.execute(select(*columns).where(SITES.c.site_id == site_id))).one()
    fitted = float("-inf") if row.fitted_at is None else row.fitted_at.timestamp()
    models = {
        name: Mixture(
            **{part: np.array(one[part]) for part in ("share", "mean", "sd")},
            label=np.array(one["label"], dtype=np.int8),
            must_save=np.array(one["must_save"], dtype=np.bool_),
            few=np.array(one["few"]).reshape(-1, 2, 2),
            machines=one["machines"],
        )
        for name, one in row.modes.items()
        if "few" in one  # else of an older version, and soon fitted anew
    }
    return SiteState(site.tenant_id, site.code, row.next_no, row.cycled_at, Mixtures(models, fitted))


async def lock_site(session: AsyncSession, site_id: int) -> None:
    """From here on no person's act comes between. Taken before the writes, not before the thinking."""
    await session.execute(select(SITES.c.site_id).where(SITES.c.site_id == site_id).with_for_update())


async def move_site(
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
    found = await database.frame(context, query, on_main=True)
    return State(*await asyncio.to_thread(chunks.read, found, _READ, packed=PACKED))


async def write_state(session: AsyncSession, kept: SiteState, site_id: int, before: State, after: State) -> None:
    known = before.miner_no, before.of
    made = await asyncio.to_thread(chunks.rows, after.miner_no, after.of, known, packed=PACKED)
    names = ("miner_no", *FIELDS)
    # an array that did not change keeps its place: PostgreSQL does not write it again
    changed = sql.SQL(", ").join(sql.SQL("{0} = coalesce(%s, {0})").format(sql.Identifier(name)) for name in names)
    moved = sql.SQL("update problem_state set {} where site_id = %s and chunk = %s").format(changed)
    await _many(session, moved, [[*one.values, site_id, one.number] for one in made if not one.is_new])
    new = [[kept.tenant_id, site_id, one.number, *one.values] for one in made if one.is_new]
    await _many(session, _insert(STATE, ("tenant_id", "site_id", "chunk", *names)), new)
    gone = set(_numbers(before.miner_no)) - set(_numbers(after.miner_no))
    if gone:
        await session.execute(delete(STATE).where(STATE.c.site_id == site_id, STATE.c.chunk.in_(gone)))


async def write_features(
    session: AsyncSession, table: Table, made: Sequence[Chunk], names: Sequence[str], *, whose: Sequence[Any]
) -> None:
    """Once: what is there already stays as it is. `whose` is tenant, site and time."""
    statement = _insert(table, ("tenant_id", "site_id", "ts", "chunk", "miner_no", *names))
    await _many(session, statement, [[*whose, one.number, *one.values] for one in made])


async def _many(session: AsyncSession, statement: sql.Composed, rows: Sequence[Sequence[Any]]) -> None:
    """A few hundred rows at most, each a thousand machines: one after the other without waiting."""
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
    """Events as a cycle takes them, with what names and guards each row; all in one order."""

    events: Events
    problem_id: pl.Series
    version: Ints


async def read_pulse(database: Database, context: Context, site_id: int, *, next_no: int) -> KnownEvents:
    columns = sql.SQL(", ").join(map(sql.Identifier, ARRAYS))
    query = sql.SQL("select problem_id::text as problem_id, version, {} from problem_pulse where site_id = {}").format(
        columns, sql.Literal(site_id)
    )
    found = await database.frame(context, query, on_main=True)
    order = np.argsort(keys_of(_column(found, "subject"), _column(found, "issue")), kind="stable")
    arrays: dict[str, Any] = {name: _column(found, name)[order] for name in ARRAYS}
    return KnownEvents(
        Events(**arrays, next_no=next_no),
        found["problem_id"].cast(pl.String).gather(order),
        found["version"].to_numpy()[order].astype(np.int64),
    )


def _column(found: pl.DataFrame, name: str) -> NDArray[Any]:
    return found[name].to_numpy().astype(KINDS[name])
