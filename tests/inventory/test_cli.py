"""The commands, as a person at the machine runs them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hashinsight.kit.db.address import DatabaseAddress
from tests.people import People
from tests.running import environment

PROGRAM = """
import sys
import typer
from hashinsight.cli import inventory
from hashinsight.kit.errors import Refusal
assert "sqlalchemy" not in sys.modules and "polars" not in sys.modules and "pydantic" not in sys.modules
app = typer.Typer(pretty_exceptions_enable=False)
for name in ("site", "zone", "miner", "group"):
    app.add_typer(getattr(inventory, f"{name}_app"), name=name)
try:
    app()
except Refusal as refusal:
    sys.stderr.write(str(refusal))
    sys.exit(78)
"""


class Shell:
    def __init__(self, address: DatabaseAddress, folder: Path) -> None:
        self._environment = environment(database_url=address.url, data_dir=folder)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-c", PROGRAM, *arguments]
        return subprocess.run(program, env=self._environment, capture_output=True, text=True, timeout=60, check=False)

    def ok(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
async def shell(address: DatabaseAddress, tmp_path: Path, people: People) -> Shell:
    await people.tenant_id("a")
    return Shell(address, tmp_path)


def test_a_fleet_is_made_imported_listed_grouped_and_exported(shell: Shell, tmp_path: Path) -> None:
    made = shell.ok("site", "create", "--code", "tx-1", "--name", "Texas")
    assert made["code"] == "tx-1"
    shell.ok("zone", "create", "--site", "tx-1", "--code", "A")
    file = tmp_path / "list.csv"
    file.write_text("miner_id,model,zone\nm1,S21,A\nm2,S19,B\nm3,S19,B\n,x,y\n")
    report = shell.ok("miner", "import", "--site", "tx-1", str(file))
    assert (report["created"], report["refused"], report["lines"][0]["line"]) == (3, 1, 5)
    assert [zone["code"] for zone in shell.ok("zone", "list", "--site", "tx-1")["zones"]] == ["A", "B"]
    assert [one["miner_id"] for one in shell.ok("miner", "list", "--model", "s19")["miners"]] == ["m2", "m3"]
    assert shell.ok("group", "create", "--name", "g", "--filter", '{"model": "S19"}')["members"] == 2
    assert shell.ok("group", "create", "--name", "h", "--miner", "m1")["members"] == 1
    assert [group["name"] for group in shell.ok("group", "list")["groups"]] == ["g", "h"]
    assert [site["code"] for site in shell.ok("site", "list")["sites"]] == ["tx-1"]
    exported = shell.run("miner", "export", "--site", "tx-1")
    assert [row.split(",")[0] for row in exported.stdout.splitlines()] == ["miner_id", "m1", "m2", "m3"]
    again = tmp_path / "again.csv"
    shell.ok("miner", "export", "--site", "tx-1", "--out", str(again))
    assert shell.ok("miner", "import", "--site", "tx-1", str(again), "--all-or-nothing")["unchanged"] == 3


def test_a_refusal_is_one_sentence_and_a_refused_list_says_its_lines(shell: Shell, tmp_path: Path) -> None:
    shell.ok("site", "create", "--code", "tx-1", "--name", "Texas")
    file = tmp_path / "list.csv"
    file.write_text("miner_id,mac\nm1,junk\n")
    refused = shell.run("miner", "import", "--site", "tx-1", str(file), "--all-or-nothing")
    assert refused.returncode == 78
    assert "BAD_MAC" in refused.stderr
    assert "nothing was loaded" in refused.stderr
    for arguments, said in (
        (["miner", "import", "--site", "nowhere", str(file)], "there is no site nowhere"),
        (["site", "create", "--code", "tx-1", "--name", "x"], "code exists"),
        (["site", "create", "--code", "42", "--name", "x"], "digits alone"),
        (["site", "list", "--tenant", "nobody"], "there is no tenant nobody"),
    ):
        done = shell.run(*arguments)
        assert (done.returncode, said in done.stderr) == (78, True), done.stderr


async def test_with_two_tenants_one_is_named_or_follows_from_the_site(shell: Shell, people: People) -> None:
    await people.tenant_id("b")
    assert "say which by --tenant" in shell.run("site", "list").stderr
    shell.ok("site", "create", "--tenant", "b", "--code", "bx-1", "--name", "B")
    shell.ok("site", "create", "--tenant", str(await people.tenant_id("a")), "--code", "ax-1", "--name", "A")
    assert [site["code"] for site in shell.ok("site", "list", "--tenant", "b")["sites"]] == ["bx-1"]
    shell.ok("zone", "create", "--site", "ax-1", "--code", "Z")
    assert len(shell.ok("zone", "list", "--tenant", "a")["zones"]) == 1
    assert shell.ok("zone", "list", "--tenant", "b")["zones"] == []
