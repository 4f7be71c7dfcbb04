"""Rates, caps and retries, and why a command waits. Pure."""

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
FRESH_SAMPLE = timedelta(minutes=15)  # for caps and power, at any collection interval: an older one counts as unknown
_JITTER = 0.2


def rate_limits(reboots: int) -> dict[str, int]:
    """Command types with a limit per site and window, with the tenant's figures."""
    return {"reboot_device": reboots}


RATE_LIMITED = tuple(rate_limits(0))


OUTAGE_TURN = "machines down"  # the lock of the poll that counts a site's outages


def outage_cap(share: float, machines: int) -> int:
    """Machines of a site that may be down by commands at the same time; at least one, also at a small site."""
    return max(1, math.floor(share * machines + 1e-9))


class WaitReason(StrEnum):
    NOT_APPROVED = "NOT_APPROVED"
    BACKOFF = "BACKOFF"
    MINER_LOCKED = "MINER_LOCKED"
    RATE_LIMITED = "RATE_LIMITED"
    BLAST_RADIUS = "BLAST_RADIUS"  # the cap on machines of a site that are down by commands
    COLLECTOR_OFFLINE = "COLLECTOR_OFFLINE"


@dataclass(frozen=True)
class Waiting:
    """What is known about a queued command."""

    state: State
    approval: Approval
    next_attempt_at: datetime
    machine_is_taken: bool  # by another control command that is leased or goes first
    rate_is_used_up: bool
    cap_is_reached: bool  # this machine would be one more down than the site's cap allows
    has_collector: bool  # of its site and zone, online, with control permission


def wait_reason(command: Waiting, *, now: datetime) -> WaitReason | None:
    """The first thing that must change before it can be dispatched; None: the next poll may take it."""
    if command.state is not State.QUEUED:
        return None
    reasons = {
        WaitReason.NOT_APPROVED: command.approval is Approval.REQUIRED,
        WaitReason.BACKOFF: command.next_attempt_at > now,
        WaitReason.MINER_LOCKED: command.machine_is_taken,
        WaitReason.RATE_LIMITED: command.rate_is_used_up,
        WaitReason.BLAST_RADIUS: command.cap_is_reached,
        WaitReason.COLLECTOR_OFFLINE: not command.has_collector,
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


def rate_left(limit: int, used: int, *, most: int) -> int:
    """How many commands of a rate-limited type one poll may take: what the window has left, at most `most`."""
    return max(0, min(most, limit - used))


def may_retry(attempt: int, max_retries: int) -> bool:
    """Whether another attempt may follow this one."""
    return attempt <= max_retries


def retry_at(command_id: UUID, attempt: int, backoff_sec: int, *, now: datetime) -> datetime:
    """Doubling backoff with jitter from a hash of command and attempt: the same result in every process."""
    jitter = int.from_bytes(hashlib.sha256(command_id.bytes + attempt.to_bytes(4, "big")).digest()[:4], "big") / 2**32
    seconds = min(backoff_sec * 2 ** min(attempt - 1, 20), MAX_BACKOFF_SEC)
    return now + timedelta(seconds=seconds * (1 - _JITTER + 2 * _JITTER * jitter))
