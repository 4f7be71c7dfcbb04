"""What goes wrong is said once, and its end once: an outage of a night is two lines, not thirty thousand."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger("hashinsight.edge")
_KEPT = 20


@dataclass(frozen=True)
class Trouble:
    at: float
    what: str
    text: str


class Say:
    """`what` names the matter, `text` says how it stands. Another text about the same matter is news."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._now: dict[str, str] = {}
        self.count = 0
        self.last: deque[Trouble] = deque(maxlen=_KEPT)

    def bad(self, what: str, text: str) -> None:
        if self._now.get(what) == text:
            return
        self._now[what] = text
        self.count += 1
        self.last.append(Trouble(self._clock(), what, text))
        log.warning("%s: %s", what, text)

    def good(self, what: str, text: str) -> None:
        if self._now.pop(what, None) is not None:
            log.info("%s: %s", what, text)

    def once(self, what: str, text: str) -> None:
        """An event that has no end."""
        self.count += 1
        self.last.append(Trouble(self._clock(), what, text))
        log.warning("%s: %s", what, text)

    def is_bad(self, what: str | None = None) -> bool:
        return bool(self._now) if what is None else what in self._now
