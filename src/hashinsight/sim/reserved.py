"""Fault families reserved for scoring: no tuning on them. Only the benchmark imports this module."""
# ruff: noqa: PLR2004 - effects are stated in figures

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.boards import which_board
from hashinsight.sim.faults.family import DAY, HOUR, ActiveCases, Families, Family
from hashinsight.sim.readings import Flags

_BACK_AT_C = 1.5


def drop_when_hot(case: ActiveCases, effects: Effects) -> None:
    """A cracked solder joint: the board goes when it is warm and comes back when it has cooled."""
    board = which_board(case)
    inlet = case.state.inlet_c[case.machine]
    limit = 15 + 6 * case.draws[:, 1] / np.maximum(case.severity, 0.1)
    away = case.memory[:, 0] == 1
    gone = case.started & np.where(away, inlet > limit - _BACK_AT_C, inlet > limit)
    case.remember(0, gone.astype(np.float64))
    effects.board_alive[case.machine[gone], board[gone]] = False


def waste_power(case: ActiveCases, effects: Effects) -> None:
    """Capacitors age: the same hashrate costs more at the wall, week by week."""
    lost = case.severity * (0.08 + 0.08 * case.draws[:, 1]) * np.minimum(case.age / (8 * DAY), 1.0)
    effects.watts[case.machine] *= 1 + lost


def breathe_exhaust(case: ActiveCases, effects: Effects) -> None:
    """Wind from one side in the evenings: a rack gets its own exhaust back for some hours a day."""
    effects.inlet_add_c[case.machine[_evening(case)]] += 8.0


def _evening(case: ActiveCases) -> Flags:
    hour = (case.now / HOUR) % 24
    return case.started & (16 <= hour < 21)


def skim_shares(case: ActiveCases, effects: Effects) -> None:
    """Stolen work: at night a part of the shares is handed in under somebody else's name; the machine looks fine."""
    hour = (case.now / HOUR) % 24
    stolen = case.severity * (0.3 + 0.4 * case.draws[:, 1])
    effects.diverted[case.machine] = np.where(case.started & (hour < 7), np.minimum(stolen, 1.0), 0.0)


def hunt_frequency(case: ActiveCases, effects: Effects) -> None:
    """A tuner that does not settle: frequency swings with its own period."""
    period = (30 + 60 * case.draws[:, 1]) * 60
    swing = case.severity * (0.07 + 0.05 * case.draws[:, 2]) * np.sin(2 * np.pi * case.age / period)
    effects.frequency[case.machine] *= np.where(case.started, 1 + swing, 1.0)


RESERVED: Families = (
    Family(
        kind="board_drops_when_hot",
        family="board",
        signature="a board goes in the warm hours and comes back in the cool ones",
        within_sec=1 * DAY,
        does=drop_when_hot,
        share=0.10,
        heat=True,
    ),
    Family(
        kind="psu_efficiency_loss",
        family="psu",
        signature="watts creep up by 8 to 16 % at the same hashrate, fans and temperature as before",
        within_sec=4 * DAY,
        does=waste_power,
        share=0.08,
        heat=True,
    ),
    Family(
        kind="rack_recirculation",
        family="heat",
        signature="one rack is 8 °C hotter at its inlets from 16 to 21 h UTC",
        within_sec=1 * DAY,
        does=breathe_exhaust,
        share=0.01,
        repair_boots=False,
        spreads="rack",
    ),
    Family(
        kind="share_skimming",
        family="pool",
        signature="30 to 70 % of the accepted shares are missing from 0 to 7 h UTC, hashrate and rejects as before",
        within_sec=1 * DAY,
        does=skim_shares,
        share=0.02,
        by_itself=True,
    ),
    Family(
        kind="frequency_hunting",
        family="firmware",
        signature="hashrate and watts swing by 7 to 12 % with a period of 30 to 90 min",
        within_sec=6 * HOUR,
        does=hunt_frequency,
        share=0.03,
        by_itself=True,
    ),
)
