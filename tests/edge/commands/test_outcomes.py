"""An action whose answer is lost: the visible effect decides, and what must happen once is never sent twice."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hashinsight.edge.commands.checks import is_already_set
from hashinsight.edge.commands.outcomes import ActionReply, Outcome, Reply, ack_unread, decide_ack, reply_to_error
from hashinsight.edge.library_process.actions import error_from_library
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.wire.acks import AckStatus
from tests.edge.factories import command
from tests.edge.faulty_link import LinkFault, faulty_link
from tests.edge.simulated_site import running_site, simulate, site_settings, until
from tests.installation import HANG_TIMEOUT_SEC
from tests.sim.simulator_process import Sim

ORDERS = {"reboot_device": b"rebootdevice", "disable_hashing": b"curtail"}
YES, NO = ActionReply(Reply.YES), ActionReply(Reply.NO, "MACHINE_REFUSED", "no")
UNSURE, LOST = ActionReply(Reply.UNSURE, "TIMEOUT", "late"), ActionReply(Reply.UNSURE, "READER_LOST", "it died")
AWAY, STRANGE = (
    ActionReply(Reply.NOT_SENT, "UNREACHABLE", "away"),
    ActionReply(Reply.NOT_SENT, "UNSUPPORTED", "strange"),
)


@pytest.mark.parametrize(
    ("verb", "given", "seen", "ends"),
    [
        ("reboot", YES, (True, False), ("succeeded", None)),
        ("reboot", UNSURE, (True, False), ("succeeded", None)),
        ("reboot", NO, (True, False), ("succeeded", None)),
        ("reboot", NO, (False, True), ("failed", "MACHINE_REFUSED")),
        ("reboot", UNSURE, (False, True), ("skipped", "OUTCOME_UNKNOWN")),
        ("reboot", LOST, (False, True), ("skipped", "OUTCOME_UNKNOWN")),
        ("reboot", YES, (False, True), ("skipped", "OUTCOME_UNKNOWN")),
        ("restart", UNSURE, (False, False), ("skipped", "OUTCOME_UNKNOWN")),
        ("reboot", AWAY, (None, False), ("failed", "UNREACHABLE")),
        ("reboot", STRANGE, (None, False), ("rejected", "UNSUPPORTED")),
        ("disable", UNSURE, (True, True), ("succeeded", None)),
        ("disable", UNSURE, (False, True), ("failed", "TIMEOUT")),
        ("disable", LOST, (False, False), ("failed", "READER_LOST")),
        ("disable", YES, (False, True), ("failed", "NOT_CONFIRMED")),
        ("disable", YES, (False, False), ("failed", "NOT_CONFIRMED")),
        ("enable", YES, (False, True), ("succeeded", None)),
        ("enable", YES, (False, False), ("failed", "NOT_CONFIRMED")),
        ("enable", UNSURE, (False, True), ("failed", "TIMEOUT")),
        ("set_fan", YES, (None, True), ("succeeded", None)),
        ("set_fan", YES, (None, False), ("failed", "NOT_CONFIRMED")),
        ("set_fan", NO, (None, True), ("failed", "MACHINE_REFUSED")),
    ],
)
def test_the_ack_follows_from_reply_and_effect(
    verb: str, given: ActionReply, seen: tuple[bool | None, bool], ends: tuple[str, str | None]
) -> None:
    is_confirmed, is_online = seen
    answer = decide_ack(verb, given, is_confirmed=is_confirmed, is_online=is_online)
    assert answer[:2] == ends


def test_an_unknown_error_may_have_reached_the_machine() -> None:
    assert reply_to_error(MachineError("a word of tomorrow", "?")).reply is Reply.UNSURE
    assert reply_to_error(MachineError("slow", "?")).reply is Reply.UNSURE
    assert reply_to_error(MachineError("not_sent", "?")).reply is Reply.NOT_SENT
    assert ack_unread(MachineError("slow", "?"))[:2] == (AckStatus.FAILED, "TIMEOUT")


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("RPC read timed out", "slow"),
        ("Connection reset by miner", "slow"),
        ("No data received from miner", "slow"),
        ("EOF while parsing a value at line 1 column 34", "slow"),
        ("expected value at line 1 column 1", "slow"),
        ("Command returned with error status: Invalid JSON response", "slow"),
        ("Failed to connect to RPC API", "not_sent"),
        ("No session token available for privileged command", "not_sent"),
        ("set_power_limit is not supported", "unsupported"),
        ("power limit out of range", "refused_by_machine"),
        ("power limit 1401 out of range", "refused_by_machine"),
        ("HTTP status client error (401 Unauthorized)", "auth_failed"),
        ("request failed with status code 401", "auth_failed"),
        ("error sending request for url (http://10.20.30.40/cgi-bin/reboot.cgi)", "slow"),
    ],
)
def test_the_librarys_errors_are_classified_by_their_words(message: str, kind: str) -> None:
    assert error_from_library("reboot", message).kind == kind


def test_the_librarys_error_text_is_passed_on_without_an_address() -> None:
    message = "bad answer from http://10.20.30.40/cgi-bin/set.cgi and 10.20.30.40:4028: 500"
    assert str(error_from_library("set_pool", message)) == "bad answer from the machine and the machine: 500"


def test_a_setting_already_in_effect_is_not_sent_again() -> None:
    assert is_already_set("set_power_mode", {"mode": "eco"}, {"mode": "eco"})
    assert not is_already_set("set_power_mode", {"mode": "normal"}, {"mode": "eco"})
    assert not is_already_set("set_power_mode", {}, {"mode": "eco"})
    assert not is_already_set("disable", {"state": "stopped"}, {}), "stopped by itself is not stopped by us"


@pytest.fixture(scope="module")
def sim() -> Iterator[Sim]:
    with simulate("quiet", "--machines", "6", "--luxos", "--speed", "10") as running:
        yield running


async def spoilt(sim: Sim, folder: Path, no: int, fault: LinkFault, command_type: str) -> Outcome:
    address = f"{sim.net}.1.{no + 1}"
    async with (
        faulty_link(address, sim.address(no), fault, ORDERS[command_type]),
        running_site(site_settings(folder, [address], identity="address", interval_sec=60)) as (local_site, _),
    ):
        local_site.executor._confirm_sec = (
            4.0 if fault is LinkFault.ORDER else HANG_TIMEOUT_SEC
        )  # nothing is to be seen, or something
        await until(lambda: local_site.counts().online == 1, "the machine")
        machine = local_site.find(address)
        assert machine is not None
        return await local_site.execute(machine, command(miner_id=address, command_type=command_type))


def orders(sim: Sim, no: int) -> list[str]:
    return [entry["act"] for entry in sim.control("orders", machine=str(no))]


@pytest.mark.parametrize(("no", "fault"), [(0, LinkFault.ANSWER), (1, LinkFault.PATIENCE)])
async def test_a_reboot_whose_answer_is_lost_is_confirmed_by_its_effect_and_sent_once(
    sim: Sim, tmp_path: Path, no: int, fault: LinkFault
) -> None:
    outcome = await spoilt(sim, tmp_path, no, fault, "reboot_device")
    assert (outcome.status, outcome.error_code) == (AckStatus.SUCCEEDED, None)
    assert orders(sim, no) == ["reboot"]


async def test_a_reboot_without_visible_effect_is_unknown_whatever_the_library_says(sim: Sim, tmp_path: Path) -> None:
    """The library reports success, although the machine never received it."""
    outcome = await spoilt(sim, tmp_path, 2, LinkFault.ORDER, "reboot_device")
    assert (outcome.status, outcome.error_code) == (AckStatus.SKIPPED, "OUTCOME_UNKNOWN")
    assert outcome.result == {"confirmed": False, "way": "restart"}
    assert orders(sim, 2) == []


async def test_a_stop_whose_answer_is_lost_is_confirmed_by_its_effect_and_a_lost_stop_may_be_retried(
    sim: Sim, tmp_path: Path
) -> None:
    seen = await spoilt(sim, tmp_path, 3, LinkFault.ANSWER, "disable_hashing")
    assert (seen.status, orders(sim, 3)) == (AckStatus.SUCCEEDED, ["pause"])
    lost = await spoilt(sim, tmp_path, 4, LinkFault.ORDER, "disable_hashing")
    assert (lost.status, orders(sim, 4)) == (AckStatus.FAILED, [])


ASKED_ANEW = """
import asyncio, os, sys, time
from hashinsight.edge.library_process.machines import Machines

async def main(address):
    machines = Machines()
    machines._handles._unknown[address] = (time.monotonic() + 600, 600)
    assert await machines._handles.find(address, ()) is None
    print(await machines.act(address, "fault_light", {"on": True}, timeout_sec=10, auth=()))

asyncio.run(main(sys.argv[1]))
sys.stdout.flush()
os._exit(0)
"""


def test_an_action_is_not_refused_because_identification_once_timed_out(sim: Sim) -> None:
    command_line = [sys.executable, "-c", ASKED_ANEW, sim.address(5)]
    done = subprocess.run(command_line, capture_output=True, text=True, timeout=HANG_TIMEOUT_SEC, check=False)
    assert (done.returncode, done.stdout) == (0, "{'way': 'set_fault_light'}\n"), done.stderr
