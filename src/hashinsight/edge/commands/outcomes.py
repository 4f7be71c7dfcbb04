"""What is answered for an order, from what was said to it and what was seen afterwards. Pure.

The library says yes to some orders that never left the box (Whatsminers and LuxOS behind a closed port), and no to some
whose answer was lost: so what is seen comes first. Where nothing is seen:

an order that sets a state    failed, and tried again by the cloud: given twice, the state is the same
a reboot or a restart         skipped, OUTCOME_UNKNOWN: tried again it might run twice, so telemetry judges it
half a restart                the same, whatever is seen: a machine that was only stopped looks like one that restarts
an enable that was taken      succeeded: a machine needs minutes until it hashes
"""

from dataclasses import dataclass
from enum import StrEnum

from hashinsight.edge.library_process.process import NotRead
from hashinsight.edge.storage.journal import OUTCOME_UNKNOWN
from hashinsight.wire.acks import AckStatus

ONCE = frozenset({"reboot", "restart"})
_SLOW_TO_SHOW = frozenset({"enable"})


class Said(StrEnum):
    YES = "yes"
    NO = "no"
    NOT_ASKED = "not asked"  # the machine never heard the order
    UNSURE = "unsure"  # it may have heard it, and its answer is lost


@dataclass(frozen=True)
class Given:
    """An order, and how it was taken."""

    said: Said
    error_code: str | None = None
    message: str | None = None
    way: str | None = None
    is_noted: bool = False  # a setting that would have started a stopped machine: it is set when it starts
    is_half: bool = False  # of a restart: it may have been stopped, and did not confirm that it starts again

    def needs_look(self, verb: str) -> bool:
        """A no is believed at once, but for what must not be done again: its answer may be the first sign of it."""
        if self.is_noted:
            return False
        return self.said in (Said.YES, Said.UNSURE) or (self.said is Said.NO and verb in ONCE)


Answer = tuple[AckStatus, str | None, str | None]
FOR_GOOD = frozenset({"UNSUPPORTED", "AUTH_FAILED"})  # people must change something first: not tried again

_KINDS = {
    "unsupported": (Said.NOT_ASKED, "UNSUPPORTED"),
    "auth_failed": (Said.NOT_ASKED, "AUTH_FAILED"),
    "not_given": (Said.NOT_ASKED, "UNREACHABLE"),
    "unreachable": (Said.NOT_ASKED, "UNREACHABLE"),
    "refused": (Said.NOT_ASKED, "UNREACHABLE"),
    "refused_by_machine": (Said.NO, "MACHINE_REFUSED"),
    "slow": (Said.UNSURE, "TIMEOUT"),
    "reset": (Said.UNSURE, "UNREACHABLE"),
}


def not_taken(problem: NotRead) -> Given:
    """Whatever is not known to have stayed here may have reached the machine."""
    said, code = _KINDS.get(problem.kind, (Said.UNSURE, problem.kind.upper()))
    return Given(said, code, str(problem))


def not_read(problem: NotRead) -> Answer:
    """It was looked at before the order and did not answer: nothing was done to it."""
    _, code = _KINDS.get(problem.kind, (Said.NOT_ASKED, problem.kind.upper()))
    return (AckStatus.REJECTED if code in FOR_GOOD else AckStatus.FAILED), code, str(problem)


def answer_of(verb: str, given: Given, *, is_shown: bool | None, answers: bool) -> Answer:
    """`is_shown` None: nothing shows this verb. `answers`: whether the machine was heard after the order."""
    if given.said is Said.NOT_ASKED:
        status = AckStatus.REJECTED if given.error_code in FOR_GOOD else AckStatus.FAILED
        return status, given.error_code, given.message
    if given.is_noted or (is_shown and not given.is_half):
        noted = "it is stopped: set when it is started" if given.is_noted else None
        odd = noted if given.said is Said.YES else "it did not confirm the order, and shows that it was carried out"
        return AckStatus.SUCCEEDED, None, odd
    if verb in ONCE and given.said is not Said.NO:
        said = "it took the order" if given.said is Said.YES else given.message
        half = "it may stand still, and is started when it is read again"
        rest = half if given.is_half else "nothing shows it, and it is not given again"
        return AckStatus.SKIPPED, OUTCOME_UNKNOWN, f"{said}; {rest}"
    if given.said is not Said.YES:
        return AckStatus.FAILED, given.error_code, given.message
    if answers and (is_shown is None or verb in _SLOW_TO_SHOW):
        return AckStatus.SUCCEEDED, None, None if is_shown is None else "order accepted; no change seen yet"
    return AckStatus.FAILED, "NOT_CONFIRMED", "order accepted; no change seen"
