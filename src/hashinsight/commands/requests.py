"""Who asks, what for, and what the answer is: the values that go through the one door."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from hashinsight.audit.actions import Actor
from hashinsight.commands.approval import ApprovalReason, Impact
from hashinsight.commands.limits import (
    DEFAULT_BACKOFF_SEC,
    DEFAULT_RETRIES,
    DEFAULT_TTL_SEC,
    MAX_BACKOFF_SEC,
    MAX_TTL_SEC,
    MIN_TTL_SEC,
    RETRIES_LIMIT,
)
from hashinsight.commands.states import Priority
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import WHOLE_TENANT, Scope, make_scope
from hashinsight.inventory.filters import MinerFilter
from hashinsight.kit.errors import Forbidden, ValidationFailed
from hashinsight.wire.canonical import canonical_json


@dataclass(frozen=True)
class CommandCaller:
    """What somebody sees, and where they may ask for low and high risk, and approve. None: nowhere."""

    seen: Scope
    low: Scope | None
    high: Scope | None
    approve: Scope | None

    @property
    def actor(self) -> Actor:
        return self.seen.actor

    @property
    def tenant_id(self) -> UUID:
        return self.seen.tenant_id


def caller_for(principal: Caller) -> CommandCaller:
    """A person or a key, by the grants."""

    def scope(permission: Permission) -> Scope | None:
        try:
            return principal.scope_for(permission)
        except Forbidden:
            return None

    return CommandCaller(
        principal.scope_for(Permission.SEE),
        scope(Permission.COMMAND),
        scope(Permission.COMMAND_HIGH),
        scope(Permission.APPROVE),
    )


def automation_caller(tenant_id: UUID, actor: Actor) -> CommandCaller:
    """What acts by itself in a tenant: rules, demand response. It asks for anything and approves nothing."""
    whole = make_scope(tenant_id, actor, [WHOLE_TENANT])
    return CommandCaller(whole, whole, whole, None)


@dataclass(frozen=True)
class RuleRef:
    id: str
    version: int


@dataclass(frozen=True)
class PreApproval:
    """A rule's leave to act without waiting: who allowed it, and why."""

    allowed_by: str
    reason: str


@dataclass(frozen=True)
class CommandRequest:
    """`miner_ids`, `group_id` or `filter` says which machines; the rest what each of them is to do."""

    command_type: str
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)
    site: str | int | None = None
    miner_ids: tuple[str, ...] | None = None
    group_id: int | None = None
    filter: MinerFilter | None = None
    online: bool | None = None  # beside the filter
    issue_code: str | None = None  # beside it as well: of a problem that the machine has now
    reason: str = ""
    priority: str = Priority.EFFICIENCY
    priority_number: int = 5
    ttl_sec: int = DEFAULT_TTL_SEC
    max_retries: int = DEFAULT_RETRIES
    retry_backoff_sec: int = DEFAULT_BACKOFF_SEC
    emergency: bool = False
    approval_required: bool = False
    pre_approval: PreApproval | None = None
    dedupe_key: str | None = None
    dedupe_window_sec: int | None = None  # by default as long as the TTL
    idempotency_key: str | None = None
    rule: RuleRef | None = None
    problem_id: str | None = None
    evidence: Mapping[str, Any] | None = None

    def selection(self) -> dict[str, Any]:
        """For the record, and to know the same request again."""
        return {
            "site": None if self.site is None else str(self.site),
            "miner_ids": None if self.miner_ids is None else sorted(set(self.miner_ids)),
            "group_id": self.group_id,
            "filter": None if self.filter is None else self.filter.given(),
            "online": self.online,
            "issue_code": self.issue_code,
        }


@dataclass(frozen=True)
class CreatedCommand:
    command_id: UUID
    miner_id: str
    state: str
    approval_state: str
    existing: bool = False


@dataclass(frozen=True)
class Refusal:
    miner_id: str
    error_code: str
    reason: str
    command_id: UUID | None = None  # of a duplicate: the one that stands against it


@dataclass(frozen=True)
class RequestResult:
    batch_id: UUID
    commands: tuple[CreatedCommand, ...]
    refused: tuple[Refusal, ...]
    approval_reasons: tuple[str, ...] = ()
    repeated: bool = False  # by the Idempotency-Key: this was asked before


@dataclass(frozen=True)
class BlastRadius:
    """How many machines of the site are down by commands, how many may be, and what the request makes of it."""

    down_now: int  # for a restart or settings: in transition; for a stop: all, also those that stay stopped
    cap: int
    would_wait: int  # machines that are not handed out before others are back
    exceeds_cap: bool  # an emergency that goes out all the same


@dataclass(frozen=True)
class DryRunResult:
    impact: Impact
    excluded: tuple[Refusal, ...]
    needs_approval: bool
    causes: tuple[ApprovalReason, ...]
    supersedes: int = 0
    blast_radius: BlastRadius | None = None  # none: it takes no machine down


_MOST_CHARS = {"reason": 2000, "dedupe_key": 200, "idempotency_key": 200, "problem_id": 100}
_MOST_EVIDENCE_BYTES = 64 * 1024
# not after an odd number of backslashes: that is a text about NUL; possessive, so that a run of them is read once
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*+\\u0000")
_MOST_WINDOW_SEC = 31 * 24 * 3600


def check_request(asked: CommandRequest) -> None:
    chosen = [one for one in (asked.miner_ids, asked.group_id, asked.filter) if one is not None]
    if len(chosen) != 1 or asked.miner_ids == ():
        raise ValidationFailed("give miner_ids, group_id or filter, and one of them only", code="BAD_TARGET")
    if asked.filter is not None and asked.site is None and not (asked.filter.given() or asked.issue_code):
        raise ValidationFailed("the filter is empty: every machine would be meant", code="BAD_TARGET")
    if asked.filter is None and (asked.online is not None or asked.issue_code is not None):
        raise ValidationFailed("online and issue_code narrow a filter", code="BAD_TARGET")
    _check_number("ttl_sec", asked.ttl_sec, MIN_TTL_SEC, MAX_TTL_SEC, code="BAD_TTL")
    _check_number("priority_number", asked.priority_number, 0, 9, code="BAD_PRIORITY")
    _check_number("max_retries", asked.max_retries, 0, RETRIES_LIMIT)
    _check_number("retry_backoff_sec", asked.retry_backoff_sec, 1, MAX_BACKOFF_SEC)
    if asked.dedupe_window_sec is not None:
        _check_number("dedupe_window_sec", asked.dedupe_window_sec, 1, _MOST_WINDOW_SEC)
    if asked.priority not in list(Priority):
        raise ValidationFailed(f"priority is one of {', '.join(Priority)}", code="BAD_PRIORITY")
    for name, most in _MOST_CHARS.items():
        _check_text(name, getattr(asked, name), most)
    _check_evidence(asked)


def _check_number(name: str, value: int, least: int, most: int, *, code: str | None = None) -> None:
    if type(value) is not int or not least <= value <= most:
        raise ValidationFailed(f"{name} lies between {least} and {most}", code=code)


def _check_text(name: str, value: str | None, most: int) -> None:
    if value is not None and (len(value) > most or "\0" in value or not _is_text(value)):
        raise ValidationFailed(f"{name} has at most {most} characters, and none of them is NUL or half of one")


def _is_text(value: str) -> bool:
    """JSON can spell half a character, and PostgreSQL stores none."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_evidence(asked: CommandRequest) -> None:
    if asked.evidence is None:
        return
    try:
        written = canonical_json(dict(asked.evidence))
    except (ValueError, RecursionError):
        raise ValidationFailed("evidence is plain JSON") from None
    if _NUL.search(written):
        raise ValidationFailed("evidence holds a NUL character")
    if len(written) > _MOST_EVIDENCE_BYTES:
        raise ValidationFailed(f"evidence has at most {_MOST_EVIDENCE_BYTES} bytes")
