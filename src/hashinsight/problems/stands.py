"""How the machines of a site stand, each counted once, and what they lose. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hashinsight.telemetry import losses


@dataclass(frozen=True)
class Stands:
    """Who is in none of the four is unknown; so is the loss of a site that nobody has looked at."""

    machines: int
    healthy: int = 0
    with_problem: int = 0
    stopped: int = 0
    down: int = 0
    lost_ths: float | None = None


def stands_of(tallied: Mapping[str, Any]) -> Stands:
    """Of a row of `losses.tally`."""
    return Stands(
        machines=tallied["machines"],
        healthy=tallied["fine"],
        with_problem=sum(tallied[name] for name in losses.SEVERITIES),
        stopped=tallied["stopped"],
        down=tallied["down"],
        lost_ths=tallied["lost_ths"],
    )
