"""The plain design that ours is compared with: what it sees, what it learns away, and its three modes."""

from typing import Any

import numpy as np

from hashinsight.bench.plain_design import Plain, three_modes
from hashinsight.problems.codes import EventStatus, Issue, Mode
from tests.problems.fleet import Change, Fleet, readings_of


def live_through(plain: Plain, yard: Fleet, change: Change | None = None, *, times: int = 1) -> None:
    for _ in range(times):
        yard.now += yard.config.cycle_sec
        told = yard.readings()
        if change is not None:
            change(told)
        plain.step(yard.frame(told), yard.now)


def open_on(plain: Plain, machine: int) -> set[str]:
    events = plain.events
    shown = (events.subject == machine) & events.active & (events.status != EventStatus.PENDING)
    return {Issue(one).code for one in events.issue[shown].tolist()}


def test_fixed_limits_are_seen_after_two_cycles() -> None:
    plain, yard = Plain(), Fleet()
    live_through(plain, yard, times=3)

    def ill(told: dict[str, Any]) -> None:
        readings_of(0, hashrate_ths=0.0)(told)
        readings_of(1, temp_max_c=90.0)(told)
        readings_of(2, fan_min_rpm=0.0)(told)
        told["status"][3] = 0
        readings_of(4, boards_healthy=1.0)(told)

    live_through(plain, yard, ill)
    assert "hashrate_zero" not in open_on(plain, 0)
    live_through(plain, yard, ill)
    for machine, code in enumerate(("hashrate_zero", "overheat_crit", "fan_zero", "offline", "boards_dead")):
        assert code in open_on(plain, machine)


def test_it_forgets_what_it_gets_used_to() -> None:
    """The reason for a better one: a machine that lost a tenth is normal again by its own mean within a day."""
    plain, yard = Plain(), Fleet()
    live_through(plain, yard, times=40)

    def slower(told: dict[str, Any]) -> None:
        told["hashrate_ths"][0] *= 0.9

    live_through(plain, yard, slower, times=3)
    before = plain.mean[0, 0]
    assert before > 0.93
    live_through(plain, yard, slower, times=60)
    assert abs(plain.mean[0, 0] - 0.9) < 0.02


def test_machines_that_come_later_are_learnt_like_the_first() -> None:
    plain = Plain()
    live_through(plain, Fleet(n=5), times=2)
    live_through(plain, Fleet(n=9), times=2)
    assert plain.samples.tolist() == [4.0] * 5 + [2.0] * 4
    assert plain.mean.shape == (4, 9)


def test_three_modes_are_found_whether_there_are_three_or_not() -> None:
    yard = Fleet(n=30)
    told = yard.readings()
    level = np.repeat([0.7, 1.0, 1.2], 10)
    told["hashrate_ths"] = 104 * level
    told["power_w"] = 3050 * level
    frame = yard.frame(told)
    fresh = np.ones(30, dtype=np.bool_)
    modes = three_modes(frame, frame.hashrate_ths / frame.expected_ths, fresh)
    assert modes.tolist() == [Mode.ECO] * 10 + [Mode.NORMAL] * 10 + [Mode.PERF] * 10
    frame = yard.frame(yard.readings())
    assert len(set(three_modes(frame, frame.hashrate_ths / frame.expected_ths, fresh).tolist())) == 3
    assert set(three_modes(frame, frame.hashrate_ths / frame.expected_ths, ~fresh).tolist()) == {Mode.UNKNOWN}
