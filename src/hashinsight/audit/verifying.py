"""Verification: proves that nothing was changed, removed or inserted, and names the first place where it was.

The seals are read in order, the entries of each group of seals by one query, as Arrow; each line is hashed here, so
that nothing has to be believed that the database says about its own hashes.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import polars as pl
from psycopg import sql

from hashinsight.audit import queries
from hashinsight.audit.anchoring import Anchors, read_anchors
from hashinsight.audit.chain import LEAF_BYTES, START, Seal, digest_of, is_signed, is_sound, leaves_of
from hashinsight.audit.findings import Kind, Report
from hashinsight.audit.keys import list_own
from hashinsight.audit.snapshot import Snapshot
from hashinsight.audit.tail import get_tail, next_window
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database

_SEALS = 200  # read at a time
_ENTRIES = 100_000  # compared at a time
# a transaction may take minutes, so an entry's own time may lie that far before the seal that found it
_LATEST = timedelta(hours=1)

Group = list[tuple[Seal, bytes]]
Row = tuple[bytes, str | None, datetime, int]  # hash, tenant, when it was recorded, by which transaction


@dataclass
class Strays:
    expected: set[bytes]
    met: dict[bytes, Row] = field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """What seals and entries are held against."""

    keys: dict[str, bytes]
    anchors: Anchors
    strays: Strays


async def verify(
    database: Database,
    vault: Vault,
    anchors: Iterable[str | bytes | dict[str, object]] = (),
    *,
    now: datetime,
    at_a_time: int = _ENTRIES,
) -> Report:
    report = Report()
    async with database.reading(job_context()) as session:
        trusted = await list_own(session, vault)
        missing = await queries.list_missing_guards(session)
        resealings = await queries.list_resealings(session)
        closing = await queries.list_closing(session)
    for table in missing:
        report.add(Kind.UNGUARDED, f"the trigger that refuses changes to {table} is missing or off")
    held = read_anchors(report, anchors, resealings)
    # what closes an era may list entries that a restored log's new server wrote before it was noticed
    strays = Strays({entry for _, leaves in closing for entry, _ in leaves_of(leaves)})
    last: Seal | None = None
    async for group in _groups(database, at_a_time):
        last = await _check_group(database, report, group, last, Known(trusted | held.keys(), held, strays))
    if last is not None:
        report.last_seal, report.last_hash = last.no, last.hash.hex()
    held.check_end(report, 0 if last is None else last.no)
    await _check_tail(database, report, now=now)
    return report


async def _check_group(database: Database, report: Report, group: Group, before: Seal | None, known: Known) -> Seal:
    """The seals of a group among themselves, then their entries. Gives the last one."""
    last, gone = before, False
    for seal, leaves in group:
        gone = _check_link(report, last, seal) or gone
        _check_seal(report, seal, leaves, known.keys)
        known.anchors.check(report, seal)
        last = seal
    window = queries.window(group[0][0].era, next_window(before)[1], Snapshot.read(group[-1][0].snapshot))
    frame = await database.frame(job_context(), _lines(window))
    # what belongs to seals that are gone cannot be told from what was inserted
    await asyncio.to_thread(_compare, report, group, frame, before, known.strays, unlisted=not gone)
    return group[-1][0]


async def _groups(database: Database, at_a_time: int) -> AsyncIterator[Group]:
    """Seals in order, as many together as one query should fetch entries for, never across an era."""
    group: Group = []
    after, entries = 0, 0
    while True:
        async with database.reading(job_context()) as session:
            found = await queries.list_sealed(session, after=after, limit=_SEALS)
        for seal, leaves in found:
            if group and (entries + seal.entries > at_a_time or seal.era != group[-1][0].era):
                yield group
                group, entries = [], 0
            group.append((seal, leaves))
            entries += seal.entries
            after = seal.no
        if len(found) < _SEALS:
            break
    if group:
        yield group


def _lines(window: sql.Composed) -> sql.Composed:
    query = (
        "select uuid_send(id) as id, {} as line, tenant_id::text as tenant_id, recorded_at, xid from audit_log where {}"
    )
    return sql.SQL(query).format(queries.LINE, window)


def _check_link(report: Report, last: Seal | None, seal: Seal) -> bool:
    """Whether seals are gone before this one."""
    wanted = 1 if last is None else last.no + 1
    if seal.no != wanted:
        gone = f"seal {wanted} is" if seal.no == wanted + 1 else f"seals {wanted} to {seal.no - 1} are"
        report.add(Kind.SEAL_REMOVED, f"{gone} gone", seal=wanted)
        return True
    if seal.previous != (START if last is None else last.hash):
        report.add(Kind.SEAL_CHANGED, f"seal {seal.no} does not follow seal {seal.no - 1}", seal=seal.no)
    elif seal.era != next_window(last)[0]:
        report.add(Kind.SEAL_CHANGED, f"seal {seal.no} begins an era that nothing opened", seal=seal.no)
    return False


def _check_seal(report: Report, seal: Seal, leaves: bytes, trusted: dict[str, bytes]) -> None:
    report.seals += 1
    report.entries += seal.entries
    if digest_of(leaves) != seal.digest or len(leaves) != seal.entries * LEAF_BYTES:
        report.add(Kind.SEAL_CHANGED, f"the list of entries of seal {seal.no} was changed", seal=seal.no)
    if not is_sound(seal):
        report.add(Kind.SEAL_CHANGED, f"seal {seal.no} was changed", seal=seal.no)
    if seal.key_id not in trusted:
        message = f"seal {seal.no} is signed by key {seal.key_id}, which this installation does not vouch for"
        report.add(Kind.NOT_SIGNED, message, seal=seal.no)
    elif not is_signed(seal, trusted[seal.key_id]):
        report.add(Kind.NOT_SIGNED, f"the signature of seal {seal.no} does not hold", seal=seal.no)


def _compare(
    report: Report, group: Group, frame: pl.DataFrame, before: Seal | None, strays: Strays, *, unlisted: bool
) -> None:
    ids: list[bytes] = frame["id"].to_list()
    hashes = (hashlib.sha256(line.encode()).digest() for line in frame["line"])
    rows = zip(hashes, frame["tenant_id"], frame["recorded_at"], frame["xid"], strict=True)
    there: dict[bytes, Row] = dict(zip(ids, rows, strict=True))
    for seal, leaves in group:
        oldest = None if before is None else before.sealed_at - _LATEST
        for entry, sealed in leaves_of(leaves):
            found = there.pop(entry, None) or strays.met.pop(entry, None)
            if found is None:
                report.add(Kind.REMOVED, f"an entry of seal {seal.no} is gone", seal=seal.no, entry=entry)
                continue
            hashed, tenant, recorded_at, _ = found
            if hashed != sealed:
                message = f"an entry of seal {seal.no} was changed"
                report.add(Kind.CHANGED, message, seal=seal.no, entry=entry, tenant_id=tenant)
            elif oldest is not None and recorded_at < oldest:
                message = f"an entry claims to be older than seal {seal.no - 1} and was written after it"
                report.add(Kind.BACKDATED, message, seal=seal.no, entry=entry, tenant_id=tenant)
        before = seal
    strays.met |= {entry: there.pop(entry) for entry in strays.expected & there.keys()}
    if unlisted:
        for entry, (_, tenant, _, xid) in there.items():
            no = next(seal.no for seal, _ in group if Snapshot.read(seal.snapshot).covers(xid))
            message = f"an entry stands among those of seal {no} and was not there when they were sealed"
            report.add(Kind.INSERTED, message, seal=no, entry=entry, tenant_id=tenant)


async def _check_tail(database: Database, report: Report, *, now: datetime) -> None:
    async with database.reading(job_context()) as session:
        tail = await get_tail(session)
    report.unsealed, report.oldest_unsealed_at = tail.entries, tail.oldest_at
    if tail.impossible:
        report.add(Kind.INSERTED, f"{tail.impossible} entries claim a transaction or an era that has not been yet")
    complaint = tail.complaint(now)
    if complaint is not None:
        report.add(Kind.UNSEALED, complaint)
