"""Network and pool connection of one machine."""
# ruff: noqa: PLR2004 - a signature is stated in figures

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.family import DAY, HOUR, MINUTE, ActiveCases, Family
from hashinsight.sim.history import MachineHistory


def lose_network(case: ActiveCases, effects: Effects) -> None:
    effects.linked[case.machine[case.started]] = False


def shows_no_network(before: MachineHistory, after: MachineHistory) -> bool:
    return bool(before.online.all() and not after.online.any())


def get_rejected(case: ActiveCases, effects: Effects) -> None:
    share = np.minimum(case.severity * (0.08 + 0.35 * case.draws[:, 1]), 0.95)
    effects.rejects[case.machine] += np.where(case.started, share, 0.0)


def reject_share(seen: MachineHistory) -> float:
    rejected = seen.gained(seen.rejected)
    return rejected / max(rejected + seen.gained(seen.accepted), 1.0)


def shows_rejects(before: MachineHistory, after: MachineHistory) -> bool:
    return reject_share(after) > 0.05 > reject_share(before) and after.ratio > 0.9 * before.ratio


FAMILIES = (
    Family(
        kind="network_lost",
        family="network",
        signature="one machine is unreachable or sends nothing while its neighbours report",
        within_sec=15 * MINUTE,
        does=lose_network,
        shows=shows_no_network,
        share=0.03,
        by_itself=True,
        repair_sec=(1 * HOUR, 1 * DAY),
        repair_boots=False,
    ),
    Family(
        kind="pool_rejects",
        family="pool",
        signature="8 % or more of its shares are rejected, its own hashrate is fine",
        within_sec=1 * HOUR,
        does=get_rejected,
        shows=shows_rejects,
        share=0.02,
        by_itself=True,
        repair_sec=(4 * HOUR, 2 * DAY),
    ),
)
