"""Comparing a group of seals with the seal before, the keys, the anchor and their entries. Pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import polars as pl

from hashinsight.audit.anchors import Anchors
from hashinsight.audit.chain import (
    LEAF_BYTES,
    START,
    Seal,
    digest_of,
    is_signed,
    is_sound,
    key_id_of,
    leaves_of,
    next_window,
)
from hashinsight.audit.findings import FindingKind, VerifyReport
from hashinsight.audit.snapshot import Snapshot

# a transaction can take minutes, so an entry's own time can be that much before the seal that covers it
_MAX_DELAY = timedelta(hours=1)

Group = list[tuple[Seal, bytes]]
Row = tuple[bytes, str | None, float, int]  # hash of the line, tenant, time recorded, transaction


@dataclass(frozen=True)
class TrustedKeys:
    """What seals and entries are checked against."""

    own: Mapping[str, bytes]  # keys that the installation's secret vouches for
    stored: Mapping[str, bytes]  # keys in the database, trusted or not
    anchors: Anchors
    strays: frozenset[bytes]  # entries in the seals that close an era, wherever they seem to belong


def check_seals(report: VerifyReport, group: Group, before: Seal | None, trusted: TrustedKeys) -> bool:
    """Whether seals are missing before or among these."""
    last, is_missing = before, False
    for seal, leaves in group:
        is_missing = _check_link(report, last, seal) or is_missing
        _check_seal(report, seal, leaves)
        _check_signature(report, seal, trusted)
        trusted.anchors.check(report, seal)
        last = seal
    return is_missing


def _check_link(report: VerifyReport, last: Seal | None, seal: Seal) -> bool:
    """Whether seals are missing before this one."""
    expected_no = 1 if last is None else last.no + 1
    if seal.no != expected_no:
        is_one = seal.no == expected_no + 1
        missing = f"seal {expected_no} is" if is_one else f"seals {expected_no} to {seal.no - 1} are"
        report.add(FindingKind.SEAL_REMOVED, f"{missing} missing", seal=expected_no)
        return True
    if seal.previous != (START if last is None else last.hash):
        report.add(FindingKind.SEAL_CHANGED, f"seal {seal.no} does not follow seal {seal.no - 1}", seal=seal.no)
    elif seal.era != next_window(last)[0]:
        report.add(FindingKind.SEAL_CHANGED, f"seal {seal.no} starts an era that was not opened", seal=seal.no)
    if last is not None and seal.sealed_at < last.sealed_at - _MAX_DELAY:
        report.notes.append(f"the clock went back between seal {last.no} ({last.sealed_at}) and {seal.no}")
    return False


def _check_seal(report: VerifyReport, seal: Seal, leaves: bytes) -> None:
    report.seals += 1
    report.entries += seal.entries
    if digest_of(leaves) != seal.digest or len(leaves) != seal.entries * LEAF_BYTES:
        report.add(FindingKind.SEAL_CHANGED, f"the list of entries of seal {seal.no} was changed", seal=seal.no)
    if not is_sound(seal):
        report.add(FindingKind.SEAL_CHANGED, f"seal {seal.no} was changed", seal=seal.no)


def _check_signature(report: VerifyReport, seal: Seal, trusted: TrustedKeys) -> None:
    key = trusted.own.get(seal.key_id)
    if key is None:
        key = trusted.anchors.key_of(seal)
        if key is not None:
            report.vouched[seal.key_id] = report.vouched.get(seal.key_id, 0) + 1
    if key_id_of(trusted.stored.get(seal.key_id, b"")) != seal.key_id:
        message = f"the key {seal.key_id}, which signed seal {seal.no}, is missing or was changed"
        report.add(FindingKind.NOT_SIGNED, message, seal=seal.no)
    elif key is None:
        message = f"seal {seal.no} is signed with key {seal.key_id}, which this installation does not trust"
        report.add(FindingKind.NOT_SIGNED, message, seal=seal.no)
    elif not is_signed(seal, key):
        report.add(FindingKind.NOT_SIGNED, f"the signature of seal {seal.no} is invalid", seal=seal.no)


def read_rows(frame: pl.DataFrame) -> dict[bytes, Row]:
    """Entries by id, each with the hash of its line."""
    hashes = (hashlib.sha256(line.encode()).digest() for line in frame["line"])
    rows = zip(hashes, frame["tenant_id"], frame["recorded_at"], frame["xid"], strict=True)
    return dict(zip(frame["id"].to_list(), rows, strict=True))


def list_missing(group: Group, rows: Mapping[bytes, Row]) -> list[bytes]:
    """Entries that the group's seals list and `rows` do not have."""
    return [entry for _, leaves in group for entry, _ in leaves_of(leaves) if entry not in rows]


def compare_entries(
    report: VerifyReport,
    group: Group,
    rows: dict[bytes, Row],
    before: Seal | None,
    trusted: TrustedKeys,
    *,
    find_inserted: bool,
) -> None:
    """Each leaf with its entry; entries without a leaf were inserted. Empties `rows`."""
    for seal, leaves in group:
        # a clock that was set back sets back seals and entries alike
        oldest = None if before is None else (min(before.sealed_at, seal.sealed_at) - _MAX_DELAY).timestamp()
        for entry, sealed_hash in leaves_of(leaves):
            row = rows.pop(entry, None)
            if row is None:
                report.add(FindingKind.REMOVED, f"an entry of seal {seal.no} is missing", seal=seal.no, entry=entry)
                continue
            line_hash, tenant, recorded_at, _ = row
            if line_hash != sealed_hash:
                message = f"an entry of seal {seal.no} was changed"
                report.add(FindingKind.CHANGED, message, seal=seal.no, entry=entry, tenant_id=tenant)
            elif oldest is not None and recorded_at < oldest:
                message = f"an entry claims to be older than seal {seal.no - 1} but was written after it"
                report.add(FindingKind.BACKDATED, message, seal=seal.no, entry=entry, tenant_id=tenant)
        before = seal
    if find_inserted:
        _report_inserted(report, group, {entry: row for entry, row in rows.items() if entry not in trusted.strays})


def _report_inserted(report: VerifyReport, group: Group, rows: Mapping[bytes, Row]) -> None:
    windows = [(seal.no, Snapshot.read(seal.snapshot)) for seal, _ in group] if rows else []
    for entry, (_, tenant, _, xid) in rows.items():
        no = next((no for no, window in windows if window.covers(xid)), group[-1][0].no)
        message = f"an entry was inserted among those of seal {no} after they were sealed"
        report.add(FindingKind.INSERTED, message, seal=no, entry=entry, tenant_id=tenant)
