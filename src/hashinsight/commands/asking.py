"""Who asks, what for, and what the answer is: the values that go through the one door."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from hashinsight.audit.actions import Actor
from hashinsight.commands.approval import Cause, Impact
from hashinsight.commands.limits import BACKOFF_SEC, MAX_RETRIES, TTL_SEC
from hashinsight.commands.states import Priority
from hashinsight.identity.permissions import Permission
from hashinsight.identity.principal import Principal
from hashinsight.identity.scope import WHOLE_TENANT, Scope, make_scope
from hashinsight.inventory.filters import MinerFilter
from hashinsight.kit.errors import Forbidden


@dataclass(frozen=True)
class Asker:
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


def asker_of(principal: Principal) -> Asker:
    """A person or a key, by the grants."""

    def scope(permission: Permission) -> Scope | None:
        try:
            return principal.scope_for(permission)
        except Forbidden:
            return None

    return Asker(
        principal.scope_for(Permission.SEE),
        scope(Permission.COMMAND),
        scope(Permission.COMMAND_HIGH),
        scope(Permission.APPROVE),
    )


def asker_for(tenant_id: UUID, actor: Actor) -> Asker:
    """What acts by itself in a tenant: rules, demand response. It asks for anything and approves nothing."""
    whole = make_scope(tenant_id, actor, [WHOLE_TENANT])
    return Asker(whole, whole, whole, None)


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
class Request:
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
    ttl_sec: int = TTL_SEC
    max_retries: int = MAX_RETRIES
    retry_backoff_sec: int = BACKOFF_SEC
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
class Made:
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
class Answer:
    batch_id: UUID
    commands: tuple[Made, ...]
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
class DryRun:
    impact: Impact
    excluded: tuple[Refusal, ...]
    needs_approval: bool
    causes: tuple[Cause, ...]
    supersedes: int = 0
    blast_radius: BlastRadius | None = None  # none: it takes no machine down
