"""Who goes first on one machine: the table of verdicts, and the same through the door."""

from typing import Any

import pytest

from hashinsight.commands.arbitration import ArbitrationRefusal, Intent, OpenCommand, arbitrate
from hashinsight.commands.states import Priority, State
from hashinsight.kit.ids import new_id
from tests.commands.command_site import CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}
STOP, START, OTHER = ("disable_hashing", b"stop"), ("enable_hashing", b"start"), ("set_fan", b"fan")
SAFETY, CONVENIENCE = Priority.SAFETY, Priority.CONVENIENCE


def wish(what: tuple[str, bytes], priority: Priority, *, emergency: bool = False) -> Intent:
    opposes = {"disable_hashing": {"enable_hashing"}, "enable_hashing": {"disable_hashing"}}.get(what[0], set())
    return Intent(*what, priority, emergency, frozenset(opposes))


def present(what: tuple[str, bytes], priority: Priority, state: State, *, emergency: bool = False) -> OpenCommand:
    return OpenCommand(new_id(), 1, *what, priority, emergency, state)


QUEUED, RUNNING, SENT = State.QUEUED, State.RUNNING, State.DISPATCHED


@pytest.mark.parametrize(
    ("requested", "there", "refused", "displaces"),
    [
        (wish(OTHER, SAFETY), present(STOP, CONVENIENCE, QUEUED), None, True),
        (wish(STOP, SAFETY), present(STOP, CONVENIENCE, QUEUED), None, True),
        (wish(STOP, SAFETY), present(STOP, SAFETY, QUEUED), ArbitrationRefusal.DUPLICATE, False),
        (wish(STOP, CONVENIENCE), present(STOP, SAFETY, QUEUED), ArbitrationRefusal.DUPLICATE, False),
        (wish(STOP, SAFETY), present(START, SAFETY, QUEUED), ArbitrationRefusal.CONTRADICTS, False),
        (wish(STOP, CONVENIENCE), present(START, SAFETY, QUEUED), ArbitrationRefusal.CONTRADICTS, False),
        (wish(STOP, SAFETY), present(START, CONVENIENCE, QUEUED), None, True),
        (wish(OTHER, CONVENIENCE), present(STOP, SAFETY, QUEUED), None, False),
        (wish(STOP, SAFETY), present(STOP, CONVENIENCE, RUNNING), ArbitrationRefusal.DUPLICATE, False),
        (wish(START, CONVENIENCE), present(STOP, SAFETY, RUNNING), ArbitrationRefusal.CONTRADICTS, False),
        (wish(START, SAFETY), present(STOP, SAFETY, RUNNING), None, False),
        (wish(STOP, SAFETY), present(OTHER, CONVENIENCE, SENT), None, False),
        (wish(STOP, SAFETY, emergency=True), present(OTHER, CONVENIENCE, SENT), None, True),
        (wish(STOP, SAFETY, emergency=True), present(START, SAFETY, RUNNING), None, True),
        (wish(STOP, SAFETY, emergency=True), present(START, SAFETY, QUEUED), None, True),
        (wish(STOP, SAFETY, emergency=True), present(START, SAFETY, RUNNING, emergency=True), None, False),
        (wish(STOP, CONVENIENCE, emergency=True), present(START, CONVENIENCE, RUNNING), None, False),
    ],
)
def test_each_arbitration_has_its_reason(
    requested: Intent, there: OpenCommand, refused: ArbitrationRefusal | None, *, displaces: bool
) -> None:
    verdict = arbitrate(requested, [there])
    assert (verdict.refused, verdict.supersedes) == (refused, (there,) if displaces else ())
    assert there.command_type in verdict.reason
    assert verdict.as_evidence()["weighed"][0]["command_id"] == str(there.command_id)


def test_a_refusal_supersedes_nothing() -> None:
    lower, same = present(OTHER, CONVENIENCE, QUEUED), present(STOP, SAFETY, RUNNING)
    verdict = arbitrate(wish(STOP, SAFETY), [lower, same])
    assert (verdict.refused, verdict.supersedes, verdict.because_of) == (
        ArbitrationRefusal.DUPLICATE,
        (),
        same.command_id,
    )


async def test_a_higher_class_supersedes_waiting_commands(fleet: CommandSite) -> None:
    low = await fleet.make_command("set_fan", 1, **FAN)
    high = await fleet.make_command("restart_mining", 1, priority="safety")
    story = await fleet.story(low)
    assert (story["state"], story["superseded_by"]) == ("superseded", high)
    assert story["history"][-1]["message"] == "later command: outranks set_fan (efficiency, queued)"
    assert [command.command_id for command in await fleet.lease()] == [high]
    actions = [entry["action"] for entry in (await fleet.story(high))["audit"]]
    assert "command_arbitrated" in actions
    assert "command_superseded" in [entry["action"] for entry in story["audit"]]


async def test_an_equal_command_is_a_duplicate_and_names_the_first(fleet: CommandSite) -> None:
    first = await fleet.make_command("set_fan", 1, **FAN)
    answer = await fleet.request("set_fan", 1, **FAN)
    assert answer.commands == ()
    (refused,) = answer.refused
    assert (refused.error_code, refused.command_id) == ("DUPLICATE", first)
    assert (await fleet.request("set_fan", 1, params={"speed": 61})).commands
    entries = fleet.rows("select * from audit_log where action = 'command_arbitrated' and entity_id = %s", str(first))
    assert entries[0]["after"]["decision"] == "DUPLICATE"


async def test_a_fault_light_conflicts_with_nothing(fleet: CommandSite) -> None:
    await fleet.make_command("set_fan", 1, **FAN)
    await fleet.make_command("fault_light", 1, params={"on": True})
    assert len(await fleet.lease()) == 2


async def test_a_safety_emergency_interrupts_a_running_command(fleet: CommandSite) -> None:
    running = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    await fleet.ack_one(leased.dispatch_id, "running")
    stop = await fleet.make_command("disable_hashing", 1, priority="safety", emergency=True)
    story = await fleet.story(running)
    assert (story["state"], story["superseded_by"], story["attempts"][0]["result"]) == ("superseded", stop, "fenced")
    assert (await fleet.lease_one()).command_id == stop
    late = await fleet.ack_one(leased.dispatch_id)
    assert (late.applied, late.error_code, late.state) == (False, "SUPERSEDED", "superseded")
    assert await fleet.state(stop) == "dispatched"


@pytest.mark.parametrize("more", [{"priority": "safety"}, {"priority": "compliance", "emergency": True}])
async def test_nothing_else_interrupts_a_running_command(fleet: CommandSite, more: dict[str, Any]) -> None:
    running = await fleet.make_command("set_fan", 1, **FAN)
    await fleet.lease_one()
    waits = await fleet.make_command("restart_mining", 1, **more)
    assert await fleet.state(running) == "dispatched"
    assert await fleet.lease() == []
    assert (await fleet.story(waits))["wait_reason"] == "MINER_LOCKED"
