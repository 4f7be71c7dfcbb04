"""What a cycle carries on: read as columns, written as chunks, and only what has changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from psycopg import sql
from sqlalchemy import Table, delete, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.models import Site
from hashinsight.kit.db import binary
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.copying import driver_of
from hashinsight.kit.db.database import Database
from hashinsight.problems import chunks
from hashinsight.problems.frame import Ints
from hashinsight.problems.mixtures import Mixture, Mixtures
from hashinsight.problems.models import SITES, STATE
from hashinsight.problems.state import FIELDS, State

_READ = {name: (rows, kind) for name, (rows, kind, _) in FIELDS.items()}


@dataclass(frozen=True)
class Kept:
    """A site's own row: who it belongs to, its newest cycle, its next number, and its mode models."""

    tenant_id: UUID
    code: str
    next_no: int
    cycled_at: datetime | None
    mixtures: Mixtures


async def keep_site(session: AsyncSession, site_id: int) -> Kept | None:
    """The row of a site, made where there is none yet. None: there is no such site any more."""
    site = (await session.execute(select(Site.tenant_id, Site.code).where(Site.id == site_id))).one_or_none()
    if site is None:
        return None
    made = upsert(SITES).values(site_id=site_id, tenant_id=site.tenant_id, next_no=1, modes={})
    await session.execute(made.on_conflict_do_nothing())
    row = (await session.execute(select(SITES).where(SITES.c.site_id == site_id))).one()
    fitted = float("-inf") if row.fitted_at is None else row.fitted_at.timestamp()
    models = {
        name: Mixture(*(np.array(part) for part in (one["share"], one["mean"], one["sd"])))
        for name, one in row.modes.items()
    }
    return Kept(site.tenant_id, site.code, row.next_no, row.cycled_at, Mixtures(models, fitted))


async def lock_site(session: AsyncSession, site_id: int) -> None:
    """From here on no person's act comes between. Taken before the writes, not before the thinking."""
    await session.execute(select(SITES.c.site_id).where(SITES.c.site_id == site_id).with_for_update())


async def move_site(
    session: AsyncSession, site_id: int, *, next_no: int, mixtures: Mixtures, fitted_before: float, now: datetime
) -> None:
    values: dict[str, Any] = {"next_no": next_no, "cycled_at": now}
    if mixtures.fitted_at != fitted_before:
        values["fitted_at"] = datetime.fromtimestamp(mixtures.fitted_at, UTC)
        values["modes"] = {
            name: {"share": one.share.tolist(), "mean": one.mean.tolist(), "sd": one.sd.tolist()}
            for name, one in mixtures.of.items()
        }
    await session.execute(update(SITES).where(SITES.c.site_id == site_id).values(**values))


async def read_state(database: Database, context: Context, site_id: int) -> State:
    columns = sql.SQL(", ").join(map(sql.Identifier, ("miner_no", *FIELDS)))
    query = sql.SQL("select {} from problem_state where site_id = {} order by chunk").format(
        columns, sql.Literal(site_id)
    )
    machines, of = chunks.read(await database.frame(context, query, on_main=True), _READ)
    return State(machines, of)


async def write_state(session: AsyncSession, kept: Kept, site_id: int, before: State, after: State) -> None:
    lines = chunks.rows(after.miner_no, after.of, (before.miner_no, before.of))
    stage = await _stage(session, STATE, ("chunk", "miner_no", *FIELDS), lines)
    names = ", ".join(("miner_no", *FIELDS))
    # an array that did not change keeps its place: PostgreSQL does not write it again
    kept_or_new = ", ".join(f"{name} = coalesce(s.{name}, t.{name})" for name in ("miner_no", *FIELDS))
    same = "t.site_id = :site and t.chunk = s.chunk"
    moved = f"update problem_state t set {kept_or_new} from {stage} s where {same}"  # noqa: S608 - names of our own
    made = (
        f"insert into problem_state (site_id, tenant_id, chunk, {names}) select :site, :tenant, chunk, {names}"  # noqa: S608
        f" from {stage} s where not exists (select from problem_state t where {same})"
    )
    await session.execute(text(moved), {"site": site_id})
    await session.execute(text(made), {"site": site_id, "tenant": kept.tenant_id})
    await _unstage(session, stage)
    gone = set(_numbers(before.miner_no)) - set(_numbers(after.miner_no))
    if gone:
        await session.execute(delete(STATE).where(STATE.c.site_id == site_id, STATE.c.chunk.in_(gone)))


async def write_features(
    session: AsyncSession, table: Table, lines: bytes, names: Sequence[str], *, place: tuple[UUID, int], ts: datetime
) -> None:
    """Lines of chunks, once: what is there already stays as it is. `place` is tenant and site."""
    stage = await _stage(session, table, ("chunk", "miner_no", *names), lines)
    listed = ", ".join(("chunk", "miner_no", *names))
    made = (
        f"insert into {table.name} (site_id, tenant_id, ts, {listed}) select :site, :tenant, :ts, {listed}"  # noqa: S608
        f" from {stage} on conflict do nothing"
    )
    await session.execute(text(made), {"tenant": place[0], "site": place[1], "ts": ts})
    await _unstage(session, stage)


async def _stage(session: AsyncSession, table: Table, names: Sequence[str], lines: bytes) -> str:
    """Lines of a binary COPY in a temporary table with these columns of `table`; its name."""
    stage = f"stage_{table.name}"
    listed = sql.SQL(", ").join(map(sql.Identifier, names))
    words = {"stage": sql.Identifier(stage), "table": sql.Identifier(table.name), "names": listed}
    async with (await driver_of(session)).cursor() as cursor:
        await cursor.execute(
            sql.SQL("create temporary table {stage} on commit drop as select {names} from {table} with no data").format(
                **words
            )
        )
        async with cursor.copy(sql.SQL("copy {stage} ({names}) from stdin (format binary)").format(**words)) as copy:
            await copy.write(binary.START + lines + binary.END)
    return stage


async def _unstage(session: AsyncSession, stage: str) -> None:
    await session.execute(text(f"drop table {stage}"))


def _numbers(miner_no: Ints) -> list[int]:
    return [number for number, _ in chunks.cut(miner_no)]


__all__ = ["Kept", "keep_site", "lock_site", "move_site", "read_state", "write_features", "write_state"]
