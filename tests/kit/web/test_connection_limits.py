"""When every connection of a process is taken: who says nothing makes room, nobody whose request is under way."""

import socket
from contextlib import ExitStack

from tests.kit.web.server import HEAD, Server, answer_on, serving, told_until, wait_until

WHOLE = HEAD + b"Content-Length: 2\r\n\r\nab"
UPLOAD = HEAD + b"Content-Length: 4\r\n\r\nab"


def taken(server: Server, lines: ExitStack, count: int, sends: bytes, first: int = 1) -> list[socket.socket]:
    """So many connections of as many addresses, one after the other; whole heads have been read."""
    made = []
    for number in range(count):
        before = len(server.began)
        line = lines.enter_context(server.call(f"127.0.0.{first + number}"))
        line.sendall(sends)
        if b"\r\n\r\n" in sends:
            wait_until(lambda before=before: len(server.began) > before)
        made.append(line)
    return made


def test_half_sent_heads_on_every_connection_make_room_for_newcomers_the_oldest_first() -> None:
    with serving(most=20, most_of_one=2) as server, ExitStack() as lines:
        half = taken(server, lines, 20, HEAD)
        for number in range(5):
            assert server.ask(f"127.0.1.{number + 1}", content=b"abc").text.startswith("3 ")
            wait_until(lambda: len(server.state.connections) <= 20)
        assert answer_on(half[0]) == b""
        half[-1].sendall(b"Content-Length: 2\r\n\r\nab")
        assert told_until(half[-1], b"2 host").startswith(b"HTTP/1.1 200 OK")


def test_silent_connections_make_room_too() -> None:
    with serving(most=20, most_of_one=2) as server, ExitStack() as lines:
        taken(server, lines, 20, b"")
        assert server.ask("127.0.1.1", content=b"abc").status_code == 200


def test_an_address_at_its_limit_closes_no_other_connection() -> None:
    with serving(most=20, most_of_one=2) as server, ExitStack() as lines:
        half = taken(server, lines, 18, HEAD)
        taken(server, lines, 1, UPLOAD, first=100)
        taken(server, lines, 1, UPLOAD, first=100)
        assert server.ask("127.0.0.100").status_code == 503
        assert server.callers._total == 20
        half[0].sendall(b"Content-Length: 2\r\n\r\nab")
        assert told_until(half[0], b"2 host").startswith(b"HTTP/1.1 200 OK")


def test_idle_connections_make_room_only_after_half_sent_heads_and_uploads_never_do() -> None:
    with serving(most=20, most_of_one=2) as server, ExitStack() as lines:
        idle = taken(server, lines, 2, WHOLE)
        for line in idle:
            told_until(line, b"2 host")
        uploads = taken(server, lines, 16, UPLOAD, first=10)
        (held,) = taken(server, lines, 1, b"GET /held HTTP/1.1\r\nHost: here\r\n\r\n", first=40)
        (half,) = taken(server, lines, 1, HEAD, first=50)

        newcomers = taken(server, lines, 3, UPLOAD, first=60)
        assert answer_on(half) == answer_on(idle[0]) == answer_on(idle[1]) == b""
        assert server.ask("127.0.1.1").status_code == 503, "all that is left is under way"

        server.release()
        assert told_until(held, b"0 host").startswith(b"HTTP/1.1 200 OK")
        for line in (*uploads, *newcomers):
            line.sendall(b"cd")
            assert told_until(line, b"4 host").startswith(b"HTTP/1.1 200 OK")
    assert not server.callers._unheard
    assert not server.callers._idle
    assert server.callers._total == 0


def test_an_answer_that_is_still_being_read_is_not_cut_for_a_newcomer() -> None:
    with serving(most=16, most_of_one=2) as server, ExitStack() as lines:
        taken(server, lines, 15, UPLOAD)
        (reads,) = taken(server, lines, 1, b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n", first=100)
        received_bytes = len(reads.recv(65536))
        assert server.ask("127.0.1.1").status_code == 503
        while received_bytes < 40_000_000:
            read = len(reads.recv(1_000_000))
            assert read, received_bytes
            received_bytes += read
