"""Verification of a group of seals: each against the one before, its key and the anchor, then entry by entry."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import polars as pl

from hashinsight.audit.anchors import Anchors
from hashinsight.audit.chain import LEAF_BYTES, START, Seal, digest_of, is_signed, is_sound, key_id_of, leaves_of
from hashinsight.audit.findings import FindingKind, VerifyReport
from hashinsight.audit.service.sealing import next_window
from hashinsight.audit.snapshot import Snapshot

# a transaction may take minutes, so an entry's own time may lie that far before the seal that found it
_LATEST = timedelta(hours=1)

Group = list[tuple[Seal, bytes]]
Row = tuple[bytes, str | None, float, int]  # hash, tenant, when it was recorded, by which transaction


@dataclass(frozen=True)
class TrustedKeys:
    """What seals and entries are held against."""

    own: Mapping[str, bytes]  # keys that the installation's secret vouches for
    kept: Mapping[str, bytes]  # keys that the database has, whoever vouches for them
    anchors: Anchors
    strays: frozenset[bytes]  # entries that the seals which close an era list, wherever they look to belong


def check_seals(report: VerifyReport, group: Group, before: Seal | None, known: TrustedKeys) -> bool:
    """Whether seals are gone before or among these."""
    last, gone = before, False
    for seal, leaves in group:
        gone = _check_link(report, last, seal) or gone
        _check_seal(report, seal, leaves)
        _check_signature(report, seal, known)
        known.anchors.check(report, seal)
        last = seal
    return gone


def _check_link(report: VerifyReport, last: Seal | None, seal: Seal) -> bool:
    """Whether seals are gone before this one."""
    wanted = 1 if last is None else last.no + 1
    if seal.no != wanted:
        gone = f"seal {wanted} is" if seal.no == wanted + 1 else f"seals {wanted} to {seal.no - 1} are"
        report.add(FindingKind.SEAL_REMOVED, f"{gone} gone", seal=wanted)
        return True
    if seal.previous != (START if last is None else last.hash):
        report.add(FindingKind.SEAL_CHANGED, f"seal {seal.no} does not follow seal {seal.no - 1}", seal=seal.no)
    elif seal.era != next_window(last)[0]:
        report.add(FindingKind.SEAL_CHANGED, f"seal {seal.no} begins an era that nothing opened", seal=seal.no)
    if last is not None and seal.sealed_at < last.sealed_at - _LATEST:
        report.notes.append(f"the clock went back between seal {last.no} ({last.sealed_at}) and {seal.no}")
    return False


def _check_seal(report: VerifyReport, seal: Seal, leaves: bytes) -> None:
    report.seals += 1
    report.entries += seal.entries
    if digest_of(leaves) != seal.digest or len(leaves) != seal.entries * LEAF_BYTES:
        report.add(FindingKind.SEAL_CHANGED, f"the list of entries of seal {seal.no} was changed", seal=seal.no)
    if not is_sound(seal):
        report.add(FindingKind.SEAL_CHANGED, f"seal {seal.no} was changed", seal=seal.no)


def _check_signature(report: VerifyReport, seal: Seal, known: TrustedKeys) -> None:
    key = known.own.get(seal.key_id)
    if key is None:
        key = known.anchors.key_of(seal)
        if key is not None:
            report.vouched[seal.key_id] = report.vouched.get(seal.key_id, 0) + 1
    if key_id_of(known.kept.get(seal.key_id, b"")) != seal.key_id:
        message = f"the key {seal.key_id}, which signed seal {seal.no}, is gone or was changed"
        report.add(FindingKind.NOT_SIGNED, message, seal=seal.no)
    elif key is None:
        message = f"seal {seal.no} is signed by key {seal.key_id}, which this installation does not vouch for"
        report.add(FindingKind.NOT_SIGNED, message, seal=seal.no)
    elif not is_signed(seal, key):
        report.add(FindingKind.NOT_SIGNED, f"the signature of seal {seal.no} does not hold", seal=seal.no)


def read_rows(frame: pl.DataFrame) -> dict[bytes, Row]:
    """Entries by id, each with the hash of its line."""
    hashes = (hashlib.sha256(line.encode()).digest() for line in frame["line"])
    rows = zip(hashes, frame["tenant_id"], frame["recorded_at"], frame["xid"], strict=True)
    return dict(zip(frame["id"].to_list(), rows, strict=True))


def list_missing(group: Group, there: Mapping[bytes, Row]) -> list[bytes]:
    """What a group lists and its window does not hold."""
    return [entry for _, leaves in group for entry, _ in leaves_of(leaves) if entry not in there]


def compare_entries(
    report: VerifyReport,
    group: Group,
    there: dict[bytes, Row],
    before: Seal | None,
    known: TrustedKeys,
    *,
    unlisted: bool,
) -> None:
    """Each leaf with its entry; what no leaf lists was inserted. Empties `there`."""
    for seal, leaves in group:
        # a clock that was put right runs back for seals and entries alike
        oldest = None if before is None else (min(before.sealed_at, seal.sealed_at) - _LATEST).timestamp()
        for entry, sealed in leaves_of(leaves):
            found = there.pop(entry, None)
            if found is None:
                report.add(FindingKind.REMOVED, f"an entry of seal {seal.no} is gone", seal=seal.no, entry=entry)
                continue
            hashed, tenant, recorded_at, _ = found
            if hashed != sealed:
                message = f"an entry of seal {seal.no} was changed"
                report.add(FindingKind.CHANGED, message, seal=seal.no, entry=entry, tenant_id=tenant)
            elif oldest is not None and recorded_at < oldest:
                message = f"an entry claims to be older than seal {seal.no - 1} and was written after it"
                report.add(FindingKind.BACKDATED, message, seal=seal.no, entry=entry, tenant_id=tenant)
        before = seal
    if unlisted:
        _tell_inserted(report, group, {entry: row for entry, row in there.items() if entry not in known.strays})


def _tell_inserted(report: VerifyReport, group: Group, rows: Mapping[bytes, Row]) -> None:
    windows = [(seal.no, Snapshot.read(seal.snapshot)) for seal, _ in group] if rows else []
    for entry, (_, tenant, _, xid) in rows.items():
        no = next((no for no, window in windows if window.covers(xid)), group[-1][0].no)
        message = f"an entry stands among those of seal {no} and was not there when they were sealed"
        report.add(FindingKind.INSERTED, message, seal=no, entry=entry, tenant_id=tenant)
