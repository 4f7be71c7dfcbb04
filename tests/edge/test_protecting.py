"""Too hot: stopped here, without the cloud, and told."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge import protecting
from hashinsight.edge.protecting import heat_of, must_stop
from hashinsight.edge.settings import Protection
from hashinsight.wire.command import Command
from tests.edge.on_site import on_site, settings, simulating, until
from tests.sim.running import Sim

INTERVAL = 5


@pytest.fixture
def sim() -> Iterator[Sim]:
    with simulating("quiet", "--machines", "22", "--luxos", "--speed", "20") as running:
        yield running


def command(command_type: str) -> Command:
    now = datetime.now(UTC)
    later = now + timedelta(minutes=5)
    return Command("d1", "1", "m", command_type, now, later, 300, later)


async def test_an_over_hot_machine_is_stopped_within_one_interval_and_reported_once(sim: Sim, tmp_path: Path) -> None:
    """The site's limit is put below what the machines have: for them that is a hot day."""
    chosen = settings(
        tmp_path,
        [f"{sim.net}.0.1-22"],
        identity="address",
        interval_sec=INTERVAL,
        protection=Protection(stop_at_c=40.0, confirm_readings=2, hold_sec=600),
    )
    async with on_site(chosen) as (side, heard):
        await until(lambda: side.counts().online > 0, "the first machine")
        hot = {no for no in range(22) if sim.machine(no)["state"] == "hashing"}
        assert len(hot) == 22
        began = asyncio.get_running_loop().time()
        await until(lambda: len(heard.events) == 22, "every one to be stopped", seconds=3 * INTERVAL)
        assert asyncio.get_running_loop().time() - began < 3 * INTERVAL
        assert {sim.machine(no)["state"] for no in hot} == {"stopped"}
        address = sim.address(0)
        machine = side.find(address)
        assert machine is not None
        started = await side.execute(machine, command("enable_hashing"))
        assert (started.status, started.error_code) == ("rejected", "LOCAL_PROTECTION")
        await asyncio.sleep(INTERVAL)
    assert len(heard.events) == 22
    for event in heard.events:
        assert (event["kind"], event["severity"]) == ("local_protection", "critical")
        assert event["details"]["confirmed"] is True
        assert event["details"]["readings"] == 2
        assert event["details"]["temp_c"] >= 40
        assert f"{sim.net}.0." not in repr({**event, "miner_id": None})
    first_seen = datetime.fromisoformat(heard.of(address)[0]["timestamp"])
    stopped = next(one for one in heard.of(address) if one["state"] == "stopped")
    assert (datetime.fromisoformat(stopped["timestamp"]) - first_seen).total_seconds() < INTERVAL


async def test_a_site_may_let_it_start_again_when_it_is_cool(sim: Sim, tmp_path: Path) -> None:
    protection = Protection(stop_at_c=40.0, confirm_readings=1, hold_sec=2.0, restart_below_c=38.0)
    chosen = settings(tmp_path, [f"{sim.net}.0.1"], interval_sec=1, protection=protection)
    async with on_site(chosen) as (_, heard):
        await until(lambda: len(heard.events) >= 2, "stop and start", seconds=90)
    assert [event["details"]["action"] for event in heard.events[:2]] == ["disable", "enable"]


async def test_a_machine_that_cannot_be_stopped_is_told_once_and_not_every_time_it_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stock firmware takes no stop. While the cloud is away each of them would be one more on the disk."""
    monkeypatch.setattr(protecting, "AGAIN_AT_LEAST_SEC", 0.5)
    protection = Protection(stop_at_c=40.0, confirm_readings=1)
    with simulating("quiet", "--machines", "1") as stock:
        chosen = settings(tmp_path, [stock.address(0)], interval_sec=1, protection=protection)
        async with on_site(chosen) as (side, heard):
            await until(lambda: side.counts().reads >= 6, "some readings")
    assert [event["title"] for event in heard.events] == ["Too hot, and could not be stopped"]


def told(**more: Any) -> dict[str, Any]:
    return {"online": True, "state": "running", "model": "Antminer S19j Pro", "firmware": "LuxOS 2024.5.1", **more}


@pytest.mark.parametrize(
    ("record", "is_hot"),
    [
        (told(temp_max=69.9), False),
        (told(temp_max=70.0), True),  # this firmware tells the board
        (told(temp_max=80.0, firmware="Stock 2024"), False),  # and this one the chip
        (told(temp_max=85.0, firmware="Stock 2024"), True),
        (told(temp_max=97.0, model="Antminer S21", firmware="Stock 2024"), False),
        (told(temp_max=100.0, model="Antminer S21", firmware="Stock 2024"), True),
        (told(temp_max=84.0, model="nobody's", firmware=None), False),
        (told(temp_max=85.0, model="nobody's", firmware=None), True),
        (told(temp_max=99.0, state="stopped"), False),
        (told(), False),
        (told(temp_max=99.0, online=False), False),
    ],
)
def test_the_limit_is_that_of_the_model_and_of_what_its_sensor_measures(record: dict[str, Any], is_hot: bool) -> None:  # noqa: FBT001
    assert (must_stop(record, Protection()) is not None) is is_hot


def test_a_site_may_set_its_own_limit() -> None:
    heat = heat_of(told(temp_max=60.0), Protection(stop_at_c=55.0))
    assert heat is not None
    assert (heat.limit_c, heat.is_too_much) == (55.0, True)
