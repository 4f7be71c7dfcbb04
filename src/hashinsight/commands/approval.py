"""Whether a request must be approved before anything is handed out, and what it would reach. Pure."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from hashinsight.commands.catalogue import Risk
from hashinsight.commands.states import Approval


@dataclass(frozen=True)
class Impact:
    """What a request reaches. Machines whose figures nobody knows are counted beside the sums, not guessed."""

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

    Machines that are asked for now are counted with the request; `more_kw` is by how much they drew more before.
    """

    machines: int = 0
    kw: float = 0.0
    more_kw: float = 0.0


NO_RECENT_REQUESTS = RecentRequests()


@dataclass(frozen=True)
class ApprovalLimits:
    """The tenant's own: above either of them, in one request or in a window, it takes a second person."""

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
    """Why it must be approved: a code with its figures for programs, and words for people."""

    code: ApprovalCode
    words: str
    value: float | None = None
    limit: float | None = None
    window_min: int | None = None


@dataclass(frozen=True)
class ApprovalNeed:
    state: Approval
    causes: tuple[ApprovalReason, ...]
    decision: str | None = None  # by which the wait was skipped: emergency, pre_approved

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(one.words for one in self.causes)

    @property
    def is_needed(self) -> bool:
        return self.state is Approval.REQUIRED


def judge_approval(
    risk: Risk,
    impact: Impact,
    limits: ApprovalLimits,
    *,
    is_control: bool,
    before: RecentRequests = NO_RECENT_REQUESTS,
    asked_for: bool = False,
    emergency: bool = False,
    pre_approved: bool = False,
) -> ApprovalNeed:
    """`asked_for`: whoever requests wants it approved in any case, as a rule can.

    Of lights there is no sum: a technician who looks for machines lights many.
    """
    causes = []
    if risk is Risk.HIGH:
        causes.append(ApprovalReason(ApprovalCode.HIGH_RISK, "the catalogue calls it high risk"))
    if impact.machines > limits.machines:
        words = f"{impact.machines} machines, more than {limits.machines} in one batch"
        causes.append(ApprovalReason(ApprovalCode.MANY_MACHINES, words, impact.machines, limits.machines))
    if is_control and impact.kw > limits.power_kw:
        words = f"{impact.kw:.0f} kW, more than {limits.power_kw:g}"
        causes.append(ApprovalReason(ApprovalCode.MUCH_POWER, words, round(impact.kw, 3), limits.power_kw))
    if is_control and impact.machines:
        causes += _in_window(impact, before, limits, known={one.code for one in causes})
    if asked_for:
        causes.append(ApprovalReason(ApprovalCode.ASKED_FOR, "approval was asked for"))
    if not causes:
        return ApprovalNeed(Approval.NONE, ())
    if emergency:
        return ApprovalNeed(Approval.APPROVED, tuple(causes), "emergency")
    if pre_approved:
        return ApprovalNeed(Approval.APPROVED, tuple(causes), "pre_approved")
    return ApprovalNeed(Approval.REQUIRED, tuple(causes))


def _in_window(
    impact: Impact, before: RecentRequests, limits: ApprovalLimits, *, known: Collection[ApprovalCode]
) -> Iterator[ApprovalReason]:
    """What this request and those before it come to, where it passes a limit that the request alone does not."""
    machines, window = impact.machines + before.machines, limits.window_min
    if machines > limits.machines and ApprovalCode.MANY_MACHINES not in known:
        words = f"{machines} machines asked by one requester in {window} min (limit {limits.machines})"
        yield ApprovalReason(ApprovalCode.MANY_MACHINES_IN_WINDOW, words, machines, limits.machines, window)
    kw = impact.kw + before.kw + before.more_kw
    if kw > limits.power_kw and ApprovalCode.MUCH_POWER not in known:
        words = f"{kw:.0f} kW asked by one requester in {window} min (limit {limits.power_kw:g} kW)"
        yield ApprovalReason(ApprovalCode.MUCH_POWER_IN_WINDOW, words, round(kw, 3), limits.power_kw, window)
