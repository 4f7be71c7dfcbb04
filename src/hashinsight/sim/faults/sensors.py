"""Broken sensors and hung firmware: the machine reports values that are not true."""
# ruff: noqa: PLR2004 - effects are stated in figures

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.boards import which_board
from hashinsight.sim.faults.family import DAY, HOUR, MINUTE, ActiveCases, Family


def break_sensor(case: ActiveCases, effects: Effects) -> None:
    board = which_board(case)
    fresh = case.started & np.isnan(case.memory[:, 0])
    chip_c, board_c = case.state.chip_c[case.machine, board], case.state.board_c[case.machine, board]
    shown_c = np.rint(np.where(case.fleet.chip_sensor[case.machine], chip_c, board_c))
    case.remember(0, np.where(fresh, shown_c, case.memory[:, 0]))
    variant = case.draws[:, 1]
    stuck_at = np.select([variant < 0.4, variant < 0.7], [0.0, 255.0], case.memory[:, 0])
    effects.sensor_c[case.machine[case.started], board[case.started]] = stuck_at[case.started]


def hang(case: ActiveCases, effects: Effects) -> None:
    machine = case.machine[case.started]
    effects.frozen[machine] = True
    effects.stalled[machine] = True


FAMILIES = (
    Family(
        kind="sensor_fault",
        family="sensor",
        signature="one board reports 0, 255 or a frozen temperature; hashrate normal",
        within_sec=30 * MINUTE,
        does=break_sensor,
        share=0.02,
    ),
    Family(
        kind="hung_firmware",
        family="firmware",
        signature="responds, but all values and the uptime are frozen; no shares",
        within_sec=30 * MINUTE,
        does=hang,
        share=0.02,
        by_itself=True,
        repair_sec=(1 * HOUR, 1 * DAY),
        restart_cures=1.0,
    ),
)
