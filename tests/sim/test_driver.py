"""A world that is too large for its speed goes slower, and says so; it never takes longer and longer."""

import time

import pytest

from hashinsight.sim import driver
from hashinsight.sim.driver import LiveFleet
from tests.sim.worlds import quiet_world


async def test_a_speed_that_cannot_be_kept_slows_the_world_and_not_the_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "STEP_SEC", 0.2)
    monkeypatch.setattr(driver, "STALE_SEC", 0.01)
    live = LiveFleet(quiet_world(), net=250, speed=1e7)
    before = live.world.at
    for _ in range(4):
        time.sleep(0.06)
        began = time.process_time()
        await live.change(lambda world: world.at)
        assert time.process_time() - began < 5
    assert live.behind_sec > 0
    assert live.world.at > before


async def test_a_speed_that_can_be_kept_is_kept() -> None:
    live = LiveFleet(quiet_world(), net=250, speed=600)
    before, began_at = live.world.at, time.monotonic()
    time.sleep(0.6)
    reached = await live.change(lambda world: world.at)
    assert 0.6 * 600 <= reached - before <= (time.monotonic() - began_at + 0.1) * 600
    assert live.behind_sec == 0
