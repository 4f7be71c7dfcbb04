"""What warns can be measured before the fault starts, and what does not warn cannot."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.looks import Look, look
from hashinsight.sim.plan import PlannedFault, Where
from hashinsight.sim.world import World
from tests.sim.playing import DAY, START, quiet, watch


def more_errors(before: Look, after: Look) -> bool:
    return after.gained(after.hw_errors) > 3 * before.gained(before.hw_errors) + 20


def restless_fan(before: Look, after: Look) -> bool:
    def unrest(seen: Look) -> float:
        per_duty = seen.fan_rpm / seen.fan_duty[:, None]
        return float(np.std(per_duty, axis=0).max())

    return unrest(after) > 2 * unrest(before)


def warmer(before: Look, after: Look) -> bool:
    return float(np.mean(after.fan_duty)) > float(np.mean(before.fan_duty)) + 0.03


SIGNS: dict[str, Callable[[Look, Look], bool]] = {
    "hashboard_lost": more_errors,
    "chips_failing": more_errors,
    "fan_failing": restless_fan,
    "dust": warmer,
    "paste": warmer,
}


def test_every_kind_that_warns_is_asked_here() -> None:
    assert set(SIGNS) == {family.kind for family in PUBLIC if family.warns}


@pytest.mark.parametrize("kind", sorted(SIGNS))
def test_the_last_day_before_the_start_shows_it_on_those_that_warn_and_only_on_them(kind: str) -> None:
    calm = quiet(22)
    ill = replace(calm, faults=(PlannedFault(kind, Where(count=22), 1.25 * DAY),))
    worlds = [World(scenario, seed=7, start=START, max_step_sec=300) for scenario in (ill, calm)]
    seen, twin = (watch(world, 1.2 * DAY, 300) for world in worlds)
    warned = {episode.machine_id for episode in worlds[0].episodes() if episode.precursor_start is not None}
    assert 5 < len(warned) < 20
    for machine, name in enumerate(worlds[0].fleet.machine_id):
        shown = SIGNS[kind](look(*twin, machine), look(*seen, machine))
        assert shown == (name in warned), f"{name}, {'warned' if name in warned else 'not warned'}"
