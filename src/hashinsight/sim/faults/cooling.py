"""Cooling: dust, dried thermal paste, a detached heatsink."""

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.boards import which_board
from hashinsight.sim.faults.family import DAY, HOUR, MINUTE, ActiveCases, Family
from hashinsight.sim.readings import Floats


def creep(case: ActiveCases) -> Floats:
    """0 to 1. With a warning phase: half of it there, the rest in three days. Without: all in half a day."""
    warned = case.warns_from < case.start
    after = np.where(case.started, case.age / np.where(warned, 3 * DAY, 0.5 * DAY), 0.0)
    crept: Floats = np.minimum(0.5 * case.warning * warned + np.where(warned, 0.5, 1.0) * np.minimum(after, 1.0), 1.0)
    return crept


def gather_dust(case: ActiveCases, effects: Effects) -> None:
    """The whole machine breathes less air, so every board runs hotter at the same power."""
    depth = case.severity * (0.28 + 0.22 * case.draws[:, 1])
    effects.board_rise[case.machine] *= (1 + depth * creep(case))[:, None]


def dry_paste(case: ActiveCases, effects: Effects) -> None:
    """Chips part from their heatsinks: on all boards, on one more than on the others."""
    worse = case.severity * (0.55 + 0.45 * case.draws[:, 1]) * creep(case)
    effects.chip_over[case.machine] *= (1 + 0.7 * worse)[:, None]
    effects.chip_over[case.machine, which_board(case)] *= 1 + 0.4 * worse


def drop_heatsink(case: ActiveCases, effects: Effects) -> None:
    index = (case.machine[case.started], which_board(case)[case.started])
    effects.board_rise[index] *= 1 + 0.22 * case.severity[case.started]
    effects.chip_over[index] *= 1 + 0.45 * case.severity[case.started]


FAMILIES = (
    Family(
        kind="dust",
        family="cooling",
        signature="temperature over inlet rises slowly at the same power; fans speed up, then throttling",
        within_sec=3 * DAY,
        does=gather_dust,
        share=0.10,
        warns=0.65,
        lead_sec=(14 * DAY, 42 * DAY),
        precursor="the same rise, slower and smaller",
        repair_sec=(4 * DAY, 14 * DAY),
    ),
    Family(
        kind="paste",
        family="cooling",
        signature="chip over inlet rises slowly, one board more than the others; fans speed up, then throttling",
        within_sec=3 * DAY,
        does=dry_paste,
        share=0.05,
        warns=0.65,
        lead_sec=(14 * DAY, 42 * DAY),
        precursor="the same rise, slower and smaller",
        repair_sec=(4 * DAY, 14 * DAY),
        heat=True,
    ),
    Family(
        kind="heatsink_off",
        family="cooling",
        signature="one board suddenly hotter than the others; shuts down if above its limit",
        within_sec=30 * MINUTE,
        does=drop_heatsink,
        share=0.03,
        cycles=True,
        repair_sec=(6 * HOUR, 3 * DAY),
    ),
)
