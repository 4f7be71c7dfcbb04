"""Everything that conditions look at, and how they say what they think of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.baselines import Residuals
from hashinsight.problems.codes import Issue, Metric, Verdict
from hashinsight.problems.config import Resolved
from hashinsight.problems.data_state import Standing
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame
from hashinsight.problems.peers import Standings

Verdicts = NDArray[np.int8]
HELD = 0.7


@dataclass(frozen=True)
class Seen:
    """One row a machine, in the order of the frame."""

    frame: Frame
    standing: Standing
    features: Features
    limits: Resolved
    own: Residuals
    drift: Floats  # from the anchor, by anchored metric
    cusum_up: Floats
    cusum_down: Floats
    slope: Floats  # of hashrate_ratio, per day
    slope_hours: Floats
    still_samples: Floats  # in a row in which nothing moved
    peers: dict[Metric, Standings]
    usual_reject: Floats
    usual_errors: Floats
    judgeable: Flags  # steady, in a mode that is settled, not excused
    apart: Flags  # in a mode of its own: compared with machines in the same mode only
    shown: Flags  # (issues, machines): open already
    mode: NDArray[np.int8]  # in which it is compared; codes.Mode
    expectation: NDArray[np.int8]  # codes.Expectation: where its expected hashrate is from


def say(verdict: Verdicts, issue: Issue, known: Flags, hit: Flags) -> None:
    verdict[issue] = np.where(known, np.where(hit, Verdict.HIT, Verdict.FINE), Verdict.UNKNOWN)


def held(seen: Seen, issue: Issue) -> Floats:
    """What is open is held with less."""
    return np.where(seen.shown[issue], HELD, 1.0)
