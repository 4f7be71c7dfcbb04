"""A request for commands: what callers pass in, the checks that need no database, and what they get back."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import UUID

from hashinsight.commands.approval import (
    NO_RECENT_REQUESTS,
    ApprovalLimits,
    ApprovalNeed,
    ApprovalReason,
    Impact,
    RecentRequests,
    judge_approval,
)
from hashinsight.commands.catalogue import CommandType
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
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.tenant_settings import TenantSettings
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import ValidationFailed
from hashinsight.wire.canonical import canonical_json

_MAX_CHARS = {"reason": 2000, "dedupe_key": 200, "idempotency_key": 200, "problem_id": 100}
_MAX_EVIDENCE_BYTES = 64 * 1024
_MAX_DEDUPE_WINDOW_SEC = 31 * 24 * 3600
# an escaped NUL; an odd number of backslashes before it makes it plain text. Possessive: a run of them is read once
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*+\\u0000")


@dataclass(frozen=True)
class RuleRef:
    id: str
    version: int


@dataclass(frozen=True)
class PreApproval:
    """Permission given in advance for a rule to act without waiting: by whom, and why."""

    allowed_by: str
    reason: str


@dataclass(frozen=True)
class CommandRequest:
    """`miner_ids`, `group_id` or `filter` selects the machines; the rest says what each of them shall do."""

    command_type: str
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)
    site: str | int | None = None
    miner_ids: tuple[str, ...] | None = None
    group_id: int | None = None
    filter: MinerFilter | None = None
    online: bool | None = None  # narrows the filter
    issue_code: str | None = None  # narrows the filter to machines that have this problem now
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
    dedupe_window_sec: int | None = None  # default: the TTL
    idempotency_key: str | None = None
    rule: RuleRef | None = None
    problem_id: str | None = None
    evidence: Mapping[str, Any] | None = None

    def selection(self) -> dict[str, Any]:
        """How the machines were selected: stored with the batch, and part of the request's fingerprint."""
        return {
            "site": None if self.site is None else str(self.site),
            "miner_ids": None if self.miner_ids is None else sorted(set(self.miner_ids)),
            "group_id": self.group_id,
            "filter": None if self.filter is None else self.filter.given(),
            "online": self.online,
            "issue_code": self.issue_code,
        }


@dataclass(frozen=True)
class ResolvedRequest:
    """A request whose type, parameters and settings are known. `asks` is equal for equal type and parameters.

    `requester` is the person behind a session or an API key.
    """

    caller: Caller
    requester: str
    request: CommandRequest
    kind: CommandType
    params: dict[str, Any]
    asks: bytes
    settings: TenantSettings

    def judge_approval(self, impact: Impact, recent: RecentRequests = NO_RECENT_REQUESTS) -> ApprovalNeed:
        approval = self.settings.approval
        return judge_approval(
            self.kind.risk,
            impact,
            ApprovalLimits(approval.machines, approval.power_kw, approval.window_min),
            is_control=self.kind.is_control,
            recent=recent,
            requested=self.request.approval_required,
            emergency=self.request.emergency,
            pre_approved=self.request.pre_approval is not None,
        )

    def fingerprint(self, vault: Vault) -> bytes:
        """Of the whole request and its caller: an Idempotency-Key belongs to one request."""
        fields = asdict(replace(self.request, params={}, filter=None))  # `asks` and the selection stand for both
        del fields["idempotency_key"], fields["miner_ids"]  # the selection has them in a fixed order
        actor = self.caller.actor
        content = [self.asks.hex(), self.request.selection(), fields, actor.kind.value, actor.id]
        return vault.fingerprint("command request", canonical_json(content).decode())


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
    command_id: UUID | None = None  # of a duplicate or contradiction: the open command


@dataclass(frozen=True)
class RequestResult:
    batch_id: UUID
    commands: tuple[CreatedCommand, ...]
    refused: tuple[Refusal, ...]
    approval_reasons: tuple[str, ...] = ()
    repeated: bool = False  # the Idempotency-Key was used before for the same request


@dataclass(frozen=True)
class BlastRadius:
    """How many machines of the site are down by commands, how many may be, and what the request adds."""

    down_now: int  # for a restart or settings: in transition; for a stop: all, stopped ones included
    cap: int
    would_wait: int  # machines that are not dispatched before others are back
    exceeds_cap: bool  # an emergency, which goes out anyway


@dataclass(frozen=True)
class DryRunResult:
    impact: Impact
    excluded: tuple[Refusal, ...]
    needs_approval: bool
    approval_reasons: tuple[ApprovalReason, ...]
    supersedes: int = 0
    blast_radius: BlastRadius | None = None  # None: the command takes no machine down


def check_request(request: CommandRequest) -> None:
    """Bounds of every field; each refusal has a code."""
    selections = [value for value in (request.miner_ids, request.group_id, request.filter) if value is not None]
    if len(selections) != 1 or request.miner_ids == ():
        raise ValidationFailed("give exactly one of miner_ids, group_id and filter", code="BAD_TARGET")
    if request.filter is not None and request.site is None and not (request.filter.given() or request.issue_code):
        raise ValidationFailed("the filter is empty and would select every machine", code="BAD_TARGET")
    if request.filter is None and (request.online is not None or request.issue_code is not None):
        raise ValidationFailed("online and issue_code need a filter", code="BAD_TARGET")
    _check_number("ttl_sec", request.ttl_sec, MIN_TTL_SEC, MAX_TTL_SEC, code="BAD_TTL")
    _check_number("priority_number", request.priority_number, 0, 9, code="BAD_PRIORITY")
    _check_number("max_retries", request.max_retries, 0, RETRIES_LIMIT)
    _check_number("retry_backoff_sec", request.retry_backoff_sec, 1, MAX_BACKOFF_SEC)
    if request.dedupe_window_sec is not None:
        _check_number("dedupe_window_sec", request.dedupe_window_sec, 1, _MAX_DEDUPE_WINDOW_SEC)
    if request.priority not in list(Priority):
        raise ValidationFailed(f"priority must be one of {', '.join(Priority)}", code="BAD_PRIORITY")
    for name, max_chars in _MAX_CHARS.items():
        _check_text(name, getattr(request, name), max_chars)
    if request.evidence is not None:
        _check_evidence(request.evidence)


def _check_number(name: str, value: int, least: int, most: int, *, code: str | None = None) -> None:
    if type(value) is not int or not least <= value <= most:
        raise ValidationFailed(f"{name} must be between {least} and {most}", code=code)


def _check_text(name: str, value: str | None, max_chars: int) -> None:
    if value is not None and (len(value) > max_chars or "\0" in value or not _is_encodable(value)):
        raise ValidationFailed(f"{name} must have at most {max_chars} characters, without NUL or lone surrogates")


def _is_encodable(text: str) -> bool:
    """JSON can carry a lone surrogate; PostgreSQL cannot store one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_evidence(evidence: Mapping[str, Any]) -> None:
    try:
        encoded = canonical_json(dict(evidence))
    except (ValueError, RecursionError):
        raise ValidationFailed("evidence must be plain JSON") from None
    if _NUL.search(encoded):
        raise ValidationFailed("evidence contains a NUL character")
    if len(encoded) > _MAX_EVIDENCE_BYTES:
        raise ValidationFailed(f"evidence must be at most {_MAX_EVIDENCE_BYTES} bytes")
