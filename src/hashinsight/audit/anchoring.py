"""Anchors: seals kept where whoever can write to the database cannot. What they prove is the end and the whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hashinsight.audit.chain import Anchor, Seal, is_signed, is_sound, key_id_of, read_anchor
from hashinsight.audit.findings import Kind, Report


@dataclass
class Anchors:
    """The seals that an anchor knows, by number. After a restore one number may stand for two seals."""

    resealings: Sequence[Any]
    known: dict[int, list[Anchor]] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def keys(self) -> dict[str, bytes]:
        return {one.seal.key_id: one.public_key for several in self.known.values() for one in several}

    def check(self, report: Report, seal: Seal) -> None:
        """Every other seal that the anchor knows by this number must have been lost in a restore that was told."""
        for other in self.known.pop(seal.no, ()):
            if other.seal.hash != seal.hash and not self._was_lost(other):
                report.add(Kind.REWRITTEN, f"the anchor knows seal {seal.no} as another one", seal=seal.no)
                return

    def check_end(self, report: Report, end: int) -> None:
        beyond = sorted(no for no, several in self.known.items() if not all(map(self._was_lost, several)))
        if beyond:
            message = f"the log ends with seal {end}, and the anchor knows seals {beyond[0]} to {beyond[-1]}"
            report.add(Kind.CUT, message, seal=end + 1)
        report.notes += [f"{count} seals of the anchor were lost, {why}" for why, count in self.lost.items()]

    def _was_lost(self, anchor: Anchor) -> bool:
        why = why_lost(anchor.seal, self.resealings)
        if why is not None:
            self.lost[why] = self.lost.get(why, 0) + 1
        return why is not None


def why_lost(seal: Seal, resealings: Sequence[Any]) -> str | None:
    """Why the log may not have a seal any more: it was restored, and the entry that says so covers it."""
    for entry in resealings:
        said = entry.after or {}
        if seal.no >= said.get("lost_from", 0) and seal.era <= said.get("closed_era", 0):
            return f"{entry.at:%Y-%m-%d %H:%M}Z: {entry.reason}"
    return None


def read_anchors(
    report: Report, lines: Iterable[str | bytes | dict[str, object]], resealings: Sequence[Any]
) -> Anchors:
    anchors = Anchors(resealings)
    for number, line in enumerate(lines, start=1):
        if isinstance(line, str | bytes) and not line.strip():
            continue
        anchor = _read(report, line, number)
        if anchor is not None:
            report.anchors += 1
            anchors.known.setdefault(anchor.seal.no, []).append(anchor)
    return anchors


def _read(report: Report, line: str | bytes | dict[str, object], number: int) -> Anchor | None:
    try:
        anchor = read_anchor(line)
    except ValueError:
        report.add(Kind.NOT_AN_ANCHOR, f"line {number} of the anchor is not one of ours")
        return None
    good = key_id_of(anchor.public_key) == anchor.seal.key_id and is_sound(anchor.seal)
    if not good or not is_signed(anchor.seal, anchor.public_key):
        report.add(Kind.NOT_AN_ANCHOR, f"line {number} of the anchor was changed", seal=anchor.seal.no)
        return None
    return anchor
