"""What a machine of each make really receives: the action in its own protocol, as it came over the socket."""

import asyncio
from pathlib import Path

from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.library_process.pools import Pool, with_first
from hashinsight.edge.readings.numbers import host_and_path
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.one_machine import command, run_verb, site_with

NEW = {"pool_url": "stratum+tcp://new.pool.example:3333", "pool_user": "farm.new", "pool_password": "new-secret"}
BACKUP = {"url": "stratum+tcp://backup.pool.example:3333", "user": "farm.worker"}
MAIN = {"url": "stratum+tcp://main.pool.example:3333", "user": "farm.worker"}
# each make's call for a reboot of the machine, and for a restart of its mining program
REBOOTS = {
    "Antminer S9, stock": "reboot",
    "Antminer S19, stock": "reboot",
    "Antminer S21, stock": "reboot",
    "Antminer S19k Pro, LuxOS": "rebootdevice",
    "Antminer S19j Pro, Braiins 25.07": "actions/reboot",
    "Antminer S19, VNish": "system/reboot",
    "Whatsminer M30S++, API 2": "reboot",
}
RESTARTS = {
    "Antminer S19, stock": ["set_miner_conf: sleep", "set_miner_conf: mode 0"],
    "Antminer S19k Pro, LuxOS": ["curtail abcdef01,sleep", "curtail abcdef01,wakeup"],
    "Antminer S19j Pro, Braiins 25.07": ["actions/pause", "actions/resume"],
    "Antminer S19, VNish": ["mining/restart"],
    "Whatsminer M30S++, API 2": ["power_off", "power_on"],
}
# makes that reveal pool passwords, and makes that do not
POOLS = {
    "Antminer S9, stock": "secret-of-the-backup",
    "Antminer S19, stock": "secret-of-the-backup",
    "Antminer S21, stock": "secret-of-the-backup",
    "Antminer S19, VNish": "secret-of-the-backup",
    "Antminer S19k Pro, LuxOS": "x",
    "Antminer S19j Pro, Braiins 25.07": "x",
    "Whatsminer M30S++, API 2": "x",
}


async def order_each(
    folder: Path, names: list[str], verb: str, **params: object
) -> dict[str, tuple[Outcome, list[str]]]:
    with machines_of(*names) as units:
        async with site_with(folder, *units) as local_site:
            done = await asyncio.gather(*(run_verb(local_site, unit, verb, **params) for unit in units))
        return {name: (outcome, unit.actions) for name, outcome, unit in zip(names, done, units, strict=True)}


async def test_reboot_device_reboots_the_whole_machine_on_every_make_that_supports_it(tmp_path: Path) -> None:
    """Also VNish, where the library's restart restarts only mining."""
    wanted = {name: word for name, word in REBOOTS.items() if name in NAMES}
    results = await order_each(tmp_path, list(wanted), "reboot")
    assert {name: orders for name, (_, orders) in results.items()} == {name: [word] for name, word in wanted.items()}
    assert {name: done.status.value for name, (done, _) in results.items()} == dict.fromkeys(wanted, "succeeded")


async def test_restart_mining_reboots_no_machine(tmp_path: Path) -> None:
    wanted = {name: words for name, words in RESTARTS.items() if name in NAMES}
    results = await order_each(tmp_path, list(wanted), "restart")
    assert {name: orders for name, (_, orders) in results.items()} == wanted


async def test_set_pool_keeps_the_backup_pools_and_both_snapshots_show_them(tmp_path: Path) -> None:
    names = [name for name in POOLS if name in NAMES]
    with machines_of(*names) as units:
        async with site_with(tmp_path, *units) as local_site:
            results = await asyncio.gather(*(run_verb(local_site, unit, "set_pool", **NEW) for unit in units))
        for name, unit, done in zip(names, units, results, strict=True):
            assert (done.status, done.error_code) == ("succeeded", None), name
            assert done.before is not None
            assert done.after is not None
            assert [pool["url"] for pool in done.before["pools"]] == [MAIN["url"], BACKUP["url"]], name
            assert done.after["pools"] == [{"url": NEW["pool_url"], "user": "farm.new"}, BACKUP], name
            assert "secret" not in repr(done), name
            pools_left = [(host_and_path(pool.url), pool.user, pool.password) for pool in unit.pools]
            backup = (host_and_path(BACKUP["url"]), BACKUP["user"], POOLS[name])
            assert pools_left == [(host_and_path(NEW["pool_url"]), NEW["pool_user"], NEW["pool_password"]), backup], (
                name
            )


async def test_pools_that_cannot_be_read_are_not_overwritten(tmp_path: Path) -> None:
    with machines_of("Whatsminer M30S++, API 2") as (unit,):
        async with site_with(tmp_path, unit) as local_site:
            machine = local_site.find(unit.address)
            assert machine is not None
            params = {**NEW, "had_pools": True}
            unit.pools = []
            lost = await local_site.executor._send(machine, "set_pool", params)
        assert (lost.error_code, unit.actions) == ("UNREACHABLE", [])


def test_a_backup_pool_that_is_set_moves_up_and_the_first_becomes_a_backup() -> None:
    first, second, third = (Pool(f"stratum+tcp://{name}.example:3333", "me", name) for name in "abc")
    wanted = Pool("stratum+tcp://B.example:3333/", "me")
    assert with_first([first, second, third], wanted) == [Pool(wanted.url, "me", "b"), first, third]
    other = Pool("stratum+tcp://a.example:3333", "another", "x")
    assert with_first([first, second], other) == [other, second]
    assert with_first([first, second], first) == [first, second]
    assert with_first([], other) == [other]


async def test_a_power_limit_in_watts_is_not_sent_to_a_make_with_work_levels(tmp_path: Path) -> None:
    results = await order_each(tmp_path, ["Avalon A1246"], "set_power_limit", watts=3000)
    done, orders = results["Avalon A1246"]
    assert (done.status, done.error_code, orders) == ("rejected", "UNSUPPORTED", [])


async def test_an_antminer_keeps_its_eco_mode_over_a_restart_and_over_a_stop_and_a_start(
    tmp_path: Path,
) -> None:
    names = [name for name in ("Antminer S19, stock", "Antminer S21, stock") if name in NAMES]
    with machines_of(*names) as units:
        async with site_with(tmp_path, *units) as local_site:
            local_site.executor._confirm_sec = 1.0
            for unit in units:
                done = await run_verb(local_site, unit, "set_power_mode", mode="eco")
                assert (done.status, dict(done.result or {})["confirmed"]) == ("succeeded", True)
                for verb in ("restart", "disable", "enable"):
                    await run_verb(local_site, unit, verb)
                eco, sleep = "set_miner_conf: mode 3", "set_miner_conf: sleep"
                assert unit.actions == [eco, sleep, eco, sleep, eco]


async def test_a_mode_set_on_a_stopped_antminer_does_not_wake_it_and_applies_at_its_start(
    tmp_path: Path,
) -> None:
    names = [name for name in ("Antminer S19, stock",) if name in NAMES]
    with machines_of(*names) as units:
        async with site_with(tmp_path, *units) as local_site:
            local_site.executor._confirm_sec = 1.0
            for unit in units:
                await run_verb(local_site, unit, "disable")
                done = await run_verb(local_site, unit, "set_power_mode", mode="eco")
                assert (done.status, unit.is_stopped) == ("succeeded", True)
                assert done.message == "the machine is stopped; applied at its next start"
                await run_verb(local_site, unit, "enable")
                assert unit.actions == ["set_miner_conf: sleep", "set_miner_conf: mode 3"]


async def test_set_pool_does_not_start_a_stopped_machine(tmp_path: Path) -> None:
    names = [name for name in ("Antminer S19, VNish", "Antminer S19, stock") if name in NAMES]
    with machines_of(*names) as units:
        async with site_with(tmp_path, *units) as local_site:
            local_site.executor._confirm_sec = 1.0
            for unit in units:
                await run_verb(local_site, unit, "disable")
                done = await run_verb(local_site, unit, "set_pool", **NEW)
                assert (done.status, unit.is_stopped) == ("succeeded", True), unit.model
                assert not any("restart" in order for order in unit.actions), unit.model


async def test_a_machine_that_replaced_another_is_not_started_in_its_mode(tmp_path: Path) -> None:
    names = [name for name in ("Antminer S19, stock",) if name in NAMES]
    with machines_of(*names) as units:
        async with site_with(tmp_path, *units) as local_site:
            local_site.executor._confirm_sec = 1.0
            for unit in units:
                await run_verb(local_site, unit, "set_power_mode", mode="eco")
                await run_verb(local_site, unit, "disable")
                unit.mac = "02:00:5e:ff:ff:ff"
                assert (await run_verb(local_site, unit, "enable")).error_code == "UNREACHABLE"  # the former machine
                (new,) = [machine for machine in local_site.poller.roster if machine.address == unit.address]
                await local_site.execute(new, command("enable"))
                assert unit.actions[-1] == "set_miner_conf: mode 0"
