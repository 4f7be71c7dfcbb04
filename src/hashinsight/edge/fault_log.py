"""Faults of the collector, logged once when they start and once when they end: an outage overnight is two lines."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger("hashinsight.edge")
_LAST = 20


@dataclass(frozen=True)
class Fault:
    at: float
    what: str
    text: str


class FaultLog:
    """`what` names the part, `text` its condition. A different text about the same part is logged again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: dict[str, str] = {}
        self.count = 0
        self.last: deque[Fault] = deque(maxlen=_LAST)

    def open(self, what: str, text: str) -> None:
        if self._open.get(what) != text:
            self._open[what] = text
            self.note(what, text)

    def close(self, what: str, text: str) -> None:
        if self._open.pop(what, None) is not None:
            log.info("%s: %s", what, text)

    def note(self, what: str, text: str) -> None:
        """A fault that has no end."""
        self.count += 1
        self.last.append(Fault(self._clock(), what, text))
        log.warning("%s: %s", what, text)

    def is_open(self, what: str | None = None) -> bool:
        return bool(self._open) if what is None else what in self._open
