"""The seals, their keys and anchors. A line is the canonical text of an entry: it is hashed and exported."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from psycopg import sql
from sqlalchemy import exists, func, insert, select, text
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from hashinsight.audit.actions import Action
from hashinsight.audit.chain import Seal
from hashinsight.audit.models import CLOSES, AuditAnchor, AuditEntry, AuditKey, AuditSeal
from hashinsight.audit.snapshot import EVERYTHING, NOTHING, Snapshot

_TIMES = ("at", "recorded_at")  # in UTC whatever the session's zone is
_PLAIN = "tenant_id actor_kind actor_id action entity_type entity_id before after reason request_id address era xid"
_LINED = ", ".join(("id", *(f"{name} at time zone 'UTC' as {name}" for name in _TIMES), *_PLAIN.split()))
# listed one by one: a column that is added later must not change what was sealed
LINE = sql.SQL(f"(select row_to_json(entry)::text from (select {_LINED}) entry)")  # noqa: S608 - our own columns
_HEAD = [column for column in AuditSeal.__table__.columns if column.name != "leaves"]


def window(era: int, before: Snapshot, upto: Snapshot) -> sql.Composed:
    """The entries of transactions that had ended by `upto` and not by `before`."""
    return sql.SQL(
        "era = {} and xid >= {} and xid < {} and xid <> all({}::bigint[]) and (xid >= {} or xid = any({}::bigint[]))"
    ).format(era, before.xmin, upto.xmax, list(upto.running), before.xmax, list(before.running))


def by_id(ids: Sequence[UUID]) -> sql.Composed:
    return sql.SQL("id = any({}::uuid[])").format([str(entry_id) for entry_id in ids])


def lines_of(condition: sql.Composed) -> sql.Composed:
    """For a frame: entries as lines, with what a verification compares."""
    return sql.SQL("""
        select
            uuid_send(id) as id,
            {} as line,
            tenant_id::text as tenant_id,
            extract(epoch from recorded_at)::float8 as recorded_at,
            xid
        from audit_log
        where {}
    """).format(LINE, condition)


async def lock_sealing(session: AsyncSession) -> None:
    """One sealer at a time; writers do not wait for it."""
    await session.execute(text("select pg_advisory_xact_lock(hashtext('hashinsight audit seal'))"))


async def get_server(session: AsyncSession) -> str:
    """The server and its timeline: they differ after a restore, a failover or a move."""
    query = "select system_identifier || '/' || timeline_id from pg_control_system(), pg_control_checkpoint()"
    return str((await session.execute(text(query))).scalar_one())


async def get_snapshot(session: AsyncSession) -> Snapshot:
    """PostgreSQL leaves its own transaction out of the list, but it has not ended: it can still write entries."""
    query = "select pg_current_snapshot()::text as snapshot, pg_current_xact_id_if_assigned()::text::bigint as own"
    row = (await session.execute(text(query))).one()
    return Snapshot.read(row.snapshot).without(row.own)


async def find_cut(session: AsyncSession, era: int, before: Snapshot, upto: Snapshot, *, entries: int) -> int | None:
    """The transaction that a seal of this many entries ends with; None when all of them fit."""
    query = sql.SQL("select xid from audit_log where {} order by xid offset {} limit 1")
    row = await _run(session, query.format(window(era, before, upto), entries))
    return None if row is None else int(row[0])


async def get_leaves(session: AsyncSession, era: int, before: Snapshot, upto: Snapshot) -> bytes:
    """The leaves of a window, in their final order."""
    query = sql.SQL(
        "select string_agg(uuid_send(id) || sha256(convert_to({}, 'UTF8')), ''::bytea order by xid, id)"
        " from audit_log where {}"
    )
    row = await _run(session, query.format(LINE, window(era, before, upto)))
    return bytes(row[0]) if row is not None and row[0] is not None else b""


async def list_sealed_looking(session: AsyncSession, era: int, before: Snapshot, *, since: UUID) -> list[bytes]:
    """Entries since an id whose transactions look sealed; on a new server, with a new counter, they may not be."""
    query = sql.SQL(
        "select array_agg(uuid_send(id) order by id) from audit_log where era = {} and id >= {} and not ({})"
    )
    row = await _run(session, query.format(era, since, window(era, before, EVERYTHING)))
    return list(row[0] or ()) if row is not None else []


async def list_leaves_since(session: AsyncSession, era: int, at: datetime) -> Sequence[bytes]:
    query = select(AuditSeal.leaves).where(AuditSeal.era == era, AuditSeal.sealed_at >= at)
    return (await session.execute(query)).scalars().all()


async def get_leaves_of(session: AsyncSession, ids: Sequence[UUID]) -> bytes:
    query = sql.SQL(
        "select string_agg(uuid_send(id) || sha256(convert_to({}, 'UTF8')), ''::bytea order by id)"
        " from audit_log where {}"
    )
    row = await _run(session, query.format(LINE, by_id(ids)))
    return bytes(row[0]) if row is not None and row[0] is not None else b""


async def list_closing(session: AsyncSession) -> list[tuple[int, bytes]]:
    """The few seals that close an era, with their leaves."""
    query = select(AuditSeal.no, AuditSeal.leaves).where(text(CLOSES))
    return [(row.no, row.leaves) for row in await session.execute(query.order_by(AuditSeal.no))]


async def find_last_seal(session: AsyncSession) -> Seal | None:
    row = (await session.execute(select(*_HEAD).order_by(AuditSeal.no.desc()).limit(1))).one_or_none()
    return None if row is None else _seal_of(row)


async def list_seals(session: AsyncSession, *, after: int, limit: int) -> list[Seal]:
    rows = await session.execute(select(*_HEAD).where(AuditSeal.no > after).order_by(AuditSeal.no).limit(limit))
    return [_seal_of(row) for row in rows]


async def list_sealed(session: AsyncSession, *, after: int, upto: int, limit: int) -> list[tuple[Seal, bytes]]:
    """Seals with their leaves."""
    query = select(AuditSeal).options(undefer(AuditSeal.leaves)).where(AuditSeal.no > after, AuditSeal.no <= upto)
    rows = (await session.execute(query.order_by(AuditSeal.no).limit(limit))).scalars()
    return [(_seal_of(row), row.leaves) for row in rows]


async def insert_seal(session: AsyncSession, seal: Seal, leaves: bytes) -> None:
    values = {column.name: getattr(seal, column.name) for column in _HEAD}
    await session.execute(insert(AuditSeal).values(**values, leaves=leaves))


async def list_keys(session: AsyncSession) -> Sequence[AuditKey]:
    """Newest first."""
    query = select(AuditKey).order_by(AuditKey.created_at.desc(), AuditKey.key_id)
    return (await session.execute(query)).scalars().all()


async def insert_key(
    session: AsyncSession, key_id: str, public_key: bytes, sealed_key: bytes, *, now: datetime
) -> None:
    values = {"key_id": key_id, "public_key": public_key, "sealed_key": sealed_key, "created_at": now}
    await session.execute(insert(AuditKey).values(values))


async def list_public_keys(session: AsyncSession) -> dict[str, bytes]:
    rows = await session.execute(select(AuditKey.key_id, AuditKey.public_key))
    return {row.key_id: row.public_key for row in rows}


async def close_era(session: AsyncSession) -> None:
    """Waits until nobody writes entries; until the commit nobody can."""
    await session.execute(text("select set_config('lock_timeout', '10s', true), close_audit_era()"))


async def open_era(session: AsyncSession, era: int) -> None:
    await session.execute(text("select open_audit_era(:era)"), {"era": era})


async def list_resealings(session: AsyncSession) -> Sequence[Any]:
    """What was lost when, by the entries that record it.

    An entry counts only with the seal that closed the era before it, which only the holder of the secret can make.
    """
    recorded_at = func.to_char(func.timezone("UTC", AuditEntry.at), 'YYYY-MM-DD HH24:MI"Z"').label("recorded_at")
    lost = [AuditEntry.after[name].label(name) for name in ("lost_from", "lost_era")]
    query = select(recorded_at, AuditEntry.reason, *lost).where(
        AuditEntry.action == Action.AUDIT_RESEALED.value,
        AuditEntry.tenant_id.is_(None),
        exists().where(AuditSeal.era == AuditEntry.era - 1, text(CLOSES)),
    )
    rows = (await session.execute(query.order_by(AuditEntry.era))).all()
    return [row for row in rows if type(row.lost_from) is int and type(row.lost_era) is int]


async def get_unsealed(session: AsyncSession, era: int, before: Snapshot) -> Any:
    """Entries not sealed yet, and entries that never can be because their transaction or era does not exist.

    The bounds are for a time outside the calendar, which only a superuser can write: it must not stop the check.
    """
    query = sql.SQL("""
        select
            count(*) as entries,
            min(least(greatest(recorded_at, timestamptz '1970-01-01Z'), timestamptz '9999-01-01Z')) as oldest_at,
            count(*) filter (where xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as ahead,
            (select count(*) from audit_log where era > {era} or era < 1)
            + (
                select count(*)
                from generate_series(1, {era}) past
                join audit_log on era = past::smallint and (xid < {first} or xid >= {end})
            ) as beyond
        from audit_log
        where {unsealed}
    """)
    bounds = {"first": NOTHING.xmax, "end": EVERYTHING.xmax}
    return await _run(session, query.format(era=era, unsealed=window(era, before, EVERYTHING), **bounds))


async def list_missing_guards(session: AsyncSession) -> Sequence[str]:
    """Tables without the trigger that blocks changes."""
    query = """
        select name
        from unnest(array['audit_log', 'audit_seals', 'audit_keys']) name
        where not exists (
            select from pg_trigger
            where tgrelid = name::regclass and tgname = 'append_only' and tgenabled in ('O', 'A')
        )
    """
    return (await session.execute(text(query))).scalars().all()


async def find_anchored(session: AsyncSession, target: str) -> str | None:
    """The last line delivered to this target."""
    anchor = await session.get(AuditAnchor, target)
    return None if anchor is None else anchor.line


async def update_anchored(session: AsyncSession, target: str, line: str, *, now: datetime) -> None:
    statement = upsert(AuditAnchor).values(target=target, line=line, last_at=now)
    changes = {"line": statement.excluded.line, "last_at": statement.excluded.last_at}
    await session.execute(statement.on_conflict_do_update(index_elements=["target"], set_=changes))


def _seal_of(row: Any) -> Seal:
    return Seal(**{column.name: getattr(row, column.name) for column in _HEAD})


async def _run(session: AsyncSession, query: sql.Composed) -> Any:
    """One row of a statement whose colons are casts and time formats, not parameters."""
    connection = await session.connection()
    return cast("Any", (await connection.exec_driver_sql(query.as_string())).one_or_none())
