"""`hashinsight command …` and `batch …`, as a person at the machine types them; in this process: starts are slow."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hashinsight.cli import app
from hashinsight.cli.acting import shell_user
from hashinsight.kit import logs
from hashinsight.kit.db.address import DatabaseAddress
from tests.commands.two_tenants import TwoTenants, reboot_command


class Shell:
    async def run(self, *arguments: str, said: str = "") -> Result:
        """In a thread of its own: the command runs its own loop."""
        return await asyncio.to_thread(CliRunner().invoke, app, list(arguments), input=said)

    async def ok(self, *arguments: str, said: str = "") -> Any:
        done = await self.run(*arguments, "--json", said=said)
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout)

    async def told(self, *arguments: str) -> str:
        done = await self.run(*arguments)
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    async def refused(self, *arguments: str) -> str:
        done = await self.run(*arguments)
        assert done.exit_code != 0
        return str(done.exception)


@pytest.fixture
def shell(desk: TwoTenants, address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    del desk
    monkeypatch.setenv("HASHINSIGHT_DATABASE_URL", address.url)
    monkeypatch.setenv("HASHINSIGHT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(logs, "configure_logs", lambda *_: None)
    return Shell()


FAN = ("command", "request", "set_fan", "--param", "speed=80", "--site", "tx-1", "--reason", "hot aisle")


async def test_a_shift_asks_follows_and_reads_the_story(desk: TwoTenants, shell: Shell) -> None:
    run = await shell.told(*FAN, "--miner", "m1", "--dry-run")
    assert run.startswith("1 machines, 3.2 kW, 95.0 TH/s, 1.7% of the site\nno approval needed")
    assert desk.stored()["commands"] == 0
    made = await shell.ok(*FAN, "--miner", "m1", "--miner", "m99")
    command_id = made["commands"][0]["command_id"]
    assert [one["error_code"] for one in made["refused"]] == ["NOT_FOUND"]
    desk.at(60)  # the command line goes by the real clock
    async with await desk.edge(device_id="box-1") as edge:
        (handed,) = await edge.poll()
        await edge.ack(handed.command_id, "succeeded", duration_ms=5200, before={"fan": 60}, after={"fan": 80})
        await edge.ack(handed.command_id, "succeeded")
    story = await shell.told("command", "show", command_id)
    lines = story.splitlines()
    assert lines[0] == "set_fan speed=80 for m1 at site tx-1: succeeded"
    assert any("requested" in line and f"by {shell_user().id} (command line): hot aisle" in line for line in lines)
    told = [event for line in lines for event in ("created", "leased", "succeeded") if f"  {event} " in line]
    assert told == ["created", "leased", "succeeded"]
    assert "north box-1: succeeded, took 5.2 s, 1 late acks ignored" in story
    assert "before  fan=60" in story
    listed = await shell.told("command", "list", "--miner", "m1", "--tenant", "a")
    assert command_id in listed
    assert " tx-1 " in listed
    assert "succeeded" in listed
    (row,) = (await shell.ok("command", "list", "--tenant", "a"))["commands"]
    assert (row["site_id"], row["site_code"]) == (desk.site_id(), "tx-1")
    assert (await shell.ok("command", "show", command_id))["history"][0]["event"] == "created"
    assert await shell.told("command", "list", "--waiting", "--tenant", "a") == "no commands\n"


async def test_what_the_system_asks_for_a_person_approves_and_the_other_way_round(
    desk: TwoTenants, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    made = await shell.ok("command", "request", "reboot_device", "--site", "tx-1", "--miner", "m1", "--reason", "hangs")
    (one,) = made["commands"]
    assert one["approval_state"] == "required"
    assert one["command_id"] in await shell.told("command", "list", "--waiting", "--site", "tx-1")
    refused = await shell.refused("command", "approve", one["command_id"], "--reason", "mine")
    assert refused == "you asked for it: somebody else must approve it."
    with monkeypatch.context() as other:  # another user of the host is the same hand
        other.setenv("SUDO_USER", "bob")
        refused = await shell.refused("command", "approve", one["command_id"], "--reason", "mine")
    assert refused == "you asked for it: somebody else must approve it."
    await desk.manager.commands.approve(one["command_id"], "fine")
    theirs = (await desk.noc.commands.request(reboot_command("m2", "m3")))["batch_id"]
    assert "2 waiting for approval" in await shell.told("batch", "show", theirs)
    assert await shell.told("batch", "approve", theirs, "--reason", "night shift") == "2 commands: 2 queued\n"
    shown = await shell.told("batch", "show", theirs)
    assert f"by {shell_user().id} (command line): night shift" in shown
    assert "@example.com: a test" in shown
    assert await shell.told("batch", "cancel", theirs) == "2 commands: 2 canceled\n"
    listed = (await shell.ok("batch", "list", "--site", "tx-1"))["batches"]
    assert {row["batch_id"] for row in listed} == {theirs, made["batch_id"]}
    assert {row["site_code"] for row in listed} == {"tx-1"}
    assert " tx-1  reboot_device" in await shell.told("batch", "list", "--tenant", "a")
    assert "at site tx-1" in shown


async def test_reject_cancel_and_refusals_are_one_sentence(desk: TwoTenants, shell: Shell) -> None:
    one = (await desk.noc.commands.request(reboot_command("m1")))["commands"][0]["command_id"]
    assert await shell.told("command", "reject", one, "--reason", "no") == "reboot_device for m1: canceled, rejected\n"
    assert await shell.refused("command", "cancel", one) == "it is canceled already, and that is final."
    assert "is no id" in await shell.refused("command", "show", "junk")
    assert "there is no command" in await shell.refused("command", "show", "01980f80-0000-7000-8000-00000000dead")
    asked = (*FAN, "--miner", "m1")
    assert await shell.refused(*asked, "--param", "speed=500") == (
        "set_fan: speed: Input should be less than or equal to 100."
    )
    assert "has no value" in await shell.refused(*asked, "--param", "speed")
    assert "is not JSON" in await shell.refused(*asked, "--filter", "zone=B2")
    assert desk.stored()["commands"] == 1


async def test_a_secret_comes_by_standard_input_and_is_not_shown(desk: TwoTenants, shell: Shell) -> None:
    pool = ("--param", "pool_url=stratum+tcp://pool.example:3333", "--param", "pool_user=acme.1")
    asked = ("command", "request", "set_pool", *pool, "--secret", "pool_password", "--site", "tx-1", "--miner", "m1")
    made = await shell.ok(*asked, "--reason", "new pool", said="hunter2\n")
    command_id = made["commands"][0]["command_id"]
    assert "hunter2" not in await shell.told("command", "show", command_id)
    assert desk.row("select sealed_params is not null as sealed from commands")["sealed"]


async def test_the_catalogue_is_listed(shell: Shell) -> None:
    assert "reboot_device" in await shell.told("command", "catalogue")
    assert len((await shell.ok("command", "catalogue"))["types"]) == 11
