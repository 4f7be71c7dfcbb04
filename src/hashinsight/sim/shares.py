"""Counters: shares accepted and rejected by the pool, and hardware errors, all since boot."""

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.readings import Flags, Floats
from hashinsight.sim.state import State

SHARES_PER_SEC = 0.2  # pools set the difficulty so that every machine finds about twelve a minute
USUAL_REJECTS = 0.003
USUAL_ERRORS_PER_H = 0.5  # a board


def count(
    state: State, effects: Effects, *, before_ths: Floats, rated_ths: Floats, dt: float, rng: np.random.Generator
) -> None:
    """Adds what a step brought; work done is the mean of both ends of the step."""
    work = (before_ths + state.board_ths) * 0.5
    found = dt * SHARES_PER_SEC * work.sum(axis=1) / rated_ths
    paid = found * (state.pool_no >= 0)
    rejects = np.minimum(USUAL_REJECTS + effects.rejects, 1.0)
    state.accepted += rng.poisson(paid * (1 - rejects) * (1 - effects.diverted))
    state.rejected += rng.poisson(paid * rejects)
    per_board = rated_ths[:, None] / work.shape[1]
    errors = dt / 3600 * (USUAL_ERRORS_PER_H + effects.errors_per_h) * work / per_board
    state.board_errors += rng.poisson(errors)


def clear(state: State, machines: Flags) -> None:
    """Counters start again with the program that counts."""
    state.accepted[machines] = 0
    state.rejected[machines] = 0
    state.board_errors[machines] = 0
