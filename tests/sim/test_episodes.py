"""How episodes end: by hand, by a reboot, or before they began; labels never say what did not happen."""

from dataclasses import replace

import numpy as np
import pytest

from hashinsight.sim.commands import Pause, Restart, Resume
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.plan import PlannedCause, PlannedFault, Where
from hashinsight.sim.world import World
from tests.sim.signatures import MachineHistory, Signature, machine_history
from tests.sim.worlds import DAY, HOUR, MINUTE, START, quiet, quiet_world, watch


def planned(kind: str, at: float) -> World:
    scenario = replace(quiet(22), faults=(PlannedFault(kind, Where(count=22), at),))
    return World(scenario, seed=7, start=START, max_step_sec=300)


def test_a_fault_that_is_mended_while_it_warns_starts_and_ends_in_that_moment() -> None:
    world = planned("hashboard_lost", 12 * HOUR)
    world.advance(world.at + HOUR)
    (first, *_) = world.episodes()
    assert first.precursor_start is not None
    assert first.start > world.at
    assert world.end(first.no)
    world.advance(world.at + DAY)
    (ended,) = [episode for episode in world.episodes() if episode.no == first.no]
    assert ended.start == ended.end == START + HOUR
    assert ended.precursor_start == first.precursor_start
    lost = {
        episode.members[0]
        for episode in world.episodes()
        if episode.no != first.no and episode.end and episode.end > world.at
    }
    boards = (world.readings().board_chips == 0).any(axis=1)
    assert not boards[list(first.members)].any()
    assert boards[list(lost)].all()


def test_a_future_episode_cannot_be_ended_and_begins_on_time() -> None:
    scenario = replace(quiet(22), causes=(PlannedCause("curtailment", Where(), 2 * HOUR, HOUR),))
    world = World(scenario, seed=7, start=START, max_step_sec=300)
    assert not world.end(1)
    world.advance(world.at + 2.5 * HOUR)
    (stop,) = world.episodes()
    assert (stop.start, stop.end) == (START + 2 * HOUR, START + 3 * HOUR)
    assert not world.readings().hashing.any()
    assert world.end(1)
    world.advance(world.at + 20 * MINUTE)
    (stop,) = [episode for episode in world.episodes() if episode.no == 1]
    assert stop.end == START + 2.5 * HOUR
    assert world.readings().hashing.mean() > 0.8


def test_a_reboot_that_cures_a_hung_machine_is_one_reboot() -> None:
    world = quiet_world(step=5.0)
    (episode,) = world.inject("hung_firmware", np.array([3]))
    world.advance(world.at + 5 * MINUTE)
    cycles, asked_at = int(world.state.power_cycles[3]), world.at
    assert world.execute(3, Restart()) is None
    world.advance(world.at + 20 * MINUTE)
    assert world.readings().hashing[3]
    assert world.state.power_cycles[3] == cycles + 1
    assert world.state.booted_at[3] == asked_at
    (ended,) = [later for later in world.episodes() if later.no == episode.no]
    assert ended.end == asked_at


def test_without_faults_every_machine_that_is_resumed_starts() -> None:
    world = quiet_world(220)
    everyone = np.arange(220)
    for _ in range(10):  # 2,200 times: of three in a thousand, some would fail
        world.execute_many(everyone, Pause())
        world.execute_many(everyone, Resume())
    assert world.episodes() == []


def test_with_faults_a_few_of_those_that_are_resumed_do_not_start() -> None:
    ordinary = replace(quiet(220), rates=replace(quiet(220).rates, on=True))
    world = World(ordinary, seed=7, start=START)
    for _ in range(10):
        world.execute_many(np.arange(220), Pause())
        world.execute_many(np.arange(220), Resume())
    failed = [episode for episode in world.episodes() if episode.kind == "failed_restart"]
    assert 1 <= len(failed) <= 20


@pytest.mark.parametrize("firmware", ["chip", "board"])
def test_a_frozen_sensor_repeats_its_last_reading(firmware: str) -> None:
    world = quiet_world(220)
    everyone = np.flatnonzero(world.fleet.chip_sensor == (firmware == "chip"))
    before = world.readings()
    shown = before.chip_temp_c if firmware == "chip" else before.board_temp_c
    world.inject("sensor_fault", everyone)
    world.advance(world.at + 5 * MINUTE)
    temps = world.readings().chip_temp_c if firmware == "chip" else world.readings().board_temp_c
    changed = np.abs(temps - shown)[everyone]
    broken = np.isin(temps[everyone], (0.0, 255.0))
    assert broken.any()
    assert (changed[~broken] < 4).all()


def more_errors(before: MachineHistory, after: MachineHistory) -> bool:
    return after.gained(after.hw_errors) > 3 * before.gained(before.hw_errors) + 20


def restless_fan(before: MachineHistory, after: MachineHistory) -> bool:
    def unrest(seen: MachineHistory) -> float:
        per_duty = seen.fan_rpm / seen.fan_duty[:, None]
        return float(np.std(per_duty, axis=0).max())

    return unrest(after) > 2 * unrest(before)


def warmer(before: MachineHistory, after: MachineHistory) -> bool:
    return float(np.mean(after.fan_duty)) > float(np.mean(before.fan_duty)) + 0.03


SIGNS: dict[str, Signature] = {
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
        shown = SIGNS[kind](machine_history(*twin, machine), machine_history(*seen, machine))
        assert shown == (name in warned), f"{name}, {'warned' if name in warned else 'not warned'}"
