"""The demo of `make up`: simulated machines on sockets, read and commanded by real edges, and gone with the rest."""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg

from tests.installation import HANG_TIMEOUT_SEC, Installation, hashinsight, new_folder, wait_for

MACHINES = 40
ROOT = Path(__file__).parents[2]


def rows(up: Installation, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(up.superuser_url) as connection:
        return connection.execute(query.encode()).fetchall()


def run_json(up: Installation, *words: str) -> Any:
    done = hashinsight(*words, "--json", data_dir=up.folder.path, port=up.port)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def edges(up: Installation) -> dict[str, int]:
    """The process of each site's edge."""
    pids: dict[str, int] = {}
    for process in up.tree():
        with suppress(psutil.Error):
            words = process.cmdline()
            if words[2:5] == ["hashinsight", "edge", "run"]:
                pids[Path(words[-1]).parent.name] = process.pid
    return pids


def test_the_demo_of_make_up_is_read_and_commanded_through_real_edges_and_ends_with_the_rest() -> None:
    assert sys.executable.startswith(str(ROOT)), "the tests run in the environment that make has made"
    with new_folder() as place, Installation(place, command=("make", "up"), demo_miners=MACHINES) as up:
        up.wait_ready()
        assert set(edges(up)) == {"north", "south"}
        wait_for(lambda: rows(up, "select count(distinct miner_no) from telemetry_raw") == [(MACHINES,)], "all of them")
        assert rows(up, "select count(*) from miners") == [(MACHINES,)], "by the names that the inventory has"
        assert {how for (how,) in rows(up, "select distinct extra -> 'raw_data' ->> 'reader' from telemetry_raw")} == {
            "pyasic_rs"
        }
        ask = ("command", "request", "set_power_mode", "--param", "mode=eco", "--reason", "a test")
        command_id = run_json(up, *ask, "--site", "demo-south", "--miner", "south-00001")["commands"][0]["command_id"]
        ended = "select 1 from command_history where event = 'succeeded'"
        killed = edges(up)["north"]
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: edges(up).get("north", killed) != killed, "its edge to be started anew")
        wait_for(lambda: rows(up, ended) == [(1,)], "the command")
        shown = run_json(up, "command", "show", command_id)
        assert (shown["state"], shown["attempts"][0]["snapshot_after"]["mode"]) == ("succeeded", "eco")
        stops = rows(up, "select title, message from collector_events where kind = 'local_protection'")
        assert stops == [], "no sound machine is stopped"
        os.killpg(up.process.pid, signal.SIGINT)
        up.process.wait(HANG_TIMEOUT_SEC)
    assert "stopped\n" in up.output
    assert "Traceback" not in up.output
