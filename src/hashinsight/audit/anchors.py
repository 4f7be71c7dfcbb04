"""Anchors: seals kept where whoever can write to the database cannot. What they prove is the end and the whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hashinsight.audit.chain import Anchor, Seal, is_signed, is_sound, key_id_of, read_anchor
from hashinsight.audit.findings import FindingKind, VerifyReport

Line = str | bytes | dict[str, Any]
_EMPTY = ("", b"", "\n", b"\n")
_BEGINNING = b'{"no":'


class AnchoredSeal(NamedTuple):
    """What is remembered of a line: a year of them is two million."""

    hash: bytes
    era: int


class LostSeals(NamedTuple):
    """From which seal on, and as far as which era: a log may be restored from before its last era began."""

    no: int
    era: int


@dataclass
class Anchors:
    """The seals that an anchor knows, by number. After a restore one number may stand for two seals."""

    resealings: Sequence[Any]
    known: dict[int, list[AnchoredSeal]] = field(default_factory=dict)
    keys: dict[str, bytes] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def key_of(self, seal: Seal) -> bytes | None:
        """The key of a seal that the anchor holds itself: for other seals it cannot vouch."""
        held = any(one.hash == seal.hash for one in self.known.get(seal.no, ()))
        return self.keys.get(seal.key_id) if held else None

    def check(self, report: VerifyReport, seal: Seal) -> None:
        """Every other seal that the anchor knows by this number must have been lost in a restore that was told."""
        for other in self.known.pop(seal.no, ()):
            if other.hash != seal.hash and not self._was_lost(seal.no, other):
                report.add(FindingKind.REWRITTEN, f"the anchor knows seal {seal.no} as another one", seal=seal.no)
                return

    def check_end(self, report: VerifyReport, end: int) -> None:
        beyond = sorted(
            no for no, several in self.known.items() if no > end and not all(self._was_lost(no, one) for one in several)
        )
        if beyond:
            message = f"the log ends with seal {end}, and the anchor knows seals {beyond[0]} to {beyond[-1]}"
            report.add(FindingKind.CUT, message, seal=end + 1)
        report.notes += [f"{count} seals of the anchor were lost, {why}" for why, count in self.lost.items()]

    def _was_lost(self, no: int, kept: AnchoredSeal) -> bool:
        why = why_lost(no, kept.era, self.resealings)
        if why is not None:
            self.lost[why] = self.lost.get(why, 0) + 1
        return why is not None


def why_lost(no: int, era: int, resealings: Sequence[Any]) -> str | None:
    """Why the log may not have a seal any more: it was restored, and the entry that says so covers it."""
    for told in resealings:
        if no >= told.lost_from and era <= told.lost_era:
            return f"{told.said_at}: {told.reason}"
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
            anchors.known.setdefault(anchor.seal.no, []).append(AnchoredSeal(anchor.seal.hash, anchor.seal.era))
    if torn:
        report.notes.append(f"{torn} lines of the anchor are torn, as a crash or a full disk leaves them")
    return anchors


def is_torn(line: Line) -> bool:
    """Whether it is only the beginning of one of ours: as good as missing, and no sign of a hand in it."""
    if isinstance(line, dict):
        return False
    raw = (line.encode() if isinstance(line, str) else line).strip()
    return raw.startswith(_BEGINNING) and not raw.endswith(b"}")


def _read(report: VerifyReport, line: Line, number: int) -> Anchor | None:
    try:
        anchor = read_anchor(line)
    except ValueError:
        report.add(FindingKind.NOT_AN_ANCHOR, f"line {number} of the anchor is not one of ours")
        return None
    good = key_id_of(anchor.public_key) == anchor.seal.key_id and is_sound(anchor.seal)
    if not good or not is_signed(anchor.seal, anchor.public_key):
        report.add(FindingKind.NOT_AN_ANCHOR, f"line {number} of the anchor was changed", seal=anchor.seal.no)
        return None
    return anchor
