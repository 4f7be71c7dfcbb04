"""Rates, retries, and why a command waits: judgement without a database. Pure."""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from hashinsight.commands.states import Approval, State

LEASE = timedelta(seconds=180)
POLL_LIMIT, MAX_POLL_LIMIT = 50, 500
MIN_TTL_SEC, MAX_TTL_SEC, DEFAULT_TTL_SEC = 5, 7 * 24 * 3600, 900
DEFAULT_RETRIES, RETRIES_LIMIT = 3, 100
DEFAULT_BACKOFF_SEC, MAX_BACKOFF_SEC = 15, 3600
MAX_MACHINES = 100_000
RATE_WINDOW = timedelta(minutes=5)
_JITTER = 0.2


def rate_limits(reboots: int) -> dict[str, int]:
    """The types that have a limit per site and window, with the tenant's figures."""
    return {"reboot_device": reboots}


RATE_LIMITED = tuple(rate_limits(0))


OUTAGE_TURN = "machines down"  # the turn of whoever counts them at a site


def outage_cap(share: float, machines: int) -> int:
    """Machines of a site that may be down by commands at one time. One at least: a small site must not stand still."""
    return max(1, math.floor(share * machines + 1e-9))


class WaitReason(StrEnum):
    NOT_APPROVED = "NOT_APPROVED"
    BACKOFF = "BACKOFF"
    MINER_LOCKED = "MINER_LOCKED"
    RATE_LIMITED = "RATE_LIMITED"
    BLAST_RADIUS = "BLAST_RADIUS"
    COLLECTOR_OFFLINE = "COLLECTOR_OFFLINE"


@dataclass(frozen=True)
class Waiting:
    """What there is to know about a command in the queue."""

    state: State
    approval: Approval
    next_attempt_at: datetime
    machine_is_taken: bool  # by another control command that is leased, or goes before it
    rate_is_spent: bool
    cap_is_reached: bool  # of the site's machines that may be down, and this one would be one more
    has_collector: bool  # one of its site, and zone, that may control and is heard


def wait_reason(of: Waiting, *, now: datetime) -> WaitReason | None:
    """The first thing that must change before it can be handed out; None when the next poll may take it."""
    if of.state is not State.QUEUED:
        return None
    reasons = {
        WaitReason.NOT_APPROVED: of.approval is Approval.REQUIRED,
        WaitReason.BACKOFF: of.next_attempt_at > now,
        WaitReason.MINER_LOCKED: of.machine_is_taken,
        WaitReason.RATE_LIMITED: of.rate_is_spent,
        WaitReason.BLAST_RADIUS: of.cap_is_reached,
        WaitReason.COLLECTOR_OFFLINE: not of.has_collector,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def room(most_in_window: int, used: int, *, most: int) -> int:
    """How many of a type with a limit one poll may take: what the window has left, and no more than it asks for."""
    return max(0, min(most, most_in_window - used))


def may_retry(attempt: int, max_retries: int) -> bool:
    """After the attempt of this number."""
    return attempt <= max_retries


def retry_at(command_id: UUID, attempt: int, backoff_sec: int, *, now: datetime) -> datetime:
    """Doubling, and spread by a hash of the command and the attempt: the same for whoever computes it."""
    drawn = int.from_bytes(hashlib.sha256(command_id.bytes + attempt.to_bytes(4, "big")).digest()[:4], "big") / 2**32
    seconds = min(backoff_sec * 2 ** min(attempt - 1, 20), MAX_BACKOFF_SEC)
    return now + timedelta(seconds=seconds * (1 - _JITTER + 2 * _JITTER * drawn))
