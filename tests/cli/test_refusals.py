"""Bad settings and bad circumstances: one clear sentence and a non-zero code, never a trace."""

import json
import os
import pwd
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hashinsight.kit.embedded.account import service_account
from hashinsight.kit.embedded.binaries import locate
from tests.forked_cli import hashinsight
from tests.installation import Installation, environment, free_port, new_folder
from tests.installation import hashinsight as started
from tests.stories.test_up import ordinary_user


@pytest.fixture
def place() -> Iterator[Path]:
    with new_folder() as folder:
        yield folder


def refused(result: subprocess.CompletedProcess[str], *words: str) -> None:
    lines = result.stderr.strip().splitlines()
    messages = [line for line in lines if line.startswith("hashinsight: ")]
    assert result.returncode == 78, result
    assert len(messages) == 1, result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    for word in words:
        assert word in messages[0]
    assert messages[0].endswith((".", "?"))


COMMANDS = ("up", "serve", "worker", "scheduler", "migrate", "doctor")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_variable_with_our_prefix(place: Path, command: str) -> None:
    refused(started(command, data_dir=place, databse_url="x"), "HASHINSIGHT_DATABSE_URL", "did you mean")


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "doctor"])
def test_a_database_that_cannot_be_reached(place: Path, command: str) -> None:
    url = f"postgresql://me:CANARY@127.0.0.1:{free_port()}/hi"
    result = hashinsight(command, data_dir=place, port=free_port(), disk_reserve_mb=1, database_url=url)
    refused(result, "cannot be reached", "127.0.0.1")
    assert "CANARY" not in result.stderr + result.stdout


def test_doctor_prints_every_complaint_as_a_finding(place: Path) -> None:
    url = f"postgresql://me:CANARY@127.0.0.1:{free_port()}/hi"
    result = hashinsight("doctor", "--json", data_dir=place, database_url=url, redis_url="redis://127.0.0.1:1")
    assert result.returncode == 1
    states = {finding["part"]: finding["state"] for finding in json.loads(result.stdout)["findings"]}
    assert states["database"] == "wrong"
    assert "redis" not in states, "without a database nothing else is worth looking at"
    assert "CANARY" not in result.stdout + result.stderr


def test_no_database_running_and_none_named(place: Path) -> None:
    for command in ("serve", "worker", "scheduler"):
        refused(hashinsight(command, data_dir=place), "is not running", "hashinsight up")


def test_a_port_that_is_taken(place: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused(hashinsight("up", data_dir=place, port=port, disk_reserve_mb=1), str(port), "HASHINSIGHT_PORT")
    assert not (place / "postgres").exists(), "it was refused before anything was made"


@pytest.mark.parametrize("command", ["up", "serve", "worker", "scheduler", "migrate"])
def test_a_data_folder_that_cannot_be_written_to(place: Path, command: str) -> None:
    place.chmod(0o555)
    result = started(command, data_dir=place / "inner", disk_reserve_mb=1, prefix=ordinary_user())
    refused(result, "cannot be used", "HASHINSIGHT_DATA_DIR")


def test_a_data_folder_that_is_a_file(place: Path) -> None:
    (place / "file").touch()
    refused(hashinsight("up", data_dir=place / "file", disk_reserve_mb=1), "cannot be used")


def test_a_folder_with_other_things_in_it_is_left_alone(place: Path) -> None:
    (place / "somebodys-file").touch()
    place.chmod(0o777)
    refused(
        hashinsight("up", data_dir=place, port=free_port(), disk_reserve_mb=1),
        "is not a HashInsight data folder",
        "somebodys",
    )
    assert place.stat().st_mode & 0o777 == 0o777
    assert [file.name for file in place.iterdir()] == ["somebodys-file"]


def test_a_database_that_another_user_made_is_left_alone(place: Path) -> None:
    (place / "version.json").write_text('{"layout": 1}')
    (place / "postgres").mkdir()
    (place / "postgres" / "PG_VERSION").write_text("18\n")
    mine = hashinsight("migrate", data_dir=place, disk_reserve_mb=1)
    if os.geteuid() == 0:  # the folder is root's, and the database would run as the service user
        refused(mine, "belongs to the user root", "hashinsight")
        assert (place / "postgres").stat().st_uid == 0
    else:
        assert "belongs to" not in mine.stderr


def test_a_postgres_folder_without_a_database_is_not_replaced(place: Path) -> None:
    (place / "version.json").write_text('{"layout": 1}')
    (place / "postgres").mkdir()
    service_account("hashinsight").own(place / "postgres")
    refused(hashinsight("migrate", data_dir=place, disk_reserve_mb=1), "holds no database")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("database_url", "postgresql://u:pCANARY/x@h:port/d"),
        ("database_url", "postgresql://u@h:70000/d"),
        ("read_database_url", "postgresql://u:CANARY@h:12x/d"),
        ("redis_url", "redis://:paCANARY/ss@host"),
        ("redis_url", "redis://"),
    ],
)
@pytest.mark.parametrize("command", ["up", "doctor"])
def test_an_address_that_cannot_be_read(place: Path, command: str, name: str, value: str) -> None:
    chosen: dict[str, Any] = {name: value}
    result = hashinsight(command, data_dir=place, disk_reserve_mb=1, **chosen)
    refused(result, f"HASHINSIGHT_{name.upper()}")
    assert "CANARY" not in result.stderr + result.stdout


def test_a_host_that_is_not_this_machines(place: Path) -> None:
    result = hashinsight("up", data_dir=place, disk_reserve_mb=1, host="192.0.2.7", port=free_port())
    refused(result, "192.0.2.7", "HASHINSIGHT_HOST")


@pytest.mark.parametrize("command", ["up", "migrate"])
def test_a_disk_that_is_full(place: Path, command: str) -> None:
    result = hashinsight(command, data_dir=place, disk_reserve_mb=10**10)
    refused(result, "nearly full", "HASHINSIGHT_DATA_DIR")
    assert list(place.iterdir()) in ([], [place / "metrics"])


@pytest.mark.parametrize("command", ["up", "migrate"])
def test_a_data_folder_of_another_postgresql(place: Path, command: str) -> None:
    (place / "version.json").write_text('{"layout": 1}')
    (place / "postgres").mkdir()
    service_account("hashinsight").own(place / "postgres")
    (place / "postgres" / "PG_VERSION").write_text("16\n")
    refused(hashinsight(command, data_dir=place, disk_reserve_mb=1), "PostgreSQL 16", "PostgreSQL 18")


@pytest.mark.parametrize(
    ("content", "message"), [('{"layout": 99}', "another version"), ("not json", "does not hold a version")]
)
def test_a_data_folder_of_another_version_of_ours(place: Path, content: str, message: str) -> None:
    (place / "version.json").write_text(content)
    refused(hashinsight("up", data_dir=place, disk_reserve_mb=1), message, "HASHINSIGHT_DATA_DIR")


def test_a_service_user_that_is_root_itself(place: Path) -> None:
    if os.geteuid() == 0:
        refused(hashinsight("up", data_dir=place, service_user="root", disk_reserve_mb=1), "which is root")
    else:
        assert service_account("root").uid == os.geteuid(), "an ordinary user stays who he is"


def test_a_folder_that_the_service_user_cannot_reach(place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    result = hashinsight("migrate", data_dir=closed / "data", disk_reserve_mb=1)
    if os.geteuid() == 0:
        refused(result, "cannot access", "/var/lib/hashinsight")
    else:
        assert result.returncode == 0


class Foreign:
    """A PostgreSQL as an operator has one: on a port, with passwords. Started with the wheel's own programs."""

    def __init__(self, place: Path) -> None:
        self.port = free_port()
        account = service_account("hashinsight")
        self._bin = locate(account, place).postgres_bin
        self._data = place / "foreign"
        self._data.mkdir()
        account.own(self._data)
        place.chmod(0o711)
        self._prefix = (
            () if os.geteuid() else ("setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups")
        )
        password = self._data.parent / "password"
        password.write_text("right")
        password.chmod(0o644)
        self._run(
            "initdb",
            "-D",
            str(self._data),
            "-U",
            "root",
            "-A",
            "scram-sha-256",
            "--pwfile",
            str(password),
            "-N",
            "-E",
            "UTF8",
        )
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories= -c fsync=off"
        self._run("pg_ctl", "-D", str(self._data), "-w", "-l", str(self._data / "log"), "-o", options, "start")

    def url(self, user: str = "root", *, password: str = "right", database: str = "postgres") -> str:  # noqa: S107
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._prefix, str(self._bin / program), *arguments]
        subprocess.run(
            command, check=True, capture_output=True, cwd=self._data, env={"LC_ALL": "C", "PATH": os.environ["PATH"]}
        )


@pytest.fixture
def foreign(place: Path) -> Iterator[Foreign]:
    server = Foreign(place)
    yield server
    server.stop()


def test_on_a_server_of_ones_own(place: Path, foreign: Foreign) -> None:
    """Wrong password, missing database, an account without rights; then a plain account that owns its database."""
    import psycopg

    mine: dict[str, Any] = {"data_dir": place / "mine", "port": free_port(), "disk_reserve_mb": 1}
    wrong = hashinsight("migrate", **mine, database_url=foreign.url(password="CANARY"))
    refused(wrong, "refuses the password", "HASHINSIGHT_DATABASE_URL")
    assert "CANARY" not in wrong.stderr
    refused(hashinsight("migrate", **mine, database_url=foreign.url(database="nope")), "does not exist")
    with psycopg.connect(foreign.url(), autocommit=True) as connection:
        connection.execute("create role plain login password 'right'")
        connection.execute("create role keeper login createrole password 'right'")
        connection.execute("create database hi owner keeper")
        connection.execute("create database ascii owner keeper encoding 'SQL_ASCII' template template0")
        connection.execute("create table untouched (x int)")
    refused(hashinsight("migrate", **mine, database_url=foreign.url("plain", database="hi")), "cannot create the roles")
    refused(hashinsight("migrate", **mine, database_url=foreign.url("keeper", database="ascii")), "SQL_ASCII", "UTF8")
    refused(hashinsight("serve", **mine, database_url=foreign.url("keeper", database="hi")), "hashinsight migrate")

    url = foreign.url("keeper", database="hi")
    for _ in range(2):
        done = hashinsight("migrate", **mine, database_url=url)
        assert done.returncode == 0, done.stderr
    with Installation(place / "mine", database_url=url) as up:
        up.wait_ready()
        assert up.get("/readyz").json()["status"] == "ready"
        assert not (place / "mine" / "postgres").exists(), "the embedded server stayed away"
        names = {process.name() for process in up.tree()}
        assert "postgres" not in names
        assert "valkey-server" in names
    with psycopg.connect(foreign.url()) as connection:
        tables = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
    assert tables == [("untouched",)], "nothing outside our own database was touched"


def test_the_shell_of_the_command_line_starts_without_the_servers_packages() -> None:
    """The base install is typer and rich; a finder that denies the rest stands in for its absence."""
    program = """
import sys
class Deny:
    names = {
        'sqlalchemy', 'fastapi', 'pydantic_settings', 'psycopg', 'redis', 'rq', 'polars', 'numpy', 'structlog',
        'alembic', 'uvicorn', 'psutil',
    }
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in self.names:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Deny())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in Deny.names else real(name, package)
sys.argv = ['hashinsight', *sys.argv[1:]]
from hashinsight.__main__ import main
main()
"""
    run = [sys.executable, "-c", program]
    shown = subprocess.run([*run, "--help"], capture_output=True, text=True, check=False, env=environment())
    assert shown.returncode == 0, shown.stderr
    assert "doctor" in shown.stdout
    denied = subprocess.run([*run, "up"], capture_output=True, text=True, check=False, env=environment())
    refused(denied, "hashinsight[server]")


def test_the_service_user_is_an_ordinary_one() -> None:
    account = service_account("hashinsight")
    assert account.uid != 0
    assert pwd.getpwuid(account.uid).pw_name == account.name


def test_a_command_on_an_empty_folder_fails_and_creates_nothing(place: Path) -> None:
    nowhere = place / "nothing-here"
    refused(hashinsight("problem", "list", data_dir=nowhere, port=1), "no installation in", str(nowhere))
    assert not nowhere.exists()
