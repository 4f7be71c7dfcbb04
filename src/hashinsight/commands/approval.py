"""Whether a request needs approval before anything is dispatched, and what it affects. Pure."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from hashinsight.commands.catalogue import Risk
from hashinsight.commands.states import Approval


@dataclass(frozen=True)
class Impact:
    """What a request affects. Machines without figures are counted separately, not estimated."""

    machines: int
    kw: float
    ths: float
    unknown_power: int = 0
    unknown_ths: int = 0
    site_machines: int = 0

    @property
    def share_of_site(self) -> float:
        return min(1.0, self.machines / self.site_machines) if self.site_machines else 0.0


@dataclass(frozen=True)
class RecentRequests:
    """What the same requester commanded at this site without approval, within the window or still open.

    Machines of the new request are not counted again; `more_kw` is the power that they drew then above what they
    draw now.
    """

    machines: int = 0
    kw: float = 0.0
    more_kw: float = 0.0


NO_RECENT_REQUESTS = RecentRequests()


@dataclass(frozen=True)
class ApprovalLimits:
    """The tenant's own: above either of them, in one request or in a window, a second person must approve."""

    machines: int
    power_kw: float
    window_min: int


class ApprovalCode(StrEnum):
    HIGH_RISK = "HIGH_RISK"
    MANY_MACHINES = "MANY_MACHINES"
    MUCH_POWER = "MUCH_POWER"
    MANY_MACHINES_IN_WINDOW = "MANY_MACHINES_IN_WINDOW"
    MUCH_POWER_IN_WINDOW = "MUCH_POWER_IN_WINDOW"
    ASKED_FOR = "ASKED_FOR"


@dataclass(frozen=True)
class ApprovalReason:
    """Why approval is needed: code and figures for programs, a text for people."""

    code: ApprovalCode
    text: str
    value: float | None = None
    limit: float | None = None
    window_min: int | None = None


@dataclass(frozen=True)
class ApprovalNeed:
    state: Approval
    reasons: tuple[ApprovalReason, ...]
    decision: str | None = None  # why nobody has to approve: emergency, pre_approved

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(reason.text for reason in self.reasons)

    @property
    def is_needed(self) -> bool:
        return self.state is Approval.REQUIRED


def judge_approval(
    risk: Risk,
    impact: Impact,
    limits: ApprovalLimits,
    *,
    is_control: bool,
    recent: RecentRequests = NO_RECENT_REQUESTS,
    requested: bool = False,
    emergency: bool = False,
    pre_approved: bool = False,
) -> ApprovalNeed:
    """`requested`: the requester wants approval in any case, as a rule can.

    Lights have no limit per window: a technician who looks for machines lights many.
    """
    reasons = []
    if risk is Risk.HIGH:
        reasons.append(ApprovalReason(ApprovalCode.HIGH_RISK, "high-risk command type"))
    if impact.machines > limits.machines:
        text = f"{impact.machines} machines in one request (limit {limits.machines})"
        reasons.append(ApprovalReason(ApprovalCode.MANY_MACHINES, text, impact.machines, limits.machines))
    if is_control and impact.kw > limits.power_kw:
        text = f"{impact.kw:.0f} kW in one request (limit {limits.power_kw:g} kW)"
        reasons.append(ApprovalReason(ApprovalCode.MUCH_POWER, text, round(impact.kw, 3), limits.power_kw))
    if is_control and impact.machines:
        reasons += _judge_window(impact, recent, limits, known={reason.code for reason in reasons})
    if requested:
        reasons.append(ApprovalReason(ApprovalCode.ASKED_FOR, "approval was requested"))
    if not reasons:
        return ApprovalNeed(Approval.NONE, ())
    if emergency:
        return ApprovalNeed(Approval.APPROVED, tuple(reasons), "emergency")
    if pre_approved:
        return ApprovalNeed(Approval.APPROVED, tuple(reasons), "pre_approved")
    return ApprovalNeed(Approval.REQUIRED, tuple(reasons))


def _judge_window(
    impact: Impact, recent: RecentRequests, limits: ApprovalLimits, *, known: Collection[ApprovalCode]
) -> Iterator[ApprovalReason]:
    """Limits that this request exceeds only together with the requester's recent ones."""
    machines, window = impact.machines + recent.machines, limits.window_min
    if machines > limits.machines and ApprovalCode.MANY_MACHINES not in known:
        text = f"{machines} machines by one requester in {window} min (limit {limits.machines})"
        yield ApprovalReason(ApprovalCode.MANY_MACHINES_IN_WINDOW, text, machines, limits.machines, window)
    kw = impact.kw + recent.kw + recent.more_kw
    if kw > limits.power_kw and ApprovalCode.MUCH_POWER not in known:
        text = f"{kw:.0f} kW by one requester in {window} min (limit {limits.power_kw:g} kW)"
        yield ApprovalReason(ApprovalCode.MUCH_POWER_IN_WINDOW, text, round(kw, 3), limits.power_kw, window)
