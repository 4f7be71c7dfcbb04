"""Limits that hold before anybody knows who calls, tried over real sockets from several addresses of this machine."""

import time
from contextlib import ExitStack, suppress

import pytest

from hashinsight.kit.networks import network_of
from hashinsight.kit.web.protocol import MOST_HEADERS, MOST_URL_BYTES, RequestLimits
from tests.installation import HANG_TIMEOUT_SEC
from tests.kit.web.server import HEAD, answer_on, serving, status_on, told_until, wait_until

QUICK = RequestLimits(head_bytes=16 * 1024, head_seconds=1.5, body_seconds=1.5)


def test_headers_that_never_end_are_refused_after_some_bytes_and_not_collected() -> None:
    with serving() as server, server.call() as line:
        sent, piece = 0, b"a" * 65536
        with suppress(ConnectionError):
            line.sendall(HEAD + b"X-Long: ")
            while sent < 160_000_000:
                line.sendall(piece)
                sent += len(piece)
        assert sent < 20_000_000, "what was in flight when it was refused"
        assert status_on(line) in (431, 0)  # the answer is lost where too much was under way


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (HEAD + b"X-Long: " + b"a" * 20_000 + b"\r\nContent-Length: 0\r\n\r\n", 431),
        (HEAD + b"X-Long: " + b"a" * 12_000 + b"\r\nContent-Length: 0\r\n\r\n", 200),
        (HEAD + b"".join(b"X-%d: y\r\n" % number for number in range(MOST_HEADERS + 1)) + b"\r\n", 431),
        (b"GET /" + b"a" * MOST_URL_BYTES + b" HTTP/1.1\r\nHost: here\r\n\r\n", 414),
        (b"GET /" + b"a" * (MOST_URL_BYTES - 100) + b" HTTP/1.1\r\nHost: here\r\n\r\n", 200),
        (b"\x16\x03\x01 this is TLS\r\n\r\n", 400),
    ],
    ids=["too large", "large", "too many", "long address", "address", "not HTTP"],
)
@pytest.mark.parametrize("step", [100_000, 1000])
def test_a_head_has_its_limits_however_it_is_sent(head: bytes, status: int, step: int) -> None:
    with serving() as server, server.call() as line:
        with suppress(ConnectionError):
            for start in range(0, len(head), step):
                line.sendall(head[start : start + step])
        if status == 200:
            assert told_until(line, b"\r\n").startswith(b"HTTP/1.1 200 OK")
        else:
            assert status_on(line) == status


def test_a_head_that_is_not_whole_in_time_is_answered_408_and_an_empty_line_is_closed() -> None:
    with serving(QUICK) as server, server.call() as half, server.call() as empty, server.call() as junk:
        half.sendall(HEAD)
        junk.sendall(b"\r\n")
        assert status_on(half) == 408
        assert answer_on(empty) == b""
        with pytest.raises(ConnectionError):
            for _ in range(int(HANG_TIMEOUT_SEC * 10)):  # a caller that keeps saying nothing is closed all the same
                junk.sendall(b"\r\n")
                time.sleep(0.1)


def test_a_body_that_comes_byte_by_byte_is_cut_at_the_deadline() -> None:
    with serving(QUICK) as server, server.call() as line:
        line.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        line.settimeout(0.1)
        received, began = b"", time.monotonic()
        with suppress(ConnectionError):
            while not received and time.monotonic() - began < HANG_TIMEOUT_SEC:
                line.sendall(b"x")
                with suppress(TimeoutError):
                    received = line.recv(65536)
        assert received.startswith(b"HTTP/1.1 408")
        assert b"REQUEST_TIMEOUT" in received


def test_a_slow_but_honest_upload_takes_longer_than_the_deadline_and_passes() -> None:
    with serving(QUICK) as server, server.call() as line:
        line.sendall(HEAD + b"Content-Length: 80000\r\n\r\n")
        began = time.monotonic()
        for _ in range(40):  # 2,000 bytes every tenth of a second
            line.sendall(b"x" * 2000)
            time.sleep(0.1)
        assert time.monotonic() - began > 2 * QUICK.body_seconds
        assert line.recv(65536).startswith(b"HTTP/1.1 200 OK")


def test_trailers_are_bounded_and_are_no_headers() -> None:
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
    with serving() as server, server.call() as line, server.call() as endless:
        line.sendall(chunked + b"X-Evil: 1\r\n\r\n")
        assert told_until(line, b"5 host").endswith(b"5 host transfer-encoding")
        sent = 0
        with suppress(ConnectionError):
            endless.sendall(chunked + b"X-Long: ")
            while sent < 100_000_000:
                endless.sendall(b"a" * 65536)
                sent += 65536
        assert sent < 20_000_000


def test_a_body_that_was_answered_before_it_was_whole_does_not_keep_the_line() -> None:
    with serving() as server, server.call() as line:
        line.sendall(b"POST /early HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\nx")
        assert answer_on(line).startswith(b"HTTP/1.1 200 OK")


def test_an_unread_answer_does_not_hold_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hashinsight.kit.web.connection._UNREAD_SECONDS", 0.5)
    with serving() as server, server.call() as line:
        line.sendall(b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n")
        wait_until(lambda: bool(server.state.connections))
        wait_until(lambda: not server.state.connections)


def test_a_slow_but_honest_reader_gets_its_whole_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hashinsight.kit.web.connection._UNREAD_SECONDS", 3.0)
    with serving() as server, server.call() as line:
        line.sendall(b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n")
        received = 0
        while received < 40_000_000:
            read = len(line.recv(1_000_000))
            assert read, received
            received += read
            time.sleep(0.1)


def test_one_address_gets_so_many_connections_and_others_are_answered() -> None:
    with serving(most_of_one=20) as server, ExitStack() as lines:
        for _ in range(20):
            lines.enter_context(server.call()).sendall(HEAD)
        wait_until(lambda: len(server.state.connections) == 20)
        refused = server.ask("127.0.0.1")
        assert (refused.status_code, refused.json()["error_code"]) == (503, "TOO_MANY_CONNECTIONS")
        assert refused.headers["retry-after"] == "10"
        assert server.ask("127.0.0.2", content=b"abc").text.startswith("3 ")
    assert not server.callers._by_address


def test_when_a_connection_ends_its_place_is_free_again() -> None:
    with serving(most_of_one=1) as server:
        for _ in range(5):
            with server.call() as line:
                line.sendall(HEAD + b"Connection: close\r\nContent-Length: 0\r\n\r\n")
                assert status_on(line) == 200
            wait_until(lambda: not server.state.connections)


def test_all_connections_together_have_a_limit() -> None:
    with serving(most=30, most_of_one=20) as server, ExitStack() as lines:
        for number in range(30):
            line = lines.enter_context(server.call(f"127.0.0.{number % 3 + 1}"))
            line.sendall(HEAD + b"Content-Length: 5\r\n\r\n")
        wait_until(lambda: len(server.began) == 30)
        assert server.ask("127.0.0.9").status_code == 503


@pytest.mark.parametrize("proxies", ["127.0.0.1", "10.0.0.1, 127.0.0.0/8", "*"])
def test_a_trusted_proxy_may_open_any_number_of_connections(proxies: str) -> None:
    with serving(most_of_one=5, proxies=proxies) as server, ExitStack() as lines:
        for _ in range(20):
            lines.enter_context(server.call()).sendall(HEAD)
        assert server.ask("127.0.0.1").status_code == 200


def test_requests_that_come_together_on_one_line_are_all_answered() -> None:
    request = HEAD + b"Content-Length: 5\r\n\r\nhello"
    with serving() as server, server.call() as line:
        line.sendall(request * 3 + HEAD)
        received = told_until(line, b"5 host", times=3)
        assert received.count(b"200 OK") == 3
        line.sendall(b"Content-Length: 5\r\n\r\nhello")
        assert line.recv(65536).startswith(b"HTTP/1.1 200 OK")


def test_of_ipv6_a_network_counts_as_one_caller() -> None:
    assert network_of("2001:db8:0:1::7") == network_of("2001:db8:0:1:ffff::1") == "2001:db8:0:1::/64"
    assert network_of("2001:db8:0:2::7") != network_of("2001:db8:0:1::7")
    assert network_of("::ffff:192.0.2.7") == network_of("192.0.2.7") == "192.0.2.7"
    assert network_of("unknown") == "unknown"
