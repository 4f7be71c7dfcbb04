"""The inventory commands of the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hashinsight.kit.db.address import DatabaseAddress
from tests.forked_cli import hashinsight
from tests.installation import HANG_TIMEOUT_SEC
from tests.people import People

LIGHT = """
import sys
from hashinsight.cli import inventory
print([name for name in ("sqlalchemy", "polars", "pydantic") if name in sys.modules])
"""


class Shell:
    def __init__(self, address: DatabaseAddress, folder: Path) -> None:
        self._place = {"database_url": address.url, "data_dir": folder}

    def run(self, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return hashinsight(*arguments, stdin=text, **self._place)

    def ok(self, *arguments: str, text: str = "") -> Any:
        done = self.run(*arguments, "--json", text=text)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
async def shell(address: DatabaseAddress, tmp_path: Path, people: People) -> Shell:
    await people.tenant_id("a")
    return Shell(address, tmp_path)


def test_the_command_line_imports_no_server_code_at_start() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, timeout=HANG_TIMEOUT_SEC, check=True
    )
    assert done.stdout == "[]\n"


def test_create_import_list_group_and_export_machines(shell: Shell, tmp_path: Path) -> None:
    made = shell.ok("site", "create", "--code", "tx-1", "--name", "Texas")
    assert made["code"] == "tx-1"
    shell.ok("zone", "create", "--site", "tx-1", "--code", "A")
    file = tmp_path / "list.csv"
    file.write_text("miner_id,model,zone\nm1,S21,A\nm2,S19,B\nm3,S19,B\n,x,y\n")
    report = shell.ok("miner", "import", "--site", "TX-1", str(file))
    assert (report["created"], report["refused"], report["lines"][0]["line"]) == (3, 1, 5)
    assert [zone["code"] for zone in shell.ok("zone", "list", "--site", "tx-1")["zones"]] == ["A", "B"]
    assert [miner["miner_id"] for miner in shell.ok("miner", "list", "--model", "s19")["miners"]] == ["m2", "m3"]
    assert shell.ok("group", "create", "--name", "g", "--filter", '{"model": "S19"}')["members"] == 2
    assert shell.ok("group", "create", "--name", "h", "--miner", "m1")["members"] == 1
    assert [group["name"] for group in shell.ok("group", "list")["groups"]] == ["g", "h"]
    assert [site["code"] for site in shell.ok("site", "list")["sites"]] == ["tx-1"]
    exported = shell.run("miner", "export", "--site", "tx-1")
    assert [row.split(",")[0] for row in exported.stdout.splitlines()] == ["miner_id", "m1", "m2", "m3"]
    again = tmp_path / "again.csv"
    shell.ok("miner", "export", "--site", "tx-1", "--out", str(again))
    assert shell.ok("miner", "import", "--site", "tx-1", str(again), "--all-or-nothing")["unchanged"] == 3


def test_errors_are_one_sentence_and_a_refused_list_shows_its_lines(shell: Shell, tmp_path: Path) -> None:
    shell.ok("site", "create", "--code", "tx-1", "--name", "Texas")
    file = tmp_path / "list.csv"
    file.write_text("miner_id,mac\nm1,junk\n")
    refused = shell.run("miner", "import", "--site", "tx-1", str(file), "--all-or-nothing")
    assert refused.returncode == 78
    assert "BAD_MAC" in refused.stderr
    assert "nothing was imported" in refused.stderr
    for arguments, message in (
        (["miner", "import", "--site", "nowhere", str(file)], "no site nowhere"),
        (["site", "create", "--code", "tx-1", "--name", "x"], "this code is taken"),
        (["site", "create", "--code", "42", "--name", "x"], "digits only"),
        (["site", "list", "--tenant", "nobody"], "there is no tenant nobody"),
    ):
        done = shell.run(*arguments)
        assert (done.returncode, message in done.stderr) == (78, True), done.stderr


async def test_with_two_tenants_the_tenant_is_given_or_found_by_its_site(shell: Shell, people: People) -> None:
    await people.tenant_id("b")
    assert "choose one with --tenant" in shell.run("site", "list").stderr
    shell.ok("site", "create", "--tenant", "b", "--code", "bx-1", "--name", "B")
    shell.ok("site", "create", "--tenant", str(await people.tenant_id("a")), "--code", "ax-1", "--name", "A")
    assert [site["code"] for site in shell.ok("site", "list", "--tenant", "b")["sites"]] == ["bx-1"]
    shell.ok("zone", "create", "--site", "ax-1", "--code", "Z")
    assert len(shell.ok("zone", "list", "--tenant", "a")["zones"]) == 1
    assert shell.ok("zone", "list", "--tenant", "b")["zones"] == []


@pytest.fixture
def fleet(shell: Shell, tmp_path: Path) -> Shell:
    """m1 and m2 in zone A of tx-1."""
    shell.ok("site", "create", "--code", "tx-1", "--name", "Texas")
    file = tmp_path / "list.csv"
    file.write_text("miner_id,model,zone\nm1,S21,A\nm2,S19,A\n")
    shell.ok("miner", "import", "--site", "tx-1", str(file))
    return shell


def test_create_show_change_and_retire_a_machine_with_its_history(fleet: Shell) -> None:
    fleet.ok("rack", "create", "--site", "tx-1", "--zone", "A", "--code", "R1")
    assert [rack["code"] for rack in fleet.ok("rack", "list", "--site", "tx-1")["racks"]] == ["R1"]
    root = fleet.ok("node", "create", "--site", "tx-1", "--kind", "transformer", "--code", "T1")["id"]
    pdu = fleet.ok("node", "create", "--site", "tx-1", "--kind", "pdu", "--code", "P1", "--parent", str(root))["id"]
    assert [node["parent_id"] for node in fleet.ok("node", "list")["nodes"]] == [None, root]
    made = fleet.ok("miner", "create", "m3", "--site", "tx-1", "--set", "model=S21", "--set", f"power_node_id={pdu}")
    assert (made["model"], made["power_node_id"]) == ("Antminer S21", pdu)
    placed = ["--set", "zone=A", "--set", "rack=R1", "--set", "expected_ths=99.5", "--clear", "power_node_id"]
    changed = fleet.ok("miner", "change", "m3", *placed, "--set", "miner_id=m4")
    assert changed["miner_no"] == made["miner_no"]
    assert (changed["rack"], changed["expected_ths"], changed["power_node_id"]) == ("R1", 99.5, None)
    assert fleet.ok("miner", "retire", "m4", "--reason", "sold")["state"] == "retired"
    assert fleet.ok("miner", "show", "m4")["miner"]["state"] == "retired"
    history = fleet.ok("miner", "history", "m4")
    assert {"miner_id", "rack", "state"} <= {change["field"] for change in history["changes"]}
    assert "retired" in fleet.run("miner", "history", "m4").stdout
    for arguments, message in (
        (["miner", "change", "m1", "--set", "owner"], "write --set owner=VALUE"),
        (["miner", "change", "m1", "--set", "colour=red"], "colour"),
        (["miner", "show", "m9"], "no such miner"),
    ):
        done = fleet.run(*arguments)
        assert (done.returncode, message in done.stderr) == (78, True), done.stderr


def test_change_refresh_show_and_delete_a_group(fleet: Shell) -> None:
    group = str(fleet.ok("group", "create", "--name", "g", "--miner", "m1")["id"])
    changed = fleet.ok("group", "change", group, "--add", "m2", "--remove", "m1", "--name", "h")
    assert (changed["name"], changed["members"]) == ("h", 1)
    assert [miner["miner_id"] for miner in fleet.ok("miner", "list", "--group", group)["miners"]] == ["m2"]
    other = str(fleet.ok("group", "create", "--name", "f", "--filter", '{"owner": "Bo"}')["id"])
    fleet.ok("miner", "change", "m1", "--set", "owner=Bo")
    assert fleet.ok("group", "refresh", other)["members"] == 1
    assert fleet.ok("group", "change", other, "--filter", '{"zone": "A"}')["members"] == 2
    assert fleet.ok("group", "show", other)["filter"] == {"zone": "A"}
    assert fleet.ok("group", "delete", group)["deleted"]
    assert "no such group" in fleet.run("group", "show", group).stderr


def test_start_list_and_end_maintenance(fleet: Shell) -> None:
    until = "2199-01-01T00:00:00Z"
    started = fleet.ok("maintenance", "start", "--miner", "m1", "--reason", "fans", "--until", until)
    assert started == {"machines": 1}
    assert fleet.ok("maintenance", "start", "--filter", '{"model": "S19"}', "--reason", "dust")["machines"] == 1
    listed = fleet.ok("maintenance", "list", "--site", "tx-1")["maintenance"]
    assert [(entry["miner_id"], entry["cause"]) for entry in listed] == [
        ("m1", "maintenance: fans"),
        ("m2", "maintenance: dust"),
    ]
    assert fleet.ok("miner", "show", "m1")["expected"]["state"] == "maintenance"
    assert fleet.ok("maintenance", "end", "--miner", "m1", "--reason", "done")["machines"] == 1
    assert [miner["miner_id"] for miner in fleet.ok("maintenance", "list")["maintenance"]] == ["m2"]
    assert "either miner_ids or filter" in fleet.run("maintenance", "end", "--reason", "x").stderr


def test_show_and_set_tenant_settings_and_refuse_an_old_version(shell: Shell, tmp_path: Path) -> None:
    shown = shell.ok("tenant-settings", "show")
    assert shown["version"] == 0
    shown["settings"]["prices"]["power_per_kwh"] = 0.05
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(shown))
    assert shell.ok("tenant-settings", "set", str(file))["version"] == 1
    assert "reload them" in shell.run("tenant-settings", "set", str(file)).stderr
    again = json.dumps({"version": 1, "thresholds": {"debounce_cycles": 3}})
    changed = shell.ok("tenant-settings", "set", "-", text=again)
    assert changed["settings"]["prices"]["power_per_kwh"] == 0.05
    assert changed["settings"]["thresholds"]["debounce_cycles"] == 3
    assert "not JSON" in shell.run("tenant-settings", "set", "-", text="{").stderr
