"""`hashinsight command …` and `batch …`, as a person at the machine types them; in this process: starts are slow."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hashinsight.cli import app
from hashinsight.cli.context import shell_user
from hashinsight.kit import logs
from hashinsight.kit.db.address import DatabaseAddress
from tests.commands.two_tenants import TwoTenants, reboot_command


class Shell:
    async def run(self, *arguments: str, text: str = "") -> Result:
        """In a thread of its own: the command runs its own loop."""
        return await asyncio.to_thread(CliRunner().invoke, app, list(arguments), input=text)

    async def ok(self, *arguments: str, text: str = "") -> Any:
        done = await self.run(*arguments, "--json", text=text)
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout)

    async def output(self, *arguments: str) -> str:
        done = await self.run(*arguments)
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    async def refused(self, *arguments: str) -> str:
        done = await self.run(*arguments)
        assert done.exit_code != 0
        return str(done.exception)


@pytest.fixture
def shell(tenants: TwoTenants, address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    del tenants
    monkeypatch.setenv("HASHINSIGHT_DATABASE_URL", address.url)
    monkeypatch.setenv("HASHINSIGHT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(logs, "configure_logs", lambda *_: None)
    return Shell()


FAN = ("command", "request", "set_fan", "--param", "speed=80", "--site", "tx-1", "--reason", "hot aisle")


async def test_request_follow_and_show_a_command(tenants: TwoTenants, shell: Shell) -> None:
    run = await shell.output(*FAN, "--miner", "m1", "--dry-run")
    assert run.startswith("1 machine (1.7% of the site), 3.2 kW, 95.0 TH/s\nno approval needed")
    assert tenants.stored()["commands"] == 0
    made = await shell.ok(*FAN, "--miner", "m1", "--miner", "m99")
    command_id = made["commands"][0]["command_id"]
    assert [refusal["error_code"] for refusal in made["refused"]] == ["NOT_FOUND"]
    tenants.at(60)  # the command line goes by the real clock
    async with await tenants.edge(device_id="box-1") as edge:
        (handed,) = await edge.poll()
        await edge.ack(handed.command_id, "succeeded", duration_ms=5200, before={"fan": 60}, after={"fan": 80})
        await edge.ack(handed.command_id, "succeeded")
    story = await shell.output("command", "show", command_id)
    lines = story.splitlines()
    assert lines[0] == "set_fan speed=80 for m1 at site tx-1: succeeded"
    assert any("requested" in line and f"by {shell_user().id} (command line): hot aisle" in line for line in lines)
    events = [event for line in lines for event in ("created", "leased", "succeeded") if f"  {event} " in line]
    assert events == ["created", "leased", "succeeded"]
    assert "north box-1: succeeded, took 5.2 s, 1 late ack ignored" in story
    assert "before  fan=60" in story
    listed = await shell.output("command", "list", "--miner", "m1", "--tenant", "a")
    assert command_id in listed
    assert " tx-1 " in listed
    assert "succeeded" in listed
    (row,) = (await shell.ok("command", "list", "--tenant", "a"))["commands"]
    assert (row["site_id"], row["site_code"]) == (tenants.site_id(), "tx-1")
    assert (await shell.ok("command", "show", command_id))["history"][0]["event"] == "created"
    assert await shell.output("command", "list", "--waiting", "--tenant", "a") == "no commands\n"


async def test_system_requests_are_approved_by_people_and_the_reverse(
    tenants: TwoTenants, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    made = await shell.ok("command", "request", "reboot_device", "--site", "tx-1", "--miner", "m1", "--reason", "hangs")
    (command,) = made["commands"]
    assert command["approval_state"] == "required"
    assert command["command_id"] in await shell.output("command", "list", "--waiting", "--site", "tx-1")
    refused = await shell.refused("command", "approve", command["command_id"], "--reason", "mine")
    assert refused == "your own request: someone else must approve it."
    with monkeypatch.context() as other:  # another user of the host is the same hand
        other.setenv("SUDO_USER", "bob")
        refused = await shell.refused("command", "approve", command["command_id"], "--reason", "mine")
    assert refused == "your own request: someone else must approve it."
    await tenants.manager.commands.approve(command["command_id"], "fine")
    theirs = (await tenants.noc.commands.request(reboot_command("m2", "m3")))["batch_id"]
    assert "2 waiting for approval" in await shell.output("batch", "show", theirs)
    assert await shell.output("batch", "approve", theirs, "--reason", "night shift") == "2 commands: 2 queued\n"
    shown = await shell.output("batch", "show", theirs)
    assert f"by {shell_user().id} (command line): night shift" in shown
    assert "@example.com: a test" in shown
    assert await shell.output("batch", "cancel", theirs) == "2 commands: 2 canceled\n"
    listed = (await shell.ok("batch", "list", "--site", "tx-1"))["batches"]
    assert {row["batch_id"] for row in listed} == {theirs, made["batch_id"]}
    assert {row["site_code"] for row in listed} == {"tx-1"}
    assert " tx-1  reboot_device" in await shell.output("batch", "list", "--tenant", "a")
    assert "at site tx-1" in shown


async def test_reject_cancel_and_refusals_print_one_sentence(tenants: TwoTenants, shell: Shell) -> None:
    command_id = (await tenants.noc.commands.request(reboot_command("m1")))["commands"][0]["command_id"]
    assert (
        await shell.output("command", "reject", command_id, "--reason", "no")
        == "reboot_device for m1: canceled, rejected\n"
    )
    assert await shell.refused("command", "cancel", command_id) == "already canceled."
    assert "is not an id" in await shell.refused("command", "show", "junk")
    assert "there is no command" in await shell.refused("command", "show", "01980f80-0000-7000-8000-00000000dead")
    arguments = (*FAN, "--miner", "m1")
    assert await shell.refused(*arguments, "--param", "speed=500") == (
        "set_fan: speed: Input should be less than or equal to 100."
    )
    assert "has no value" in await shell.refused(*arguments, "--param", "speed")
    assert "is not JSON" in await shell.refused(*arguments, "--filter", "zone=B2")
    assert tenants.stored()["commands"] == 1


async def test_a_secret_comes_by_standard_input_and_is_not_shown(tenants: TwoTenants, shell: Shell) -> None:
    pool = ("--param", "pool_url=stratum+tcp://pool.example:3333", "--param", "pool_user=acme.1")
    arguments = (
        "command",
        "request",
        "set_pool",
        *pool,
        "--secret",
        "pool_password",
        "--site",
        "tx-1",
        "--miner",
        "m1",
    )
    made = await shell.ok(*arguments, "--reason", "new pool", text="hunter2\n")
    command_id = made["commands"][0]["command_id"]
    assert "hunter2" not in await shell.output("command", "show", command_id)
    assert tenants.row("select sealed_params is not null as sealed from commands")["sealed"]


async def test_the_catalogue_is_listed(shell: Shell) -> None:
    assert "reboot_device" in await shell.output("command", "catalogue")
    assert len((await shell.ok("command", "catalogue"))["types"]) == 11
