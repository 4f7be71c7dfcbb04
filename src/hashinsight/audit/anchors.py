"""Anchors: seals kept where an attacker with access to the database cannot change them. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hashinsight.audit.chain import Anchor, Seal, is_signed, is_sound, key_id_of, read_anchor
from hashinsight.audit.findings import FindingKind, VerifyReport

Line = str | bytes | dict[str, Any]
_EMPTY = ("", b"", "\n", b"\n")
_LINE_START = b'{"no":'


class AnchoredSeal(NamedTuple):
    """What is kept of a line: a year has two million."""

    hash: bytes
    era: int


class LostSeals(NamedTuple):
    """Seals from `no` on, up to `era`: a log can be restored to before its last era began."""

    no: int
    era: int


@dataclass
class Anchors:
    """The seals of an anchor by number. After a restore, one number can have two seals."""

    resealings: Sequence[Any]
    seals: dict[int, list[AnchoredSeal]] = field(default_factory=dict)
    keys: dict[str, bytes] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def key_of(self, seal: Seal) -> bytes | None:
        """The key of a seal that the anchor has itself: it cannot vouch for others."""
        is_anchored = any(anchored.hash == seal.hash for anchored in self.seals.get(seal.no, ()))
        return self.keys.get(seal.key_id) if is_anchored else None

    def check(self, report: VerifyReport, seal: Seal) -> None:
        """Every other seal with this number must have been lost in a restore that was recorded."""
        for anchored in self.seals.pop(seal.no, ()):
            if anchored.hash != seal.hash and not self._was_lost(seal.no, anchored):
                report.add(FindingKind.REWRITTEN, f"the anchor has a different seal {seal.no}", seal=seal.no)
                return

    def check_end(self, report: VerifyReport, end: int) -> None:
        beyond = sorted(
            no
            for no, several in self.seals.items()
            if no > end and not all(self._was_lost(no, anchored) for anchored in several)
        )
        if beyond:
            message = f"the log ends with seal {end}, but the anchor has seals {beyond[0]} to {beyond[-1]}"
            report.add(FindingKind.CUT, message, seal=end + 1)
        report.notes += [f"{count} seals of the anchor were lost, {reason}" for reason, count in self.lost.items()]

    def _was_lost(self, no: int, anchored: AnchoredSeal) -> bool:
        reason = find_loss_reason(no, anchored.era, self.resealings)
        if reason is not None:
            self.lost[reason] = self.lost.get(reason, 0) + 1
        return reason is not None


def find_loss_reason(no: int, era: int, resealings: Sequence[Any]) -> str | None:
    """Why the log may lack a seal: it was restored, and the entry about that covers the seal."""
    for resealing in resealings:
        if no >= resealing.lost_from and era <= resealing.lost_era:
            return f"{resealing.recorded_at}: {resealing.reason}"
    return None


def read_anchors(report: VerifyReport, lines: Iterable[Line], resealings: Sequence[Any]) -> Anchors:
    anchors = Anchors(resealings)
    torn = 0
    for number, line in enumerate(lines, start=1):
        if line in _EMPTY:
            continue
        if is_torn(line):
            torn += 1
            continue
        anchor = _read(report, line, number)
        if anchor is not None:
            report.anchors += 1
            anchors.keys[anchor.seal.key_id] = anchor.public_key
            anchors.seals.setdefault(anchor.seal.no, []).append(AnchoredSeal(anchor.seal.hash, anchor.seal.era))
    if torn:
        report.notes.append(f"{torn} lines of the anchor are incomplete, as after a crash or with a full disk")
    return anchors


def is_torn(line: Line) -> bool:
    """Whether it is only the start of a line: treated as missing, not as tampering."""
    if isinstance(line, dict):
        return False
    raw = (line.encode() if isinstance(line, str) else line).strip()
    return raw.startswith(_LINE_START) and not raw.endswith(b"}")


def _read(report: VerifyReport, line: Line, number: int) -> Anchor | None:
    try:
        anchor = read_anchor(line)
    except ValueError:
        report.add(FindingKind.NOT_AN_ANCHOR, f"line {number} of the anchor is not a seal")
        return None
    is_intact = key_id_of(anchor.public_key) == anchor.seal.key_id and is_sound(anchor.seal)
    if not is_intact or not is_signed(anchor.seal, anchor.public_key):
        report.add(FindingKind.NOT_AN_ANCHOR, f"line {number} of the anchor was changed", seal=anchor.seal.no)
        return None
    return anchor
