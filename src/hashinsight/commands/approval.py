"""Whether a request must be approved before anything is handed out, and what it would reach. Pure."""

from dataclasses import dataclass

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
class Limits:
    """The tenant's own: above either of them a batch is of high risk."""

    machines: int
    power_kw: float


@dataclass(frozen=True)
class Need:
    state: Approval
    reasons: tuple[str, ...]
    decision: str | None = None  # by which the wait was skipped: emergency, pre_approved

    @property
    def is_needed(self) -> bool:
        return self.state is Approval.REQUIRED


def judge_need(
    risk: Risk,
    impact: Impact,
    limits: Limits,
    *,
    is_control: bool,
    asked_for: bool = False,
    emergency: bool = False,
    pre_approved: bool = False,
) -> Need:
    """`asked_for`: whoever requests wants it approved in any case, as a rule can."""
    reasons = []
    if risk is Risk.HIGH:
        reasons.append("the catalogue calls it high risk")
    if impact.machines > limits.machines:
        reasons.append(f"{impact.machines} machines, more than {limits.machines} in one batch")
    if is_control and impact.kw > limits.power_kw:
        reasons.append(f"{impact.kw:.0f} kW, more than {limits.power_kw:g}")
    if asked_for:
        reasons.append("approval was asked for")
    if not reasons:
        return Need(Approval.NONE, ())
    if emergency:
        return Need(Approval.APPROVED, tuple(reasons), "emergency")
    if pre_approved:
        return Need(Approval.APPROVED, tuple(reasons), "pre_approved")
    return Need(Approval.REQUIRED, tuple(reasons))
