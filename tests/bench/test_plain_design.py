"""The plain design that ours is compared with: what it sees, what it learns away, and its three modes."""

from typing import Any

import numpy as np

from hashinsight.bench.plain_design import Plain, three_modes
from hashinsight.problems.codes import EventStatus, Issue, Mode
from tests.problems.fleet import Change, Fleet, readings_of


def live_through(plain: Plain, fleet: Fleet, change: Change | None = None, *, times: int = 1) -> None:
    for _ in range(times):
        fleet.now += fleet.config.cycle_sec
        readings = fleet.readings()
        if change is not None:
            change(readings)
        plain.step(fleet.frame(readings), fleet.now)


def open_on(plain: Plain, machine: int) -> set[str]:
    events = plain.events
    shown = (events.subject == machine) & events.active & (events.status != EventStatus.PENDING)
    return {Issue(issue).code for issue in events.issue[shown].tolist()}


def test_fixed_limits_are_seen_after_two_cycles() -> None:
    plain, fleet = Plain(), Fleet()
    live_through(plain, fleet, times=3)

    def ill(readings: dict[str, Any]) -> None:
        readings_of(0, hashrate_ths=0.0)(readings)
        readings_of(1, temp_max_c=90.0)(readings)
        readings_of(2, fan_min_rpm=0.0)(readings)
        readings["status"][3] = 0
        readings_of(4, boards_healthy=1.0)(readings)

    live_through(plain, fleet, ill)
    assert "hashrate_zero" not in open_on(plain, 0)
    live_through(plain, fleet, ill)
    for machine, code in enumerate(("hashrate_zero", "overheat_crit", "fan_zero", "offline", "boards_dead")):
        assert code in open_on(plain, machine)


def test_the_plain_design_learns_slow_changes_as_normal() -> None:
    """The reason for a better one: a machine that lost a tenth is normal again by its own mean within a day."""
    plain, fleet = Plain(), Fleet()
    live_through(plain, fleet, times=40)

    def slower(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"][0] *= 0.9

    live_through(plain, fleet, slower, times=3)
    before = plain.mean[0, 0]
    assert before > 0.93
    live_through(plain, fleet, slower, times=60)
    assert abs(plain.mean[0, 0] - 0.9) < 0.02


def test_machines_that_come_later_are_learnt_like_the_first() -> None:
    plain = Plain()
    live_through(plain, Fleet(n=5), times=2)
    live_through(plain, Fleet(n=9), times=2)
    assert plain.samples.tolist() == [4.0] * 5 + [2.0] * 4
    assert plain.mean.shape == (4, 9)


def test_three_modes_are_found_whether_there_are_three_or_not() -> None:
    fleet = Fleet(n=30)
    readings = fleet.readings()
    level = np.repeat([0.7, 1.0, 1.2], 10)
    readings["hashrate_ths"] = 104 * level
    readings["power_w"] = 3050 * level
    frame = fleet.frame(readings)
    fresh = np.ones(30, dtype=np.bool_)
    modes = three_modes(frame, frame.hashrate_ths / frame.expected_ths, fresh)
    assert modes.tolist() == [Mode.ECO] * 10 + [Mode.NORMAL] * 10 + [Mode.PERF] * 10
    frame = fleet.frame(fleet.readings())
    assert len(set(three_modes(frame, frame.hashrate_ths / frame.expected_ths, fresh).tolist())) == 3
    assert set(three_modes(frame, frame.hashrate_ths / frame.expected_ths, ~fresh).tolist()) == {Mode.UNKNOWN}
