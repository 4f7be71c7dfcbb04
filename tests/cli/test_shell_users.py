"""Commands are logged with the user of the host, and a role is not given without a scope by mistake."""

import os
import pwd
import socket
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hashinsight.cli.context import shell_user
from hashinsight.kit.db.address import DatabaseAddress
from tests.forked_cli import hashinsight
from tests.people import People

PHRASE = "a phrase for the shift\n"
ME = pwd.getpwuid(os.getuid()).pw_name


class Installation:
    def __init__(self, address: DatabaseAddress, folder: Path, superuser_url: str) -> None:
        self._place = {"database_url": address.url, "data_dir": folder}
        self._url = superuser_url

    def run(self, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return hashinsight(*arguments, stdin=text, **self._place)

    def ok(self, *arguments: str, text: str = "") -> str:
        done = self.run(*arguments, text=text)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._url) as connection:
            return connection.execute(query.encode()).fetchall()


@pytest.fixture
async def installation(
    address: DatabaseAddress, tmp_path: Path, people: People, superuser_url: str, monkeypatch: pytest.MonkeyPatch
) -> Installation:
    monkeypatch.delenv("SUDO_USER", raising=False)
    await people.tenant_id("a")
    made = Installation(address, tmp_path, superuser_url)
    made.ok("site", "create", "--code", "tx-1", "--name", "Texas")
    return made


def test_an_act_is_recorded_with_the_user_of_the_operating_system_and_the_host(installation: Installation) -> None:
    installation.ok("collector", "create", "--site", "tx-1", "--name", "north")
    for action in ("site_created", "collector_created"):
        query = f"select actor_kind, actor_id, address from audit_log where action = '{action}'"
        assert installation.rows(query) == [("system", f"os:{ME}", socket.gethostname())], action


def test_a_sudo_user_is_named_and_a_nameless_user_is_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setenv("SUDO_USER", "alice")
    assert shell_user().id == "os:alice"
    monkeypatch.setattr(os, "getuid", lambda: 4_000_123)
    assert shell_user().id == "os:4000123"


def test_a_customer_without_a_site_needs_the_whole_tenant_option(installation: Installation) -> None:
    words = ("user", "create", "--email", "c@example.com", "--role", "Customer")
    refused = installation.run(*words, text=PHRASE)
    assert refused.returncode == 78
    assert "--site CODE, or pass --whole-tenant" in refused.stderr
    assert installation.rows("select count(*) from users where email = 'c@example.com'") == [(0,)]
    assert installation.run("key", "create", "--name", "k", "--role", "Customer").returncode == 78
    installation.ok(*words, "--site", "tx-1", text=PHRASE)
    again = ("grant", "create", "--email", "c@example.com", "--role", "Customer")
    assert installation.run(*again).returncode == 78
    both = installation.run(*again, "--site", "tx-1", "--whole-tenant")
    assert (both.returncode, "cannot be combined with --site" in both.stderr) == (78, True)
    installation.ok(*again, "--whole-tenant")


def test_the_list_of_grants_shows_the_scope_of_each(installation: Installation) -> None:
    installation.ok("user", "create", "--email", "c@example.com", "--role", "Customer", "--site", "tx-1", text=PHRASE)
    installation.ok("grant", "create", "--email", "c@example.com", "--role", "NOC")
    head, *rows = installation.ok("grant", "list", "--email", "c@example.com").splitlines()
    assert head.split() == ["id", "role", "covers"]
    assert sorted(row.split()[1:] for row in rows) == [["Customer", "sites", "tx-1"], ["NOC", "whole", "tenant"]]


def test_a_group_by_filter_is_of_the_site_that_is_named(installation: Installation, tmp_path: Path) -> None:
    installation.ok("site", "create", "--code", "tx-2", "--name", "Texas two")
    for site, machine in (("tx-1", "m1"), ("tx-2", "m2")):
        (tmp_path / "list.csv").write_text(f"miner_id,model\n{machine},S19\n")
        installation.ok("miner", "import", "--site", site, str(tmp_path / "list.csv"))
    words = ("group", "create", "--name", "g", "--filter", '{"model": "S19"}')
    assert '"members": 1' in installation.ok(*words, "--site", "tx-1", "--json")
    other = installation.run(
        "group", "create", "--name", "h", "--site", "tx-1", "--filter", '{"model": "S19", "site_id": "tx-2"}'
    )
    assert other.returncode == 78
    assert "site_id is tx-1 but filter.site_id is tx-2" in other.stderr
