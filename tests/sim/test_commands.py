"""Commands change the physics, or the machine says why not."""

import numpy as np
import pytest

from hashinsight.sim.commands import (
    Command,
    FaultLight,
    Pause,
    Refusal,
    Restart,
    Resume,
    SetMode,
    SetPools,
    SetPowerLimit,
)
from hashinsight.sim.models import SIMULATED
from hashinsight.sim.plan import Pool
from hashinsight.sim.readings import MODES
from hashinsight.sim.world import World
from tests.sim.worlds import HOUR, MINUTE, quiet_world

NAMES = [model.name for model in SIMULATED]


def settled() -> World:
    world = quiet_world(22, step=60.0)
    world.advance(world.at + HOUR)
    return world


def one_of(world: World, model: str) -> int:
    return int(np.flatnonzero(world.fleet.model == NAMES.index(model))[0])


def test_a_paused_machine_answers_cools_down_and_takes_next_to_nothing() -> None:
    world = settled()
    assert world.execute(3, Pause()) is None
    world.advance(world.at + 20 * MINUTE)
    readings = world.readings()
    assert readings.reachable[3]
    assert not readings.hashing[3]
    assert readings.hashrate_ths[3] == 0
    assert readings.power_w[3] < 100
    assert abs(readings.chip_temp_c[3].max() - readings.inlet_c[3]) < 3
    assert readings.hashing.sum() == 21


def test_a_resumed_machine_warms_up_and_is_as_before() -> None:
    world = settled()
    before = world.readings().hashrate_ths[3]
    world.execute(3, Pause())
    world.advance(world.at + 20 * MINUTE)
    uptime = world.readings().uptime_sec[3]
    world.execute(3, Resume())
    world.advance(world.at + 2 * MINUTE)
    assert 0 < world.readings().hashrate_ths[3] < 0.8 * before
    world.advance(world.at + 20 * MINUTE)
    assert world.readings().hashrate_ths[3] > 0.94 * before
    assert world.readings().uptime_sec[3] > uptime


def test_a_restarted_machine_is_away_and_counts_from_zero() -> None:
    world = settled()
    world.execute(5, Restart())
    world.advance(world.at + 10)
    assert not world.readings().reachable[5]
    assert world.execute(5, Pause()) == Refusal("machine is not responding")
    world.advance(world.at + 25 * MINUTE)
    readings = world.readings()
    assert readings.reachable[5]
    assert readings.uptime_sec[5] <= 25 * MINUTE + 10
    assert readings.accepted[5] < 0.2 * 25 * MINUTE
    assert readings.hashrate_ths[5] > 0.9 * readings.expected_ths[5]


def test_restarting_only_the_program_keeps_the_machine_reachable() -> None:
    world = settled()
    world.execute(5, Restart(whole=False))
    world.advance(world.at + 10)
    readings = world.readings()
    assert readings.reachable[5]
    assert not readings.hashing[5]
    assert readings.accepted[5] == 0


@pytest.mark.parametrize(("mode", "hashrate", "watts"), [("eco", 0.80, 0.70), ("perf", 1.10, 1.165)])
def test_a_mode_changes_hashrate_power_and_expected_hashrate(mode: str, hashrate: float, watts: float) -> None:
    world, twin = settled(), settled()
    world.execute(0, SetMode(mode))
    for other in (world, twin):
        other.advance(other.at + HOUR)
    ours, theirs = world.readings(), twin.readings()
    assert MODES[ours.mode[0]] == mode
    assert ours.hashrate_ths[0] / theirs.hashrate_ths[0] == pytest.approx(hashrate, rel=0.02)
    assert ours.power_w[0] / theirs.power_w[0] == pytest.approx(watts, rel=0.05)
    assert ours.expected_ths[0] == pytest.approx(hashrate * 95)


def test_a_power_limit_is_kept_and_costs_hashrate() -> None:
    world = settled()
    whatsminer = one_of(world, "Whatsminer M50S")
    assert world.execute(whatsminer, SetPowerLimit(2500)) is None
    world.advance(world.at + HOUR)
    readings = world.readings()
    assert readings.power_limit_w[whatsminer] == 2500
    assert 2250 < readings.power_w[whatsminer] <= 2550
    assert 0.75 < readings.hashrate_ths[whatsminer] / 126 < 0.92
    assert readings.hashrate_ths[whatsminer] > 0.93 * readings.expected_ths[whatsminer]


def test_pools_are_those_that_were_set() -> None:
    world = settled()
    assert len(world.pools(2)) == 2
    mine = (Pool("stratum+tcp://other.example:3333", "me"),)
    world.execute(2, SetPools(mine))
    assert world.pools(2) == mine
    assert world.pools(3) != mine
    world.inject("pool_outage", np.arange(22))
    world.advance(world.at + 60)
    assert world.readings().pool[2] == -1  # it has no second one any more
    assert world.readings().pool[3] == 1


def test_the_light_is_on_until_it_is_off() -> None:
    world = settled()
    for on in (True, False):
        world.execute(4, FaultLight(on))
        world.advance(world.at + 10)
        assert world.readings().fault_light[4] == on


@pytest.mark.parametrize(
    ("model", "command", "reason"),
    [
        ("Antminer S21", SetPowerLimit(3000), "stock firmware of the Antminer S21 has no power limit"),
        ("Whatsminer M50S", SetPowerLimit(100), "the power limit of this Whatsminer M50S is between 1312 and 4264 W"),
        ("Antminer S21", SetMode("turbo"), "unknown mode 'turbo': use one of eco, normal, perf"),
        ("Antminer S21", SetPools(()), "1 to 3 pools can be set, not 0"),
    ],
)
def test_an_unsupported_command_is_refused_with_a_reason_and_changes_nothing(
    model: str, command: Command, reason: str
) -> None:
    world, twin = settled(), settled()
    assert world.execute(one_of(world, model), command) == Refusal(reason)
    for other in (world, twin):
        other.advance(other.at + HOUR)
    assert np.array_equal(world.readings().hashrate_ths, twin.readings().hashrate_ths)


def test_many_obey_at_once_and_those_that_refuse_are_named() -> None:
    world = settled()
    world.inject("network_lost", np.array([1]))
    world.advance(world.at + 60)
    refused = world.execute_many(np.arange(4), Pause())
    assert refused == {1: Refusal("machine is not responding")}
    world.advance(world.at + 60)
    assert world.readings().hashing[:4].tolist() == [False, True, False, False]


def test_a_hung_machine_refuses_all_but_a_reboot_which_cures_it() -> None:
    world = settled()
    (episode,) = world.inject("hung_firmware", np.array([6]))
    world.advance(world.at + 30 * MINUTE)
    assert world.execute(6, Pause()) == Refusal("mining program is not responding")
    assert world.execute(6, Restart()) is None
    world.advance(world.at + 30 * MINUTE)
    assert world.readings().hashrate_ths[6] > 0.9 * world.readings().expected_ths[6]
    ended = next(later for later in world.episodes() if later.no == episode.no).end
    assert ended is not None
    assert ended <= world.at


def test_an_episode_can_be_ended_once() -> None:
    world = settled()
    (episode,) = world.inject("fan_failing", np.array([8]))
    assert episode.machine_id == world.fleet.machine_id[8]
    world.advance(world.at + 5 * MINUTE)
    assert world.end(episode.no)
    world.advance(world.at + 30 * MINUTE)
    assert not world.end(episode.no)
    assert not world.end(999)
    assert world.readings().fan_rpm[8, :2].min() > 1000


@pytest.mark.parametrize("cause", ["pool_outage", "pool_trouble"])
def test_machines_that_are_sent_to_another_pool_are_out_of_a_pools_trouble(cause: str) -> None:
    world = settled()
    world.inject(cause, np.arange(22))
    world.execute_many(np.arange(11), SetPools((Pool("stratum+tcp://elsewhere.example:1", "farm"),)))
    before = world.readings()
    world.advance(world.at + 2 * HOUR)
    after = world.readings()
    rejected = (after.rejected - before.rejected) / np.maximum(after.accepted - before.accepted, 1)
    assert (after.accepted - before.accepted)[:11].min() > 1000
    assert rejected[:11].max() < 0.02
    assert (after.pool[:11] == 0).all()
    if cause == "pool_outage":
        assert (after.pool[11:] != 0).all()
    else:
        assert rejected[11:].min() > 0.08
