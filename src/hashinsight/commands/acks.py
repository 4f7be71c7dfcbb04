"""What an ack does to its command, with the reason. Pure.

An ack moves only the dispatch that it names, and only the newest one. The fence, in order:
1. The caller holds the lease of the newest dispatch (`queries.acks` reads this fact under the lock): no objection.
2. A final command never changes: ALREADY_FINAL, COMMAND_EXPIRED, SUPERSEDED.
3. Another dispatch is newer: ALREADY_ACKED if this one was acked and waits for its retry, else STALE_DISPATCH.
4. Another collector holds the lease. One that never held this dispatch: NOT_LEASE_OWNER. One that held it before its
   lease ran out: a success counts, a failure does not, because another collector is executing it now: LEASE_MOVED.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from hashinsight.commands.limits import may_retry, retry_at
from hashinsight.commands.states import FINAL, LEASED, Event, State
from hashinsight.wire.acks import OUTCOME_UNKNOWN, Ack, AckStatus

_FINAL_CODES = {State.EXPIRED: "COMMAND_EXPIRED", State.SUPERSEDED: "SUPERSEDED"}
_END_RESULTS = frozenset({"succeeded", "failed", "rejected", "skipped"})
# error codes that a retry does not help with
_PERMANENT_ERRORS = {
    "UNSUPPORTED": "unsupported: not retried",
    "NOT_SUPPORTED": "unsupported: not retried",
    "UNKNOWN_COMMAND": "unsupported: not retried",
    "NOT_IMPLEMENTED": "unsupported: not retried",
    "AUTH_FAILED": "the machine rejected the password: not retried; correct it on the collector",
}


class DispatchFacts(NamedTuple):
    """The command behind a dispatch, as read under its lock."""

    command_id: UUID
    state: State
    is_newest: bool
    waits_for_retry: bool  # no newer dispatch: the last one was acked as failed
    holds_lease: bool  # the caller, of the newest dispatch
    has_held: bool  # the caller, this dispatch, at some time
    result: str | None  # of the dispatch that the ack names
    attempt: int
    max_retries: int
    backoff_sec: int
    expires_at: datetime | None
    is_canceling: bool


class AckVerdict(NamedTuple):
    """`event` None: no move. `applied` without event: known before."""

    applied: bool
    event: Event | None = None
    error_code: str | None = None
    next_attempt_at: datetime | None = None
    message: str | None = None


def judge_ack(facts: DispatchFacts, ack: Ack, *, now: datetime) -> AckVerdict:
    refusal = check_fence(facts, ack.status)
    if refusal is not None:
        return AckVerdict(applied=False, error_code=refusal)
    match ack.status:
        case AckStatus.RUNNING:
            return _started(facts)
        case AckStatus.SUCCEEDED:
            return AckVerdict(applied=True, event=Event.SUCCEEDED)
        case AckStatus.REJECTED:
            return _failed(ack.error_code or "REJECTED", _permanent(ack.error_code) or "rejected: not retried")
        case AckStatus.SKIPPED:
            return _failed(OUTCOME_UNKNOWN, "may have run, outcome unknown: check telemetry")
        case AckStatus.FAILED:
            return _failed_or_retried(facts, ack, now=now)


def check_fence(facts: DispatchFacts, status: AckStatus) -> str | None:
    """The code by which the fence refuses the ack; None: it passes."""
    if facts.holds_lease:
        return None
    if facts.state in FINAL:
        return _FINAL_CODES.get(facts.state, "ALREADY_FINAL")
    if not facts.is_newest:
        return "ALREADY_ACKED" if facts.waits_for_retry and facts.result in _END_RESULTS else "STALE_DISPATCH"
    if not facts.has_held:
        return "NOT_LEASE_OWNER"
    if facts.state in LEASED and status is not AckStatus.SUCCEEDED:
        return "LEASE_MOVED"
    return None


def _started(facts: DispatchFacts) -> AckVerdict:
    if facts.state is State.DISPATCHED:
        return AckVerdict(applied=True, event=Event.STARTED)
    if facts.state is State.RUNNING:
        return AckVerdict(applied=True, message="already running")
    return AckVerdict(applied=False, error_code="LEASE_ENDED")


def _failed(code: str, message: str) -> AckVerdict:
    return AckVerdict(applied=True, event=Event.FAILED, error_code=code, message=message)


def _permanent(code: str | None) -> str | None:
    return next((message for word, message in _PERMANENT_ERRORS.items() if word in (code or "").upper()), None)


def _failed_or_retried(facts: DispatchFacts, ack: Ack, *, now: datetime) -> AckVerdict:
    code = ack.error_code or "FAILED"
    permanent = _permanent(code)
    if permanent is not None:
        return _failed(code, permanent)
    if facts.is_canceling:
        return _failed(code, "not retried: cancel requested")
    if not may_retry(facts.attempt, facts.max_retries):
        return _failed(code, f"failed {facts.attempt} times: no retries left")
    next_attempt_at = retry_at(facts.command_id, facts.attempt, facts.backoff_sec, now=now)
    if facts.expires_at is not None and next_attempt_at >= facts.expires_at:
        return _failed(code, "not retried: the command expires before the next attempt")
    return AckVerdict(applied=True, event=Event.RETRIED, error_code=code, next_attempt_at=next_attempt_at)
