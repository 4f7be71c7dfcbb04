"""What the line does: bad clients, many clients, and machines that cannot be reached."""

import json
import os
import resource
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hashinsight.sim.sockets import listeners
from hashinsight.sim.sockets.nets import CannotRun, address_of, claim, read_net
from tests.installation import HANG_TIMEOUT_SEC, wait_for
from tests.sim.sockets.manual_driver import ManualDriver, ask, on_sockets, send


@pytest.fixture
def lone() -> Iterator[tuple[ManualDriver, str]]:
    with on_sockets([("Antminer S19j Pro", "LuxOS 2024.5.1")] * 2) as (driver, net):
        yield driver, address_of(net, 0)


def test_a_request_in_pieces_is_answered_when_it_is_whole(lone: tuple[ManualDriver, str]) -> None:
    with socket.create_connection((lone[1], 4028), timeout=HANG_TIMEOUT_SEC) as line:
        for piece in (b'{"comm', b'and":"sum', b'mary"}'):
            line.sendall(piece)
        assert b'"SUMMARY"' in line.recv(65_536)


def test_a_request_that_is_too_long_is_refused_and_the_line_closed(lone: tuple[ManualDriver, str]) -> None:
    with socket.create_connection((lone[1], 4028), timeout=HANG_TIMEOUT_SEC) as line:
        received = b""
        try:
            line.sendall(b'{"command":"' + b"x" * 200_000)
            while part := line.recv(65_536):
                received += part
        except ConnectionError:
            pass  # it was closed while we still spoke
    assert received == b"" or json.loads(received[:-1])["STATUS"][0]["STATUS"] == "E"
    assert ask(lone[1], "summary")["SUMMARY"]


def test_silent_and_half_sent_requests_are_closed_at_the_deadline(
    lone: tuple[ManualDriver, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "DEADLINE_SEC", 0.2)
    with socket.create_connection((lone[1], 4028), timeout=HANG_TIMEOUT_SEC) as line:
        assert line.recv(10) == b""
    assert b"Invalid JSON" in send(lone[1], b'{"command":"summ')


def test_a_request_is_processed_although_the_client_hangs_up(lone: tuple[ManualDriver, str]) -> None:
    with socket.create_connection((lone[1], 4028), timeout=HANG_TIMEOUT_SEC) as line:
        line.sendall(b'{"command":"summary"')
        line.shutdown(socket.SHUT_WR)
        assert b"Invalid JSON" in line.recv(65_536)


def test_many_clients_at_once_are_all_answered(lone: tuple[ManualDriver, str]) -> None:
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: ask(lone[1], "stats"), range(300)))
    assert all(answer["STATS"][1]["Elapsed"] == 86_400 for answer in answers)


def test_answers_change_with_the_step_and_not_before(lone: tuple[ManualDriver, str]) -> None:
    driver, where = lone
    assert ask(where, "power")["POWER"][0]["Watts"] == 3050
    driver.show(driver.shown, power_w=driver.shown.power_w * 0.1)
    assert ask(where, "power")["POWER"][0]["Watts"] == 305


def test_connections_to_a_machine_behind_a_dead_switch_hang_and_come_back_with_it() -> None:
    with on_sockets([("Antminer S19j Pro", "LuxOS 2024.5.1")] * 2) as (driver, net):
        where, other = address_of(net, 0), address_of(net, 1)
        driver.reach(np.array([False, True]))
        with pytest.raises(TimeoutError):
            socket.create_connection((where, 4028), timeout=1)
        assert ask(other, "summary")["SUMMARY"]
        driver.reach(np.array([True, True]))
        wait_for(lambda: bool(ask(where, "summary")["SUMMARY"]), "the machine")


def test_a_machine_is_cut_off_and_comes_back_also_while_no_file_is_left() -> None:
    with on_sockets([("Antminer S19j Pro", "LuxOS 2024.5.1")] * 2) as (driver, net):
        free = os.dup(0)
        os.close(free)
        usual = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, usual[1]))
        try:
            driver.reach(np.array([False, True]))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        assert ask(address_of(net, 1), "summary")["SUMMARY"]
        driver.reach(np.array([True, True]))
        assert ask(address_of(net, 0), "summary")["SUMMARY"]


def test_a_net_is_held_by_one_simulator_alone_and_free_when_it_ends() -> None:
    net, held = claim(11)  # of those that nobody gets by itself: it is let go in between
    with pytest.raises(CannotRun, match=f"127.{net} is used by another running simulator"):
        claim(net)
    other, also_held = claim(None)
    assert other != net
    held.close()
    again, held_again = claim(net)
    assert again == net
    held_again.close()
    also_held.close()


@pytest.mark.parametrize(("text", "net"), [("127.20", 20), ("20", 20), ("127.20.0.0/16", 20)])
def test_a_net_has_several_notations(text: str, net: int) -> None:
    assert read_net(text) == net


@pytest.mark.parametrize("text", ["127.0", "127.255", "10.1", "1.2.3.4", "x", "", "127.16.0.1", "256"])
def test_a_net_beyond_the_simulators_part_of_loopback_is_refused(text: str) -> None:
    with pytest.raises(CannotRun, match="is not a simulator network"):
        read_net(text)
