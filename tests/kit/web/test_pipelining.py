"""Requests that come on one connection before the one before them is answered."""

from contextlib import suppress

from hashinsight.kit.web.protocol import MOST_PIPELINED
from tests.kit.web.server import HEAD, answer_on, serving, wait_until

HELD = b"GET /held HTTP/1.1\r\nHost: here\r\n\r\n"
GET = b"GET /%d HTTP/1.1\r\nHost: here\r\n\r\n"


def test_only_so_many_wait_on_one_connection_and_these_are_answered_before_it_ends() -> None:
    with serving() as server, server.call() as line:
        with suppress(ConnectionError):
            line.sendall(HELD + b"".join(GET % number for number in range(1000)))
        wait_until(lambda: server.began == ["/held"])
        (connection,) = server.state.connections
        wait_until(lambda: len(connection.pipeline) == MOST_PIPELINED)
        server.release()
        assert answer_on(line).count(b"HTTP/1.1 200 OK") == 1 + MOST_PIPELINED
        assert server.began == ["/held", *(f"/{number}" for number in range(MOST_PIPELINED))]


def test_a_refusal_after_pipelined_requests_does_not_replace_their_answers() -> None:
    for refused in (b"this is not HTTP\r\n\r\n", GET % 2 + HEAD + b"X: y\r\n" * 200 + b"\r\n"):
        with serving() as server, server.call() as line:
            line.sendall(HELD + GET % 1 + refused)
            wait_until(lambda server=server: server.began == ["/held"])
            server.release()
            received = answer_on(line)
            assert received.startswith(b"HTTP/1.1 200 OK")
            assert received.count(b"HTTP/1.1 ") == received.count(b"200 OK") == (3 if GET % 2 in refused else 2)


def test_a_caller_that_goes_is_noticed_by_the_request_that_runs_and_not_only_by_the_last() -> None:
    with serving() as server:
        with server.call() as line:
            line.sendall(HELD + GET % 1)
            wait_until(lambda: server.began == ["/held"])
            (connection,) = server.state.connections
            wait_until(lambda: len(connection.pipeline) == 1)
        wait_until(lambda: server.gone == ["/held"])
        assert server.began == ["/held"]
