"""`doctor` against servers that cannot be used."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from hashinsight.kit.db.address import address_of_socket
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.ids import new_id
from hashinsight.kit.settings import Settings
from tests.forked_cli import hashinsight
from tests.installation import new_folder


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + (len(body) + 4).to_bytes(4, "big") + body


@contextmanager
def server_of_version(version: str) -> Iterator[int]:
    """Takes every login as a PostgreSQL of this version does, and answers nothing else."""
    hello = (
        _message(b"R", (0).to_bytes(4, "big"))
        + _message(b"S", b"server_version\0" + version.encode() + b"\0")
        + _message(b"S", b"client_encoding\0UTF8\0")
        + _message(b"Z", b"I")
    )

    def serve(listening: socket.socket) -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:  # closed: the test is over
                return
            with line:
                if line.recv(4096)[4:8] == b"\x04\xd2\x16\x2f":  # may it be encrypted? no
                    line.sendall(b"N")
                    line.recv(4096)
                line.sendall(hello)
                line.recv(4096)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def test_doctor_refuses_a_server_that_up_refuses() -> None:
    with new_folder() as place, server_of_version("15.8") as port:
        url = f"postgresql://u@127.0.0.1:{port}/hashinsight"
        result = hashinsight("doctor", "--json", data_dir=place, database_url=url)
    finding = next(finding for finding in json.loads(result.stdout)["findings"] if finding["part"] == "database")
    assert finding["state"] == "wrong"
    assert "PostgreSQL 15" in finding["message"]
    assert "16 or newer" in finding["message"]
    assert result.returncode == 1


def test_doctor_refuses_a_database_in_another_encoding_as_up_does(
    admin: psycopg.Connection, folder: DataFolder, settings: Settings
) -> None:
    name = f"latin_{new_id().hex}"
    admin.execute(f"create database {name} encoding 'LATIN1' locale_provider libc locale 'C' template template0")
    try:
        url = address_of_socket(folder.sockets, name, "postgres").url
        result = hashinsight("doctor", "--json", data_dir=settings.data_dir, database_url=url)
        refused = hashinsight("migrate", data_dir=settings.data_dir, database_url=url)
    finally:
        admin.execute(f"drop database {name}")
    finding = next(finding for finding in json.loads(result.stdout)["findings"] if finding["part"] == "database")
    assert (finding["state"], result.returncode) == ("wrong", 1)
    assert "the database encoding is LATIN1" in finding["message"]
    assert finding["message"] in refused.stderr


def test_the_page_about_own_servers_makes_every_role_that_the_program_takes() -> None:
    from hashinsight.kit.db.context import Role

    page = (Path(__file__).parents[2] / "docs" / "operations" / "own-servers.md").read_text()
    made = next(line for line in page.splitlines() if line.startswith("create role hi_owner"))
    granted = next(line for line in page.splitlines() if line.startswith("grant hi_owner"))
    for role in Role:
        assert f"| `{role.value}` |" in page
        assert f"create role {role.value} nologin;" in made
        assert role.value in granted


def test_doctor_does_not_promise_a_risk_model_that_is_not_there() -> None:
    from hashinsight.cli.doctor import State, _gomp

    finding = _gomp()
    assert finding.state is State.OK
    assert "which this version does not have yet" in finding.message
