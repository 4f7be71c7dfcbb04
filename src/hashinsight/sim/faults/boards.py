"""Hashboards: lost as a whole, or chip by chip."""
# ruff: noqa: PLR2004 - effects are stated in figures

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.family import DAY, HOUR, MINUTE, ActiveCases, Family
from hashinsight.sim.readings import BOARDS, Counts


def which_board(case: ActiveCases) -> Counts:
    return (case.draws[:, 0] * BOARDS).astype(np.int64)


def lose_board(case: ActiveCases, effects: Effects) -> None:
    board = which_board(case)
    # errors come in bursts and more often towards the end
    burst = np.sin(case.now / 5000 + 6 * case.draws[:, 2]) > -0.3
    warned = (case.warns_from < case.start) & ~case.started
    effects.errors_per_h[case.machine, board] += 60 * case.warning**1.5 * burst * warned
    gone, its_board = case.machine[case.started], board[case.started]
    effects.board_alive[gone, its_board] = False
    failure = case.draws[case.started, 1]
    effects.sensor_c[gone, its_board] = np.select([failure < 0.4, failure < 0.7], [0.0, 255.0], np.nan)
    effects.error_code[gone] = 210


def lose_chips(case: ActiveCases, effects: Effects) -> None:
    board = which_board(case)
    warned = (case.warns_from < case.start) & ~case.started
    effects.errors_per_h[case.machine, board] += 25 * case.warning * warned
    # a part at once, as much again within three days
    part = case.severity * (0.08 + 0.10 * case.draws[:, 1]) * (1 + np.minimum(case.age / (3 * DAY), 1.0))
    effects.chips_share[case.machine, board] *= np.where(case.started, 1 - np.minimum(part, 0.9), 1.0)
    effects.errors_per_h[case.machine, board] += np.where(case.started, 40 + 60 * case.draws[:, 2], 0.0)


FAMILIES = (
    Family(
        kind="hashboard_lost",
        family="board",
        signature="hashrate to 2/3, power down 30 to 35 %; board: 0 chips, sensor 0, 255 or inlet, without PIC all 0",
        within_sec=15 * MINUTE,
        does=lose_board,
        share=0.35,
        warns=0.65,
        lead_sec=(7 * DAY, 28 * DAY),
        precursor="bursts of hardware errors on that board",
        heat=True,
        cycles=True,
    ),
    Family(
        kind="chips_failing",
        family="board",
        signature="fewer chips found on a board, hashrate down by their share, hardware errors and J/TH up",
        within_sec=6 * HOUR,
        does=lose_chips,
        share=0.15,
        warns=0.65,
        lead_sec=(7 * DAY, 28 * DAY),
        precursor="hardware errors on that board, rising",
        heat=True,
    ),
)
