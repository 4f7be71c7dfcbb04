"""The SQL of the log and its seals. A line is the canonical text of an entry: what is hashed, and what is exported."""

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
# named one by one: a column that is added later must not change what was sealed
LINE = sql.SQL(f"(select row_to_json(entry)::text from (select {_LINED}) entry)")  # noqa: S608 - our own columns
_HEAD = [column for column in AuditSeal.__table__.columns if column.name != "leaves"]


def window(era: int, before: Snapshot, upto: Snapshot) -> sql.Composed:
    """The entries of transactions that had ended by `upto` and not by `before`."""
    return sql.SQL(
        "era = {} and xid >= {} and xid < {} and xid <> all({}::bigint[]) and (xid >= {} or xid = any({}::bigint[]))"
    ).format(era, before.xmin, upto.xmax, list(upto.running), before.xmax, list(before.running))


async def lock_sealing(session: AsyncSession) -> None:
    """One sealer at a time; writers do not wait for it."""
    await session.execute(text("select pg_advisory_xact_lock(hashtext('hashinsight audit seal'))"))


async def get_server(session: AsyncSession) -> str:
    """The server and its timeline: another one after a restore, a failover or a move."""
    query = "select system_identifier || '/' || timeline_id from pg_control_system(), pg_control_checkpoint()"
    return str((await session.execute(text(query))).scalar_one())


async def get_snapshot(session: AsyncSession) -> Snapshot:
    """PostgreSQL leaves the asking transaction out of its list, yet it has not ended: it may still write entries."""
    query = "select pg_current_snapshot()::text as taken, pg_current_xact_id_if_assigned()::text::bigint as own"
    found = (await session.execute(text(query))).one()
    return Snapshot.read(found.taken).without(found.own)


async def find_cut(session: AsyncSession, era: int, before: Snapshot, upto: Snapshot, *, entries: int) -> int | None:
    """The transaction that a seal of this many entries ends with; None when all of them fit."""
    query = sql.SQL("select xid from audit_log where {} order by xid offset {} limit 1")
    found = await _run(session, query.format(window(era, before, upto), entries))
    return None if found is None else int(found[0])


async def get_leaves(session: AsyncSession, era: int, before: Snapshot, upto: Snapshot) -> bytes:
    """The leaves of a window in the order that is theirs from now on."""
    query = sql.SQL(
        "select string_agg(uuid_send(id) || sha256(convert_to({}, 'UTF8')), ''::bytea order by xid, id)"
        " from audit_log where {}"
    )
    found = await _run(session, query.format(LINE, window(era, before, upto)))
    return bytes(found[0]) if found is not None and found[0] is not None else b""


async def list_sealed_looking(session: AsyncSession, era: int, before: Snapshot, *, since: UUID) -> list[bytes]:
    """Entries since an id whose transactions look sealed: of a server that counts anew, they may not be."""
    query = sql.SQL(
        "select array_agg(uuid_send(id) order by id) from audit_log where era = {} and id >= {} and not ({})"
    )
    found = await _run(session, query.format(era, since, window(era, before, EVERYTHING)))
    return list(found[0] or ()) if found is not None else []


async def list_leaves_since(session: AsyncSession, era: int, at: datetime) -> Sequence[bytes]:
    query = select(AuditSeal.leaves).where(AuditSeal.era == era, AuditSeal.sealed_at >= at)
    return (await session.execute(query)).scalars().all()


async def get_leaves_of(session: AsyncSession, ids: Sequence[UUID]) -> bytes:
    query = sql.SQL(
        "select string_agg(uuid_send(id) || sha256(convert_to({}, 'UTF8')), ''::bytea order by id)"
        " from audit_log where id = any({}::uuid[])"
    )
    found = await _run(session, query.format(LINE, [str(one) for one in ids]))
    return bytes(found[0]) if found is not None and found[0] is not None else b""


async def list_closing(session: AsyncSession) -> list[tuple[int, bytes]]:
    """The seals that close an era, with their leaves: few."""
    query = select(AuditSeal.no, AuditSeal.leaves).where(text(CLOSES))
    return [(row.no, row.leaves) for row in await session.execute(query.order_by(AuditSeal.no))]


async def find_last_seal(session: AsyncSession) -> Seal | None:
    found = (await session.execute(select(*_HEAD).order_by(AuditSeal.no.desc()).limit(1))).one_or_none()
    return None if found is None else seal_of(found)


async def list_seals(session: AsyncSession, *, after: int, limit: int) -> list[Seal]:
    rows = await session.execute(select(*_HEAD).where(AuditSeal.no > after).order_by(AuditSeal.no).limit(limit))
    return [seal_of(row) for row in rows]


async def list_sealed(session: AsyncSession, *, after: int, upto: int, limit: int) -> list[tuple[Seal, bytes]]:
    """Seals with their leaves."""
    query = select(AuditSeal).options(undefer(AuditSeal.leaves)).where(AuditSeal.no > after, AuditSeal.no <= upto)
    rows = (await session.execute(query.order_by(AuditSeal.no).limit(limit))).scalars()
    return [(seal_of(row), row.leaves) for row in rows]


async def insert_seal(session: AsyncSession, seal: Seal, leaves: bytes) -> None:
    values = {column.name: getattr(seal, column.name) for column in _HEAD}
    await session.execute(insert(AuditSeal).values(**values, leaves=leaves))


async def list_keys(session: AsyncSession) -> Sequence[AuditKey]:
    return (
        (await session.execute(select(AuditKey).order_by(AuditKey.created_at.desc(), AuditKey.key_id))).scalars().all()
    )


async def list_public_keys(session: AsyncSession) -> dict[str, bytes]:
    rows = await session.execute(select(AuditKey.key_id, AuditKey.public_key))
    return {row.key_id: row.public_key for row in rows}


async def close_era(session: AsyncSession) -> None:
    """Wait until nobody is writing an entry; from here to the commit nobody does."""
    await session.execute(text("select set_config('lock_timeout', '10s', true), close_audit_era()"))


async def open_era(session: AsyncSession, era: int) -> None:
    await session.execute(text("select open_audit_era(:era)"), {"era": era})


async def list_resealings(session: AsyncSession) -> Sequence[Any]:
    """What was lost when, in the words of the entries that say so.

    Without the seal that closed the era before it, which only the secret's holder can make, an entry explains nothing.
    """
    said_at = func.to_char(func.timezone("UTC", AuditEntry.at), 'YYYY-MM-DD HH24:MI"Z"').label("said_at")
    lost = [AuditEntry.after[name].label(name) for name in ("lost_from", "lost_era")]
    query = select(said_at, AuditEntry.reason, *lost).where(
        AuditEntry.action == Action.AUDIT_RESEALED.value,
        AuditEntry.tenant_id.is_(None),
        exists().where(AuditSeal.era == AuditEntry.era - 1, text(CLOSES)),
    )
    rows = (await session.execute(query.order_by(AuditEntry.era))).all()
    return [row for row in rows if type(row.lost_from) is int and type(row.lost_era) is int]


async def get_unsealed(session: AsyncSession, era: int, before: Snapshot) -> Any:
    """What is not sealed yet, and what never could be because no such transaction or era exists.

    A time that no calendar knows, which only a superuser can write, must not keep us from looking: hence the bounds.
    """
    mine = window(era, before, EVERYTHING)
    query = sql.SQL(
        "select count(*) as entries,"
        " min(least(greatest(recorded_at, timestamptz '1970-01-01Z'), timestamptz '9999-01-01Z')) as oldest_at,"
        " count(*) filter (where xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as ahead,"
        " (select count(*) from audit_log where era > {era} or era < 1)"
        " + (select count(*) from generate_series(1, {era}) one join audit_log on era = one::smallint"
        " and (xid < {first} or xid >= {end})) as beyond from audit_log where {mine}"
    )
    bounds = {"first": NOTHING.xmax, "end": EVERYTHING.xmax}
    return await _run(session, query.format(era=era, mine=mine, **bounds))


async def list_missing_guards(session: AsyncSession) -> Sequence[str]:
    """Which of the tables has lost the trigger that refuses changes."""
    query = (
        "select name from unnest(array['audit_log', 'audit_seals', 'audit_keys']) name where not exists"
        " (select 1 from pg_trigger where tgrelid = name::regclass and tgname = 'append_only'"
        " and tgenabled in ('O', 'A'))"
    )
    return (await session.execute(text(query))).scalars().all()


async def find_anchored(session: AsyncSession, target: str) -> str | None:
    """The line that this place was told last."""
    found = await session.get(AuditAnchor, target)
    return None if found is None else found.line


async def move_anchored(session: AsyncSession, target: str, line: str, *, now: datetime) -> None:
    moved = upsert(AuditAnchor).values(target=target, line=line, last_at=now)
    changes = {"line": moved.excluded.line, "last_at": moved.excluded.last_at}
    await session.execute(moved.on_conflict_do_update(index_elements=["target"], set_=changes))


def seal_of(row: Any) -> Seal:
    return Seal(**{column.name: getattr(row, column.name) for column in _HEAD})


async def _run(session: AsyncSession, query: sql.Composed) -> Any:
    """One row of a statement whose colons belong to time formats, not to parameters."""
    connection = await session.connection()
    return cast("Any", (await connection.exec_driver_sql(query.as_string())).one_or_none())
