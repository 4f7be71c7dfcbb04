"""Strangers who send a little, and slowly, or far too much: everybody else is answered."""

from contextlib import ExitStack, suppress

from hashinsight.kit.settings import Settings
from tests.app.served import rss_mb, served

HALF = b"GET /readyz HTTP/1.1\r\nHost: here\r\n"


def test_eleven_hundred_half_sent_requests_do_not_keep_others_from_being_answered(settings: Settings) -> None:
    with served(settings, header_seconds=600) as api, ExitStack() as lines:
        for number in range(1100):
            line = lines.enter_context(api.call("127.0.0.2" if number % 2 else "127.0.0.1"))
            with suppress(ConnectionError):
                line.sendall(HALF)
        ready = api.get("/readyz", "127.0.0.3")
        assert (ready.status_code, ready.json()["parts"]["database"]["state"]) == (200, "ok")
        refused = api.get("/readyz", "127.0.0.1")
        assert (refused.status_code, refused.json()["error_code"]) == (503, "TOO_MANY_CONNECTIONS")
        metrics = api.get("/metrics", "127.0.0.3").text
    assert 'hashinsight_http_refused_total{reason="connections_per_address"}' in metrics


def test_headers_of_many_megabytes_are_refused_without_being_kept(settings: Settings) -> None:
    with served(settings) as api:
        before = rss_mb(api.pid)
        for _ in range(10):
            with api.call() as line, suppress(ConnectionError):
                line.sendall(HALF + b"X-Long: " + b"a" * 16_000_000 + b"\r\n\r\n")
                assert not line.recv(4096).startswith(b"HTTP/1.1 200")
        assert rss_mb(api.pid) - before < 32
        assert api.get("/readyz").status_code == 200
