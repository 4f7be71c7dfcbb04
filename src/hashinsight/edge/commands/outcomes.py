"""What is acked for an action, from the machine's reply and from what was seen afterwards. Pure.

The library reports success for some actions never sent (Whatsminers and LuxOS behind a closed port), failure for some
whose answer was lost, so what is seen comes first. If nothing is seen:

an action that sets a state   failed, and the cloud retries: applied twice, the state is the same
a reboot or a restart         skipped, OUTCOME_UNKNOWN: a retry might run it twice, so telemetry decides
half a restart                the same, whatever is seen: a machine that was only stopped looks like a restarting one
an accepted enable            succeeded: a machine needs minutes until it hashes
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from hashinsight.edge.library_process.messages import MachineError
from hashinsight.wire.acks import OUTCOME_UNKNOWN, AckStatus

NOT_REPEATABLE = frozenset({"reboot", "restart"})
_SLOW_TO_CONFIRM = frozenset({"enable"})


class Reply(StrEnum):
    YES = "yes"
    NO = "no"
    NOT_SENT = "not sent"  # the machine never received the action
    UNSURE = "unsure"  # it may have received it; the answer is lost


@dataclass(frozen=True)
class ActionReply:
    """How a machine took an action."""

    reply: Reply
    error_code: str | None = None
    message: str | None = None
    way: str | None = None
    is_deferred: bool = False  # a setting that would start a stopped machine: applied at its next start
    is_half: bool = False  # of a restart: it may be stopped, and did not confirm the start

    def needs_confirmation(self, verb: str) -> bool:
        """A no is final, except for what must not be repeated: an error may be the first sign of a reboot."""
        if self.is_deferred:
            return False
        return self.reply in (Reply.YES, Reply.UNSURE) or (self.reply is Reply.NO and verb in NOT_REPEATABLE)


@dataclass(frozen=True)
class Outcome:
    status: AckStatus
    started_at: datetime
    finished_at: datetime
    error_code: str | None = None
    message: str | None = None
    result: Mapping[str, Any] | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None


AckFields = tuple[AckStatus, str | None, str | None]  # status, error code, message
PERMANENT = frozenset({"UNSUPPORTED", "AUTH_FAILED"})  # people must change something first: no retry

_KINDS = {
    "unsupported": (Reply.NOT_SENT, "UNSUPPORTED"),
    "auth_failed": (Reply.NOT_SENT, "AUTH_FAILED"),
    "not_sent": (Reply.NOT_SENT, "UNREACHABLE"),
    "unreachable": (Reply.NOT_SENT, "UNREACHABLE"),
    "refused": (Reply.NOT_SENT, "UNREACHABLE"),
    "refused_by_machine": (Reply.NO, "MACHINE_REFUSED"),
    "slow": (Reply.UNSURE, "TIMEOUT"),
    "reset": (Reply.UNSURE, "UNREACHABLE"),
}


def reply_to_error(error: MachineError) -> ActionReply:
    """What is not known to have failed before sending may have reached the machine."""
    reply, code = _KINDS.get(error.kind, (Reply.UNSURE, error.kind.upper()))
    return ActionReply(reply, code, str(error))


def ack_unread(error: MachineError) -> AckFields:
    """It did not answer before the action: nothing was done to it."""
    _, code = _KINDS.get(error.kind, (Reply.NOT_SENT, error.kind.upper()))
    return (AckStatus.REJECTED if code in PERMANENT else AckStatus.FAILED), code, str(error)


def decide_ack(verb: str, reply: ActionReply, *, is_confirmed: bool | None, is_online: bool) -> AckFields:
    """`is_confirmed` None: this verb has no visible effect. `is_online`: whether the machine answered afterwards."""
    if reply.reply is Reply.NOT_SENT:
        status = AckStatus.REJECTED if reply.error_code in PERMANENT else AckStatus.FAILED
        return status, reply.error_code, reply.message
    if reply.is_deferred or (is_confirmed and not reply.is_half):
        deferred = "the machine is stopped; applied at its next start" if reply.is_deferred else None
        message = deferred if reply.reply is Reply.YES else "not acknowledged by the machine, but the effect was seen"
        return AckStatus.SUCCEEDED, None, message
    if verb in NOT_REPEATABLE and reply.reply is not Reply.NO:
        taken = "accepted by the machine" if reply.reply is Reply.YES else reply.message
        half = "it may be stopped, and will be started when it answers again"
        rest = half if reply.is_half else "no effect seen; not sent again"
        return AckStatus.SKIPPED, OUTCOME_UNKNOWN, f"{taken}; {rest}"
    if reply.reply is not Reply.YES:
        return AckStatus.FAILED, reply.error_code, reply.message
    if is_online and (is_confirmed is None or verb in _SLOW_TO_CONFIRM):
        return AckStatus.SUCCEEDED, None, None if is_confirmed is None else "accepted; no change seen yet"
    return AckStatus.FAILED, "NOT_CONFIRMED", "accepted; no change seen"
