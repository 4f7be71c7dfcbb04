"""What an ack does: pure, each with its reason. An ack moves only the dispatch that it names, and only the newest.

The fence, in the order in which it is asked:
1. A final command never changes: ALREADY_FINAL, COMMAND_EXPIRED, SUPERSEDED.
2. Another dispatch is the newest: ALREADY_ACKED when this one was acked and waits for its retry, else STALE_DISPATCH.
3. Somebody else holds the lease. A collector that never held this dispatch: NOT_LEASE_OWNER. One that held it before
   its lease ran out: what it achieved counts, what it failed at does not, because another is at it now: LEASE_MOVED.
"""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from hashinsight.commands.limits import may_retry, retry_at
from hashinsight.commands.states import FINAL, LEASED, Event, State
from hashinsight.wire.acks import Ack, AckStatus

_FINAL_CODES = {State.EXPIRED: "COMMAND_EXPIRED", State.SUPERSEDED: "SUPERSEDED"}
_ENDED = frozenset({"succeeded", "failed", "rejected", "skipped"})
# what a retry does not change, and what that means
_NEVER_PASSES = {
    "UNSUPPORTED": "unsupported: not retried",
    "NOT_SUPPORTED": "unsupported: not retried",
    "UNKNOWN_COMMAND": "unsupported: not retried",
    "NOT_IMPLEMENTED": "unsupported: not retried",
    "AUTH_FAILED": "the machine refused its password: not retried, set the right one at the collector",
}
OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"


class DispatchFacts(NamedTuple):
    """The command behind a dispatch, as it stands under its lock."""

    command_id: UUID
    state: State
    newest: UUID | None
    result: str | None  # of the dispatch that the ack names
    held_by: Collection[UUID]
    lease_owner: UUID | None
    lease_device: str | None
    attempt: int
    max_retries: int
    backoff_sec: int
    expires_at: datetime | None
    is_canceling: bool


class AckVerdict(NamedTuple):
    """`event` None: nothing moves. `applied` with no event: it was known already."""

    applied: bool
    event: Event | None = None
    error_code: str | None = None
    next_attempt_at: datetime | None = None
    message: str | None = None


def judge_ack(
    facts: DispatchFacts, ack: Ack, dispatch_id: UUID, collector_id: UUID, device: str | None, *, now: datetime
) -> AckVerdict:
    refusal = _fence(facts, ack, dispatch_id, collector_id, device)
    if refusal is not None:
        return AckVerdict(applied=False, error_code=refusal)
    match ack.status:
        case AckStatus.RUNNING:
            return _started(facts)
        case AckStatus.SUCCEEDED:
            return AckVerdict(applied=True, event=Event.SUCCEEDED)
        case AckStatus.REJECTED:
            return _failed(ack.error_code or "REJECTED", _for_good(ack.error_code) or "rejected: not retried")
        case AckStatus.SKIPPED:
            return _failed(OUTCOME_UNKNOWN, "ran before and the outcome is unknown: telemetry decides")
        case AckStatus.FAILED:
            return _retried(facts, ack, now=now)


def _fence(facts: DispatchFacts, ack: Ack, dispatch_id: UUID, collector_id: UUID, device: str | None) -> str | None:
    if facts.state in FINAL:
        return _FINAL_CODES.get(facts.state, "ALREADY_FINAL")
    if facts.newest != dispatch_id:
        return "ALREADY_ACKED" if facts.newest is None and facts.result in _ENDED else "STALE_DISPATCH"
    if _holds(facts, collector_id, device):
        return None
    if collector_id not in facts.held_by:
        return "NOT_LEASE_OWNER"
    if facts.state in LEASED and ack.status is not AckStatus.SUCCEEDED:
        return "LEASE_MOVED"
    return None


def _holds(facts: DispatchFacts, collector_id: UUID, device: str | None) -> bool:
    """Some calls name no device; where both sides name one, it is the same."""
    is_its_device = device is None or facts.lease_device is None or device == facts.lease_device
    return facts.state in LEASED and facts.lease_owner == collector_id and is_its_device


def _started(facts: DispatchFacts) -> AckVerdict:
    if facts.state is State.DISPATCHED:
        return AckVerdict(applied=True, event=Event.STARTED)
    if facts.state is State.RUNNING:
        return AckVerdict(applied=True, message="it was known to run")
    return AckVerdict(applied=False, error_code="LEASE_ENDED")


def _failed(code: str, message: str) -> AckVerdict:
    return AckVerdict(applied=True, event=Event.FAILED, error_code=code, message=message)


def _for_good(code: str | None) -> str | None:
    return next((why for word, why in _NEVER_PASSES.items() if word in (code or "").upper()), None)


def _retried(facts: DispatchFacts, ack: Ack, *, now: datetime) -> AckVerdict:
    code = ack.error_code or "FAILED"
    final = _for_good(code)
    if final is not None:
        return _failed(code, final)
    if facts.is_canceling:
        return _failed(code, "not retried: a cancel was requested")
    if not may_retry(facts.attempt, facts.max_retries):
        return _failed(code, f"failed {facts.attempt} times, and no retry is left")
    again = retry_at(facts.command_id, facts.attempt, facts.backoff_sec, now=now)
    if facts.expires_at is not None and again >= facts.expires_at:
        return _failed(code, "not retried: it would expire before")
    return AckVerdict(applied=True, event=Event.RETRIED, error_code=code, next_attempt_at=again)
