"""Network and pool connection of one machine."""

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.family import DAY, HOUR, MINUTE, ActiveCases, Family


def lose_network(case: ActiveCases, effects: Effects) -> None:
    effects.linked[case.machine[case.started]] = False


def get_rejected(case: ActiveCases, effects: Effects) -> None:
    share = np.minimum(case.severity * (0.08 + 0.35 * case.draws[:, 1]), 0.95)
    effects.rejects[case.machine] += np.where(case.started, share, 0.0)


FAMILIES = (
    Family(
        kind="network_lost",
        family="network",
        signature="one machine is unreachable or sends nothing while its neighbours report",
        within_sec=15 * MINUTE,
        does=lose_network,
        share=0.03,
        by_itself=True,
        repair_sec=(1 * HOUR, 1 * DAY),
        repair_boots=False,
    ),
    Family(
        kind="pool_rejects",
        family="pool",
        signature="8 % or more of its shares rejected; hashrate normal",
        within_sec=1 * HOUR,
        does=get_rejected,
        share=0.02,
        by_itself=True,
        repair_sec=(4 * HOUR, 2 * DAY),
    ),
)
