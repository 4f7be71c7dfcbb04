"""Actions on simulated machines: the machine's state afterwards decides, not what the library returned."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.commands.checks import CommandRejected, check_params, split_config
from hashinsight.edge.commands.executor import MachineBusy
from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.local_site import LocalSite
from hashinsight.wire.commands import TYPES, Command
from tests.edge.simulated_site import LUXOS, running_site, simulate_site, site_settings, until
from tests.installation import HANG_TIMEOUT_SEC, wait_for
from tests.sim.simulator_process import Sim

ANTMINER, WHATSMINER, AVALON, STOCK = "Antminer S19j Pro", "Whatsminer M50S", "Avalon A1366", "Antminer S21"
EACH = 10
_unused = {
    make: iter(range(place * EACH, (place + 1) * EACH - 1))
    for place, make in enumerate((ANTMINER, WHATSMINER, AVALON, STOCK))
}


@pytest.fixture(scope="module")
def sim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sim]:
    """Much faster than real time, so that a boot takes seconds; every test has its own machines."""
    folder = tmp_path_factory.mktemp("sim")
    makes = ((ANTMINER, EACH, LUXOS), (WHATSMINER, EACH), (AVALON, EACH), (STOCK, EACH))
    with simulate_site(folder, *makes, speed=150) as running:
        yield running


@pytest.fixture
def no(request: pytest.FixtureRequest) -> int:
    return next(_unused[request.param])


def each(*makes: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("no", makes, indirect=True)


@pytest.fixture
async def local_site(sim: Sim, no: int, tmp_path: Path) -> AsyncIterator[LocalSite]:
    async with running_site(site_settings(tmp_path, [sim.address(no)], identity="address", interval_sec=60)) as (
        site,
        _,
    ):
        site.executor._confirm_sec = HANG_TIMEOUT_SEC
        await until(lambda: site.counts().online == 1, "the machine")
        yield site


def command(verb: str, **params: Any) -> Command:
    now = datetime.now(UTC)
    later = now + timedelta(minutes=5)
    return Command("d1", "1", "m", TYPES[verb], now, later, 300, later, params)


Order = Callable[..., Any]


@pytest.fixture
def order(sim: Sim, local_site: LocalSite, no: int) -> Order:
    async def give(verb: str, **params: Any) -> Outcome:
        machine = local_site.find(sim.address(no))
        assert machine is not None
        return await local_site.execute(machine, command(verb, **params))

    return give


def state(sim: Sim, no: int) -> str:
    return str(sim.machine(no)["state"])


@each(ANTMINER, WHATSMINER, AVALON)
async def test_a_machine_is_stopped_and_started_again(sim: Sim, order: Order, no: int) -> None:
    stopped = await order("disable")
    assert (stopped.status, stopped.result["confirmed"]) == ("succeeded", True)
    assert (stopped.before["state"], stopped.after["state"]) == ("running", "stopped")
    assert state(sim, no) == "stopped"
    assert sim.machine(no)["power_w"] < 300
    started = await order("enable")
    assert started.status == "succeeded"
    wait_for(lambda: state(sim, no) == "hashing", "it to hash again")


@each(ANTMINER, WHATSMINER)
async def test_a_machine_is_rebooted_and_seen_offline(sim: Sim, order: Order, no: int) -> None:
    done = await order("reboot")
    assert (done.status, done.result["confirmed"]) == ("succeeded", True)
    wait_for(lambda: state(sim, no) == "hashing", "it to be back")


@each(ANTMINER, WHATSMINER, AVALON)
async def test_the_mining_program_alone_is_restarted_and_never_on_a_stopped_machine(
    sim: Sim, order: Order, no: int
) -> None:
    done = await order("restart")
    assert (done.status, done.result["confirmed"]) == ("succeeded", True)
    assert done.result["way"] == ("restart" if sim.machine(no)["model"] == AVALON else "pause, resume")
    wait_for(lambda: state(sim, no) == "hashing", "it to hash again")
    await order("disable")
    refused = await order("restart")
    assert (refused.status, refused.error_code) == ("rejected", "NOT_MINING")
    assert state(sim, no) == "stopped"


@each(ANTMINER, WHATSMINER)
async def test_pools_are_set_and_neither_password_nor_address_is_reported(sim: Sim, order: Order, no: int) -> None:
    new = {"pool_url": "stratum+tcp://new.example:3333", "pool_user": "me.w1", "pool_password": "hush-hush"}
    done = await order("set_pool", **new)
    assert (done.status, done.result["confirmed"]) == ("succeeded", True)
    assert (done.after["pool_url"], done.after["worker_name"]) == ("stratum+tcp://new.example:3333", "me.w1")
    assert "hush-hush" not in repr(done)
    assert sim.address(no) not in repr(done)


@each(WHATSMINER)
async def test_a_whatsminer_accepts_a_mode_and_a_power_limit(sim: Sim, order: Order, no: int) -> None:
    before_w = sim.machine(no)["power_w"]
    eco = await order("set_power_mode", mode="eco")
    assert (eco.status, eco.result["confirmed"], eco.after["mode"]) == ("succeeded", True, "eco")
    wait_for(lambda: sim.machine(no)["power_w"] < 0.85 * before_w, "it to take less")
    await order("set_power_mode", mode="normal")
    limited = await order("set_power_limit", watts=2600)
    assert (limited.status, limited.result["confirmed"]) == ("succeeded", True)
    wait_for(lambda: sim.machine(no)["power_w"] < 2700, "it to keep the limit")


@each(WHATSMINER)
async def test_a_configuration_is_set_step_by_step_and_the_first_failure_ends_it(
    sim: Sim, order: Order, no: int
) -> None:
    done = await order("update_config", config={"power_limit_w": 2600, "power_mode": "normal"})
    assert (done.status, list(done.result)) == ("succeeded", ["set_power_mode", "set_power_limit"])
    assert done.result["set_power_mode"]["way"] == "already set"
    assert all(entry["confirmed"] for entry in done.result.values())
    half = await order("update_config", config={"power_mode": "eco", "power_limit_w": 19_000})
    assert (half.status, half.error_code) == ("failed", "MACHINE_REFUSED")
    assert (half.before["mode"], half.result["set_power_mode"]["confirmed"]) == ("normal", True)
    assert half.result["set_power_limit"] == {"error_code": "MACHINE_REFUSED"}
    acts = [entry["act"] for entry in sim.control("orders", machine=str(no)) if entry["refused"] is None]
    assert [act.partition("-")[0] for act in acts] == ["power", "mode"]


@each(ANTMINER, WHATSMINER, AVALON)
async def test_the_fault_light_goes_on_and_off(order: Order) -> None:
    for on in (True, False):
        done = await order("fault_light", on=on)
        assert (done.status, done.result["confirmed"]) == ("succeeded", True)


NOT_TAKEN: list[tuple[str, str, dict[str, Any]]] = [
    (ANTMINER, "set_fan", {"speed": 50}),
    (ANTMINER, "set_frequency", {"frequency": 500}),
    (ANTMINER, "set_power_mode", {"mode": "eco"}),
    (ANTMINER, "set_power_limit", {"watts": 3000}),
    (WHATSMINER, "set_frequency", {"frequency": 500}),
    (AVALON, "reboot", {}),
    (AVALON, "set_pool", {"pool_url": "stratum+tcp://new.example:3333", "pool_user": "me"}),
    (STOCK, "disable", {}),
    (WHATSMINER, "update_config", {"config": {"frequency_mhz": 500}}),
    (WHATSMINER, "update_config", {"config": {"power_mode": "eco", "led_color": "red"}}),
]


async def test_what_a_make_does_not_support_is_rejected_and_changes_nothing(sim: Sim, tmp_path: Path) -> None:
    """The last machines of each make, which no other test uses."""
    last = {make: no - 1 for make, no in zip((ANTMINER, WHATSMINER, AVALON, STOCK), (10, 20, 30, 40), strict=True)}
    ranges = [sim.address(no) for no in last.values()]
    async with running_site(site_settings(tmp_path, ranges, identity="address", interval_sec=60)) as (local_site, _):
        await until(lambda: local_site.counts().online == len(last), "the machines")
        for make, verb, params in NOT_TAKEN:
            machine = local_site.find(sim.address(last[make]))
            assert machine is not None
            done = await local_site.execute(machine, command(verb, **params))
            assert (done.status, done.error_code) == ("rejected", "UNSUPPORTED"), (make, verb)
    for no in last.values():
        assert state(sim, no) == "hashing"
        assert sim.control("orders", machine=str(no)) == []


@each(WHATSMINER)
async def test_a_refusal_by_the_machine_and_an_unreachable_machine_are_failures(
    sim: Sim, order: Order, no: int
) -> None:
    refused = await order("set_power_limit", watts=19_000)
    assert (refused.status, refused.error_code) == ("failed", "MACHINE_REFUSED")
    sim.control("inject", kind="network_lost", machine=str(no), for_sec=360_000)
    wait_for(lambda: state(sim, no) == "unreachable", "it to be gone")
    gone = await order("disable")
    assert (gone.status, gone.error_code) == ("failed", "UNREACHABLE")


@each(ANTMINER)
async def test_one_action_per_machine_at_a_time(sim: Sim, local_site: LocalSite, order: Order, no: int) -> None:
    first = asyncio.create_task(order("disable"))
    await until(lambda: local_site.executor.is_busy(sim.address(no)), "the first to begin")
    with pytest.raises(MachineBusy):
        await order("enable")
    machine = local_site.find(sim.address(no))
    assert machine is not None
    second = asyncio.create_task(local_site.executor.act(machine, "fault_light", {"on": True}))
    assert (await first).status == "succeeded"
    assert local_site.executor.is_busy(sim.address(no)), "whoever waited for its turn has it now"
    with pytest.raises(MachineBusy):
        await order("enable")
    await second
    assert not local_site.executor.is_busy(sim.address(no))
    assert state(sim, no) == "stopped"


@each(ANTMINER)
async def test_a_delayed_reboot_does_not_block_other_actions(sim: Sim, order: Order, no: int) -> None:
    """Otherwise protection would wait too, while the machine gets hotter."""
    later = asyncio.create_task(order("reboot", delay_seconds=2.5))
    await asyncio.sleep(0.05)
    assert (await order("disable")).status == "succeeded"
    assert [entry["act"] for entry in sim.control("orders", machine=str(no))] == ["pause"]
    assert (await later).status == "succeeded"
    assert [entry["act"] for entry in sim.control("orders", machine=str(no))] == ["pause", "reboot"]


@pytest.mark.parametrize(
    ("verb", "params"),
    [
        ("set_pool", {"pool_url": "http://new.example", "pool_user": "me"}),
        ("set_pool", {"pool_url": "stratum+tcp://a.example:1,evil", "pool_user": "me"}),
        ("set_pool", {"pool_url": "stratum+tcp://a.example:1"}),
        ("set_fan", {"speed": 101}),
        ("set_fan", {}),
        ("set_frequency", {"frequency": "fast"}),
        ("set_power_limit", {"watts": float("nan")}),
        ("set_power_mode", {"mode": "turbo"}),
        ("fault_light", {"on": "yes"}),
        ("reboot", {"delay_seconds": 3600}),
        ("update_config", {}),
        ("update_config", {"config": {}}),
        ("update_config", {"config": {"power_mode": "eco", "power_limit_w": -1}}),
    ],
)
def test_invalid_parameters_are_rejected(verb: str, params: dict[str, Any]) -> None:
    with pytest.raises(CommandRejected) as wrong:
        split_config(params) if verb == "update_config" else check_params(verb, params)
    assert wrong.value.code == "BAD_PARAMS"
