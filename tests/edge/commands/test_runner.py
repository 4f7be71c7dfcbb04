"""Commands from poll to ack: run once, within the site's limits, and acked whatever is lost on the way."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hashinsight.edge.cloud.reporter import Reporter
from hashinsight.edge.cloud.resources import Resources, open_resources
from hashinsight.edge.collector import site_rules
from hashinsight.edge.commands.executor import MachineBusy
from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.commands.runner import CommandRunner
from hashinsight.wire.acks import AckStatus
from hashinsight.wire.commands import Command
from tests.edge.factories import command, settings_in
from tests.edge.simulated_site import until
from tests.edge.stub_cloud import StubCloud, running_cloud


class FakeMachines:
    """Machines A-0 to A-99; notes each command."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.raises: BaseException | None = None
        self.go_on = asyncio.Event()
        self.go_on.set()

    def find(self, miner_id: str) -> Any:
        return SimpleNamespace(miner_id=miner_id) if miner_id.startswith("A-") else None

    async def execute(self, machine: Any, given: Command) -> Outcome:
        assert machine.miner_id == given.miner_id
        self.ran.append(given.command_id)
        await self.go_on.wait()
        if self.raises is not None:
            raise self.raises
        now = datetime.now(UTC)
        return Outcome(AckStatus.SUCCEEDED, now, now, before={"power_w": 3250}, after={"power_w": 0})


@pytest.fixture
def cloud() -> Iterator[StubCloud]:
    with running_cloud(StubCloud()) as made:
        yield made


@pytest.fixture
async def resources(tmp_path: Path, cloud: StubCloud) -> AsyncIterator[Resources]:
    made = open_resources(settings_in(tmp_path, cloud.url, limits_per_minute=10, limits_timeout_sec=0.5))
    yield made
    await made.aclose()


@pytest.fixture
def machines() -> FakeMachines:
    return FakeMachines()


@pytest.fixture
async def runner(resources: Resources, machines: FakeMachines) -> AsyncIterator[CommandRunner]:
    made = CommandRunner(resources, site_rules(resources), machines.find, machines.execute)
    yield made
    await made.drain(5)


async def settled(runner: CommandRunner) -> None:
    await asyncio.gather(*runner._busy.values(), return_exceptions=True)


async def test_a_command_runs_and_is_acked_with_snapshots_before_and_after(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner
) -> None:
    cloud.give(command("d-1"))
    await runner.poll()
    await settled(runner)
    await Reporter(resources).send_acks()
    (ack,) = cloud.acks["d-1"]
    assert (ack.status, ack.miner_id, ack.device_id) == (AckStatus.SUCCEEDED, "A-1", resources.device_id)
    assert (ack.before, ack.after) == ({"power_w": 3250}, {"power_w": 0})
    assert await Reporter(resources).send_acks() is None
    assert machines.ran == ["d-1"]


async def test_a_redelivered_command_is_not_run_again_but_acked_again(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner
) -> None:
    cloud.give(command("d-1"))
    for _ in range(3):  # the ack is lost: the cloud sends the command again
        await runner.poll()
        await settled(runner)
    cloud.is_deaf = True
    assert (await Reporter(resources).send_acks()) is not None
    cloud.is_deaf = False
    await Reporter(resources).send_acks()
    assert machines.ran == ["d-1"]
    assert cloud.ended("d-1") == [AckStatus.SUCCEEDED, AckStatus.SUCCEEDED]
    assert await Reporter(resources).send_acks() is None, "applied: false is an answer"


async def test_one_machine_has_one_command_at_a_time_and_the_second_waits_without_an_ack(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner
) -> None:
    machines.go_on.clear()
    cloud.give(command("d-1"), command("d-2"), command("d-1"))
    await runner.poll()
    await until(lambda: bool(machines.ran), "the first to be carried out")
    assert machines.ran == ["d-1"]
    machines.go_on.set()
    await settled(runner)
    await Reporter(resources).send_acks()
    await runner.poll()
    await settled(runner)
    assert machines.ran == ["d-1", "d-2"]


async def test_commands_over_the_sites_rate_limit_stay_in_the_cloud(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner
) -> None:
    cloud.give(*(command(f"d-{n}", f"A-{n}") for n in range(40)))
    for _ in range(5):
        await runner.poll()
        await settled(runner)
        await Reporter(resources).send_acks()
    assert len(machines.ran) == 10
    assert cloud.polls == [10], "with no room it does not even ask"
    await runner.accept(command("pushed", "A-50").to_wire())
    assert len(machines.ran) == 10


async def test_refusals_are_acked_and_touch_no_machine(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner
) -> None:
    now = datetime.now(UTC)
    cloud.give(
        command("other-site", site_id="tx-9"),
        command("nobody", "B-1"),
        command("late", expires_at=now - timedelta(seconds=1)),
    )
    await runner.poll()
    await runner.accept({"command_id": "odd", "command": "reboot"})
    await runner.accept("no object at all")
    await Reporter(resources).send_acks()
    answers = {name: (acks[0].status.value, acks[0].error_code) for name, acks in cloud.acks.items()}
    assert answers == {
        "other-site": ("rejected", "WRONG_SITE"),
        "nobody": ("failed", "MINER_UNKNOWN"),
        "late": ("rejected", "COMMAND_EXPIRED"),
        "odd": ("rejected", "BAD_COMMAND"),
    }
    assert machines.ran == []


@pytest.mark.parametrize("problem", [RuntimeError("the reader broke"), None])
async def test_a_command_that_fails_or_times_out_is_unknown_and_not_retried(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner, problem: BaseException | None
) -> None:
    if problem is None:
        machines.go_on.clear()
    machines.raises = problem
    cloud.give(command("d-1"))
    await runner.poll()
    await settled(runner)
    await runner.poll()
    await Reporter(resources).send_acks()
    (ack,) = cloud.acks["d-1"]
    assert (ack.status, ack.error_code) == (AckStatus.SKIPPED, "OUTCOME_UNKNOWN")
    assert machines.ran == ["d-1"]


async def test_a_command_held_off_by_protection_comes_again(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner
) -> None:
    machines.raises = MachineBusy()
    cloud.give(command("d-1"))
    await runner.poll()
    await settled(runner)
    assert await Reporter(resources).send_acks() is None
    machines.raises = None
    await runner.poll()
    await settled(runner)
    await Reporter(resources).send_acks()
    assert cloud.ended("d-1") == [AckStatus.SUCCEEDED]


async def test_a_cloud_without_batch_acks_gets_them_one_by_one_and_an_unknown_id_blocks_none(
    resources: Resources, cloud: StubCloud, runner: CommandRunner
) -> None:
    cloud.give(command("d-1"), command("d-2", "A-2"))
    await runner.poll()
    await settled(runner)
    cloud.next("/commands/ack/batch", 404, {"error_code": "NOT_FOUND"})
    cloud.next("/commands/d-1/ack", 404, {"error_code": "NOT_FOUND"})
    cloud.next("/commands/d-2/ack", 200, {"success": True, "applied": True})
    await Reporter(resources).send_acks()
    assert await Reporter(resources).send_acks() is None


async def test_a_command_that_cannot_be_journalled_is_not_run(
    resources: Resources, cloud: StubCloud, machines: FakeMachines, runner: CommandRunner
) -> None:
    await resources.journal_thread(resources.journal._db.execute, "pragma query_only = on")
    cloud.give(command("d-1"))
    await runner.poll()
    await settled(runner)
    assert machines.ran == []
    assert resources.faults.is_open("journal")
    await resources.journal_thread(resources.journal._db.execute, "pragma query_only = off")
    await runner.poll()
    await settled(runner)
    assert machines.ran == ["d-1"]


async def test_after_a_restart_nothing_is_polled_before_the_previous_acks_are_delivered(
    tmp_path: Path, cloud: StubCloud, machines: FakeMachines
) -> None:
    """The first poll frees the previous run's leases, perhaps for another device: the cloud must know what ran."""
    former = open_resources(settings_in(tmp_path, cloud.url))
    await former.journal_thread(former.journal.begin, command("d-1"), now=former.clock())
    await former.aclose()
    resources = open_resources(settings_in(tmp_path, cloud.url))
    assert resources.client._http.headers["X-Device-Incarnation"] == "2"
    runner = CommandRunner(resources, site_rules(resources), machines.find, machines.execute)
    polling = asyncio.create_task(runner.run(0.05, lambda: True))
    await asyncio.sleep(0.5)
    assert cloud.polls == []
    await Reporter(resources).send_acks()
    assert cloud.ended("d-1") == [AckStatus.SKIPPED]
    await until(lambda: bool(cloud.polls), "a poll")
    polling.cancel()
    await asyncio.gather(polling, return_exceptions=True)
    await resources.aclose()
