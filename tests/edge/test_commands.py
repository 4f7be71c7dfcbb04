"""Commands, from the poll to the ack: once, within the site's limits, and answered whatever is lost on the way."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hashinsight.edge.cloud.reporter import Teller
from hashinsight.edge.cloud.resources import Box, open_box
from hashinsight.edge.collector import rules_of
from hashinsight.edge.commands.executor import MachineBusy, Outcome
from hashinsight.edge.commands.runner import Obeyer
from hashinsight.wire.acks import AckStatus
from hashinsight.wire.commands import Command
from tests.edge.cloud import Cloud, running_cloud
from tests.edge.keeping import command, settings_in
from tests.edge.on_site import until


class Hands:
    """Machines A-0 to A-99; each act is noted."""

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
def cloud() -> Iterator[Cloud]:
    with running_cloud(Cloud()) as made:
        yield made


@pytest.fixture
async def box(tmp_path: Path, cloud: Cloud) -> AsyncIterator[Box]:
    made = open_box(settings_in(tmp_path, cloud.url, limits_per_minute=10, limits_timeout_sec=0.5))
    yield made
    await made.aclose()


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
async def obeyer(box: Box, hands: Hands) -> AsyncIterator[Obeyer]:
    made = Obeyer(box, rules_of(box), hands.find, hands.execute)
    yield made
    await made.drain(5)


async def settled(obeyer: Obeyer) -> None:
    await asyncio.gather(*obeyer._busy.values(), return_exceptions=True)


async def test_a_command_is_carried_out_and_acked_with_what_was_before_and_after(
    box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer
) -> None:
    cloud.give(command("d-1"))
    await obeyer.poll()
    await settled(obeyer)
    await Teller(box).tell_acks()
    (ack,) = cloud.acks["d-1"]
    assert (ack.status, ack.miner_id, ack.device_id) == (AckStatus.SUCCEEDED, "A-1", box.device_id)
    assert (ack.before, ack.after) == ({"power_w": 3250}, {"power_w": 0})
    assert await Teller(box).tell_acks() is None
    assert hands.ran == ["d-1"]


async def test_a_redelivery_is_not_run_again_but_answered_again(
    box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer
) -> None:
    cloud.give(command("d-1"))
    for _ in range(3):  # the ack gets lost: the cloud hands it out again
        await obeyer.poll()
        await settled(obeyer)
    cloud.is_deaf = True
    assert (await Teller(box).tell_acks()) is not None
    cloud.is_deaf = False
    await Teller(box).tell_acks()
    assert hands.ran == ["d-1"]
    assert cloud.ended("d-1") == [AckStatus.SUCCEEDED, AckStatus.SUCCEEDED]
    assert await Teller(box).tell_acks() is None, "applied: false is an answer"


async def test_one_machine_has_one_command_at_a_time_and_the_second_waits_without_an_ack(
    box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer
) -> None:
    hands.go_on.clear()
    cloud.give(command("d-1"), command("d-2"), command("d-1"))
    await obeyer.poll()
    await until(lambda: bool(hands.ran), "the first to be carried out")
    assert hands.ran == ["d-1"]
    hands.go_on.set()
    await settled(obeyer)
    await Teller(box).tell_acks()
    await obeyer.poll()
    await settled(obeyer)
    assert hands.ran == ["d-1", "d-2"]


async def test_the_sites_rate_holds_and_what_is_over_it_stays_in_the_cloud(
    box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer
) -> None:
    cloud.give(*(command(f"d-{n}", f"A-{n}") for n in range(40)))
    for _ in range(5):
        await obeyer.poll()
        await settled(obeyer)
        await Teller(box).tell_acks()
    assert len(hands.ran) == 10
    assert cloud.polls == [10], "with no room it does not even ask"
    await obeyer.take(command("pushed", "A-50").to_wire())
    assert len(hands.ran) == 10


async def test_refusals_are_told_and_touch_no_machine(box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer) -> None:
    now = datetime.now(UTC)
    cloud.give(
        command("other-site", site_id="tx-9"),
        command("nobody", "B-1"),
        command("late", expires_at=now - timedelta(seconds=1)),
    )
    await obeyer.poll()
    await obeyer.take({"command_id": "odd", "command": "reboot"})
    await obeyer.take("no object at all")
    await Teller(box).tell_acks()
    told = {name: (acks[0].status.value, acks[0].error_code) for name, acks in cloud.acks.items()}
    assert told == {
        "other-site": ("rejected", "WRONG_SITE"),
        "nobody": ("failed", "MINER_UNKNOWN"),
        "late": ("rejected", "COMMAND_EXPIRED"),
        "odd": ("rejected", "BAD_COMMAND"),
    }
    assert hands.ran == []


@pytest.mark.parametrize("problem", [RuntimeError("the reader broke"), None])
async def test_one_that_breaks_or_takes_too_long_is_unknown_and_not_tried_again(
    box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer, problem: BaseException | None
) -> None:
    if problem is None:
        hands.go_on.clear()
    hands.raises = problem
    cloud.give(command("d-1"))
    await obeyer.poll()
    await settled(obeyer)
    await obeyer.poll()
    await Teller(box).tell_acks()
    (ack,) = cloud.acks["d-1"]
    assert (ack.status, ack.error_code) == (AckStatus.SKIPPED, "OUTCOME_UNKNOWN")
    assert hands.ran == ["d-1"]


async def test_one_that_protection_holds_off_comes_again(box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer) -> None:
    hands.raises = MachineBusy()
    cloud.give(command("d-1"))
    await obeyer.poll()
    await settled(obeyer)
    assert await Teller(box).tell_acks() is None
    hands.raises = None
    await obeyer.poll()
    await settled(obeyer)
    await Teller(box).tell_acks()
    assert cloud.ended("d-1") == [AckStatus.SUCCEEDED]


async def test_a_cloud_without_batches_gets_acks_one_by_one_and_an_unknown_id_stops_none(
    box: Box, cloud: Cloud, obeyer: Obeyer
) -> None:
    cloud.give(command("d-1"), command("d-2", "A-2"))
    await obeyer.poll()
    await settled(obeyer)
    cloud.next("/commands/ack/batch", 404, {"error_code": "NOT_FOUND"})
    cloud.next("/commands/d-1/ack", 404, {"error_code": "NOT_FOUND"})
    cloud.next("/commands/d-2/ack", 200, {"success": True, "applied": True})
    await Teller(box).tell_acks()
    assert await Teller(box).tell_acks() is None


async def test_what_cannot_be_written_down_is_not_done(box: Box, cloud: Cloud, hands: Hands, obeyer: Obeyer) -> None:
    await box.on_journal(box.journal._db.execute, "pragma query_only = on")
    cloud.give(command("d-1"))
    await obeyer.poll()
    await settled(obeyer)
    assert hands.ran == []
    assert box.say.is_bad("journal")
    await box.on_journal(box.journal._db.execute, "pragma query_only = off")
    await obeyer.poll()
    await settled(obeyer)
    assert hands.ran == ["d-1"]


async def test_a_new_life_says_so_and_asks_for_nothing_before_the_last_ones_answers_are_delivered(
    tmp_path: Path, cloud: Cloud, hands: Hands
) -> None:
    """Its first poll brings back what the last one held, perhaps to another device: the cloud must know what ran."""
    former = open_box(settings_in(tmp_path, cloud.url))
    await former.on_journal(former.journal.begin, command("d-1"), now=former.clock())
    await former.aclose()
    box = open_box(settings_in(tmp_path, cloud.url))
    assert box.line._http.headers["X-Device-Incarnation"] == "2"
    obeyer = Obeyer(box, rules_of(box), hands.find, hands.execute)
    polling = asyncio.create_task(obeyer.run(0.05, lambda: True))
    await asyncio.sleep(0.5)
    assert cloud.polls == []
    await Teller(box).tell_acks()
    assert cloud.ended("d-1") == [AckStatus.SKIPPED]
    await until(lambda: bool(cloud.polls), "a poll")
    polling.cancel()
    await asyncio.gather(polling, return_exceptions=True)
    await box.aclose()
