"""`hashinsight sim`: real simulators as child processes, on loopback alone, each in its own net."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest

from hashinsight.sim.control.client import NotAnswered
from hashinsight.sim.sockets.nets import CONTROL_PORT, claim
from tests.forked_cli import hashinsight
from tests.installation import HANG_TIMEOUT_SEC, environment, wait_for
from tests.installation import hashinsight as started
from tests.sim.simulator_process import SCENARIO, Sim, sim_running
from tests.sim.sockets.manual_driver import ask

LUX, WHATS, AVALON = 0, 3, 6


@pytest.fixture(scope="module")
def sim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sim]:
    with sim_running(tmp_path_factory.mktemp("sim"), "--speed", "3600") as running:
        yield running


def refused(done: "subprocess.CompletedProcess[str]", words: str) -> None:
    assert done.returncode == 78, done
    (line,) = [line for line in done.stderr.splitlines() if line]
    assert line.startswith("hashinsight: ")
    assert words in line
    assert line.endswith(".")
    assert "Traceback" not in done.stderr


def test_the_address_is_printed_once_everything_listens(sim: Sim) -> None:
    assert sim.ready["machines"] == 9
    assert (sim.ready["first"], sim.ready["last"]) == (sim.address(0), sim.address(8))
    assert ask(sim.address(8), "version")["VERSION"][0]["MODEL"] == "1366"


def test_nothing_listens_beyond_loopback(sim: Sim) -> None:
    listening = psutil.Process(sim.process.pid).net_connections()
    addresses = {
        (connection.laddr.ip, connection.laddr.port)
        for connection in listening
        if connection.status == psutil.CONN_LISTEN
    }
    machines = {(sim.address(no), 4028) for no in range(9)}
    assert addresses == machines | {(f"{sim.net}.255.254", CONTROL_PORT)}


def test_a_net_that_is_handed_over_is_its_own_from_before_its_start_to_after_its_end(tmp_path: Path) -> None:
    net, held = claim(None)
    fd = held.fileno()
    for _ in range(2):
        with sim_running(tmp_path, "--fd", str(fd), holding=(fd,)) as simulator:
            assert simulator.net == f"127.{net}"
            assert simulator.control("status")["machines"] == 9
        other, also_held = claim(None)
        also_held.close()
        assert other != net, "between two lives nobody else gets it"
    held.close()


def test_two_simulators_side_by_side_do_not_meet(sim: Sim, tmp_path: Path) -> None:
    with sim_running(tmp_path) as other:
        assert other.net != sim.net
        assert other.control("act", act="pause", machine="1")[0]["done"] is True
        wait_for(lambda: other.machine(1)["state"] == "stopped", "the pause")
        assert sim.machine(1)["state"] == "hashing"
        refused(hashinsight("sim", "status"), "choose one with --net")
        refused(hashinsight("sim", "run", "quiet", "--net", other.net), "is used by another running simulator")


def test_a_plain_client_pauses_and_resumes_a_machine_and_its_power_follows(sim: Sim) -> None:
    where = sim.address(LUX)

    def watts() -> int:
        return int(ask(where, "power")["POWER"][0]["Watts"])

    def curtail(mode: str) -> str:
        session = ask(where, "logon")["SESSION"][0]["SessionID"]
        status = ask(where, "curtail", f"{session},{mode}")["STATUS"][0]["STATUS"]
        ask(where, "logoff", session)
        return str(status)

    assert watts() > 2000
    assert curtail("sleep") == "S"
    wait_for(lambda: watts() < 300, "the power to fall")
    assert ask(where, "summary")["SUMMARY"][0]["GHS 5s"] == 0
    assert curtail("wakeup") == "S"
    wait_for(lambda: watts() > 2000, "the power to come back")


def test_a_fault_is_injected_shows_on_the_sockets_and_is_ended(sim: Sim) -> None:
    (made,) = sim.ask("inject", "hashboard_lost", "--machine", sim.address(4))
    assert (made["kind"], made["scope"], made["open"]) == ("hashboard_lost", "machine:north-00005", True)
    where = sim.address(4)
    wait_for(lambda: 0 in [device["Effective Chips"] for device in ask(where, "edevs")["DEVS"]], "the lost board")
    assert made["no"] in [episode["no"] for episode in sim.ask("episodes", "--open")]
    sim.ask("end", str(made["no"]))
    assert made["no"] not in [episode["no"] for episode in sim.control("episodes", open=True)]
    with pytest.raises(NotAnswered, match="no open episode"):
        sim.control("end", episode=made["no"])


def test_machines_behind_a_dead_switch_cannot_be_connected_to_until_it_is_back(sim: Sim) -> None:
    (made,) = sim.ask("inject", "switch_outage", "--switch", "sw-03")
    assert made["members"] == 3
    wait_for(lambda: sim.machine(AVALON)["state"] == "unreachable", "the outage")
    with pytest.raises(TimeoutError):
        socket.create_connection((sim.address(AVALON), 4028), timeout=0.7)
    assert ask(sim.address(LUX), "summary")["SUMMARY"]
    refusal = sim.ask("act", "pause", "--machine", str(AVALON))[0]
    assert refusal["refused"] == "machine is not responding"
    sim.control("end", episode=made["no"])
    wait_for(lambda: sim.machine(AVALON)["state"] == "hashing", "the switch to be back")
    assert ask(sim.address(AVALON), "summary")["SUMMARY"]


def test_orders_show_the_settings_of_a_machine_without_passwords(sim: Sim) -> None:
    where, named = sim.address(AVALON + 1), str(AVALON + 1)
    ask(where, "ascset", "0,workmode,set,0")
    ask(where, "setpool", "root,root,0,stratum+tcp://new.example:1,me,secret")
    mode, pool = sim.control("orders", machine=named)
    assert (mode["act"], mode["given"]) == ("mode", {"mode": "eco"})
    assert pool["given"]["pools"][0] == {"url": "stratum+tcp://new.example:1", "user": "me"}
    _, mode_row, pool_row = sim.said("orders", "--machine", named).stdout.splitlines()
    assert mode_row.split()[-3:] == ["north-00008", "mode", "eco"]
    assert "north-00008  pool stratum+tcp://new.example:1 as me" in pool_row
    assert "secret" not in sim.said("orders", "--json").stdout


def test_episode_states_are_explained_above_the_list_and_in_the_help(sim: Sim) -> None:
    sim.control("inject", kind="pool_rejects", machine="5", for_sec=60)
    head, *rows = sim.said("episodes").stdout.splitlines()
    written = " ".join(sim.said("episodes", "--help").stdout.replace("│", " ").split())
    for words in (head, written):
        for meaning in ("warns`?: first signs", "open`?: active", "over`?: ended"):
            assert re.search(meaning, words), (meaning, words)
    assert rows
    assert all(row.endswith(("(warns)", "(open)", "(over)")) for row in rows)


@pytest.mark.parametrize(
    ("verb", "given", "words"),
    [
        ("inject", {"kind": "nonsense", "count": 1}, "unknown fault nonsense"),
        ("inject", {"kind": ["dust"], "count": 1}, "unknown fault"),
        ("inject", {"kind": "dust"}, "choose machines by"),
        ("inject", {"kind": "dust", "machine": "nobody"}, "unknown machine nobody"),
        ("inject", {"kind": "dust", "zone": "nowhere"}, "no machine matches zone nowhere"),
        ("inject", {"kind": "dust", "count": 1, "severity": 7}, "severity"),
        ("inject", {"kind": "dust", "count": 1, "severity": "much"}, "severity"),
        ("inject", {"kind": "dust", "count": 1, "for_sec": -5}, "for_sec"),
        ("inject", {"kind": "dust", "count": 1, "severity": True}, "severity"),
        ("inject", {"kind": "dust", "count": 1, "severity": float("nan")}, "severity"),
        ("inject", {"kind": "dust", "count": 1, "for_sec": float("nan")}, "for_sec"),
        ("inject", {"kind": "dust", "count": 1, "for_sec": float("inf")}, "for_sec"),
        ("inject", {"kind": "dust", "count": 1, "for_sec": 10**400}, "for_sec"),
        ("inject", {"kind": "dust", "count": "many"}, "count must be a whole number"),
        ("inject", {"kind": "dust", "count": 0}, "count must be at least 1"),
        ("end", {"episode": 99_999}, "no open episode 99999"),
        ("end", {"episode": "first"}, "episode must be a whole number"),
        ("act", {"act": "dance", "count": 1}, "unknown act dance"),
        ("act", {"act": "mode", "mode": "warp", "count": 1}, "eco, normal, perf"),
        ("act", {"act": "power-limit", "count": 1}, "watts"),
        ("act", {"act": "power-limit", "count": 1, "watts": 10**400}, "watts"),
        ("act", {"act": "pool", "url": "x", "count": 1}, "url and user"),
    ],
)
def test_an_impossible_order_is_refused_in_one_sentence(sim: Sim, verb: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(NotAnswered, match=words):
        sim.control(verb, **given)


def test_a_machine_that_is_named_twice_is_meant_once(sim: Sim) -> None:
    made = sim.control("inject", kind="pool_rejects", machine=["8", sim.address(8)], for_sec=60)
    assert [injected["scope"] for injected in made] == ["machine:north-00009"]


def test_the_command_line_passes_a_refusal_on(sim: Sim) -> None:
    refused(sim.said("inject", "nonsense", "--count", "1"), "unknown fault nonsense")


@pytest.mark.parametrize(
    "line", [b"GET / HTTP/1.1\r\n", b"[]\n", b'{"verb":5}\n', b'{"verb":"dance"}\n', b"\xff\xfe\n"]
)
def test_a_line_of_another_protocol_ends_the_talk_before_its_next_line(sim: Sim, line: bytes) -> None:
    with socket.create_connection((f"{sim.net}.255.254", CONTROL_PORT), timeout=HANG_TIMEOUT_SEC) as talk:
        talk.sendall(line + b'{"verb":"stop"}\n')
        with talk.makefile("rb") as answers:
            first, *rest = answers.readlines()
    assert json.loads(first)["error"]["code"] == "BAD_REQUEST"
    assert rest == []
    assert sim.control("status")["machines"] == 9


def test_a_line_without_end_is_refused(sim: Sim) -> None:
    with socket.create_connection((f"{sim.net}.255.254", CONTROL_PORT), timeout=HANG_TIMEOUT_SEC) as talk:
        talk.sendall(b"x" * 300_000)
        assert b"BAD_REQUEST" in talk.recv(4096)


def test_answers_are_text_or_json(sim: Sim) -> None:
    assert "9 machines" in sim.said("status").stdout
    assert "Whatsminer M50S" in sim.said("machines", "--machine", str(WHATS)).stdout
    assert sim.ask("kinds")["hashboard_lost"]
    assert "hashboard_lost " in sim.said("kinds").stdout


def test_the_simulator_stops_by_its_control_and_by_ctrl_c(tmp_path: Path) -> None:
    file = tmp_path / "few.toml"
    file.write_text(SCENARIO)
    for end in ("stop", "interrupt"):
        command = [sys.executable, "-m", "hashinsight", "sim", "run", str(file), "--json"]
        with subprocess.Popen(
            command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            net = json.loads(process.stdout.readline())["net"]
            somebody = socket.create_connection((f"{net}.255.254", CONTROL_PORT))  # who still listens is hung up on
            if end == "stop":
                assert hashinsight("sim", "stop", "--net", net).returncode == 0
            else:
                process.send_signal(signal.SIGINT)
            assert process.wait(HANG_TIMEOUT_SEC) == 0
            assert process.stderr.read() == ""
            somebody.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "nowhere"), "there is no scenario nowhere"),
        (("run", "quiet", "--net", "10.0"), "is not a simulator network"),
        (("status", "--net", "127.254"), "no simulator answers on 127.254"),
        (("frames", "quiet", "--out", "x.txt"), ".parquet or .csv"),
        (("frames", "quiet", "--out", "x.csv", "--labels", "./x.csv"), "are the same file"),
        (("frames", "quiet", "--out", "/nowhere/x.csv"), "folder that exists"),
    ],
)
def test_a_start_that_cannot_go_on_is_refused_in_one_sentence(arguments: tuple[str, ...], words: str) -> None:
    refused(hashinsight("sim", *arguments), words)


def test_a_fleet_that_needs_more_open_files_than_allowed_is_refused_with_the_number_that_fits() -> None:
    few = ("sh", "-c", 'ulimit -n 600; exec "$@"', "sh")
    refused(started("sim", "run", "quiet", "--machines", "400", prefix=few), "run at most 100 machines")


def test_a_scenario_with_a_mistake_is_refused_by_its_place(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(SCENARIO.replace("Whatsminer M50S", "Whatsminer M99"))
    refused(hashinsight("sim", "run", str(file)), "M99")


def test_the_library_is_listed() -> None:
    listed = json.loads(started("sim", "scenarios", "--json").stdout)
    assert {"quiet", "ordinary", "demo"} <= set(listed)


def test_frames_and_their_truth_are_written_and_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.parquet", "two.parquet", "one.csv"):
        size = ("--machines", "40", "--days", "1", "--cadence", "300", "--seed", "7", "--json")
        files = ("--out", str(tmp_path / name), "--labels", str(tmp_path / f"truth_{name}"))
        done = hashinsight("sim", "frames", "demo", *size, *files)
        assert done.returncode == 0, done.stderr
    for stem in ("", "truth_"):
        assert (tmp_path / f"{stem}one.parquet").read_bytes() == (tmp_path / f"{stem}two.parquet").read_bytes()
    body = json.loads(done.stdout)
    for read, suffix in ((pl.read_parquet, "parquet"), (pl.read_csv, "csv")):
        assert read(tmp_path / f"one.{suffix}").height == body["rows"] > 10_000
        assert read(tmp_path / f"truth_one.{suffix}").height == body["labels"] > 0
    assert len(list(tmp_path.iterdir())) == 6
