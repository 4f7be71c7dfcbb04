"""Everything that conditions look at, and how they say what they think of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.baselines import Residuals
from hashinsight.problems.codes import Issue, Metric, RuleVerdict
from hashinsight.problems.config import MachineLimits
from hashinsight.problems.data_state import DataStatus
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame
from hashinsight.problems.peers import PeerPositions

Verdicts = NDArray[np.int8]
HELD = 0.7


@dataclass(frozen=True)
class Observations:
    """One row a machine, in the order of the frame."""

    frame: Frame
    standing: DataStatus
    features: Features
    limits: MachineLimits
    own: Residuals
    drift: Floats  # from the anchor, by anchored metric
    cusum_up: Floats
    cusum_down: Floats
    slope: Floats  # of hashrate_ratio, per day
    slope_hours: Floats
    still_samples: Floats  # in a row in which nothing moved
    peers: dict[Metric, PeerPositions]
    usual_reject: Floats
    usual_errors: Floats
    judgeable: Flags  # steady, in a mode that is settled, not excused
    apart: Flags  # in a mode of its own: compared with machines in the same mode only
    shown: Flags  # (issues, machines): open already
    mode: NDArray[np.int8]  # in which it is compared; codes.Mode
    expectation: NDArray[np.int8]  # codes.Expectation: where its expected hashrate is from


def say(verdict: Verdicts, issue: Issue, known: Flags, hit: Flags) -> None:
    verdict[issue] = np.where(known, np.where(hit, RuleVerdict.HIT, RuleVerdict.FINE), RuleVerdict.UNKNOWN)


def held(seen: Observations, issue: Issue) -> Floats:
    """What is open is held with less."""
    return np.where(seen.shown[issue], HELD, 1.0)
