"""A running installation: its processes and files, its metrics, doctor, and a second installation beside it."""

import json
import os
import pwd
import time
from collections.abc import Iterator

import psycopg
import pytest

from tests.installation import Installation, hashinsight, new_folder, wait_for


@pytest.fixture(scope="module")
def up() -> Iterator[Installation]:
    with new_folder() as place, Installation(place, api_processes=3, log_level="DEBUG") as installation:
        yield installation.wait_ready()


def test_as_root_the_servers_run_as_the_service_user_and_nobody_else_can_enter(up: Installation) -> None:
    place = up.folder.path
    for word in ("postgres", "valkey-server"):
        assert up.child(word).uids().real == (pwd.getpwnam("hashinsight").pw_uid if os.geteuid() == 0 else os.geteuid())
    for inner in ("postgres", "sockets", "logs/postgres"):
        assert (place / inner).stat().st_mode & 0o077 == 0
    for ours in ("logs", "config"):  # the servers pass through and cannot write there
        assert (place / ours).stat().st_uid == os.geteuid()
        assert (place / ours).stat().st_mode & 0o027 == 0
    assert place.stat().st_mode & 0o007 == 0
    listening = [c for p in (up.child("postgres"), up.child("valkey-server")) for c in p.net_connections("inet")]
    assert not listening, "the servers listen on no port"


def test_the_ticks_run_and_doctor_finds_nothing_wrong(up: Installation) -> None:
    def pulse_done() -> bool:
        return 'hashinsight_tick_last_done_timestamp_seconds{tick="pulse"}' in up.get("/metrics").text

    wait_for(pulse_done, "the first pulse")
    healthy = hashinsight("doctor", "--json", data_dir=up.folder.path, port=up.port)
    report = json.loads(healthy.stdout)
    assert healthy.returncode == 0, report
    assert report["ok"] is True
    assert {"data folder", "disk", "redis", "database", "schema", "clock", "tick pulse"} <= {
        finding["part"] for finding in report["findings"]
    }


def test_several_api_processes_share_the_port_and_their_metrics_add_up(up: Installation) -> None:
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


def test_another_installation_runs_beside_it_and_its_own_folder_holds_no_second_one(up: Installation) -> None:
    with new_folder() as place:
        with Installation(place) as other:
            other.wait_ready()
            for installation, name in ((up, "one"), (other, "two")):
                with psycopg.connect(installation.superuser_url) as connection:
                    connection.execute("create table notes as select %s::text as value", [name])
            with psycopg.connect(up.superuser_url) as connection:
                assert connection.execute("select value from notes").fetchall() == [("one",)]
            third = hashinsight("up", data_dir=up.folder.path, port=1)
            assert third.returncode == 78
            assert f"process {up.process.pid}" in third.stderr
            assert up.get("/readyz").status_code == 200
        stopped = hashinsight("doctor", data_dir=place, port=other.port)
    assert stopped.returncode == 1
    assert "is not running" in " ".join(stopped.stdout.split())


@pytest.mark.parametrize("word", ["postgres", "valkey-server"])
def test_readiness_reports_a_frozen_server_within_seconds_and_its_return(up: Installation, word: str) -> None:
    server = up.child(word)
    family = [server, *server.children(recursive=True)]
    for process in family:
        process.suspend()
    try:
        began = time.monotonic()
        ready, metrics = up.get("/readyz"), up.get("/metrics")
        took_sec = time.monotonic() - began
    finally:
        for process in reversed(family):
            process.resume()
    state = {"postgres": (503, "not_ready"), "valkey-server": (200, "degraded")}[word]
    assert (ready.status_code, ready.json()["status"]) == state
    assert metrics.status_code == 200
    assert f"hashinsight_database_up {float(word != 'postgres')}" in metrics.text
    assert took_sec < 9, "3 s each, and what a busy machine adds"
    wait_for(lambda: up.get("/readyz").json()["status"] == "ready", "all parts")
