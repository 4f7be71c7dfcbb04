"""Strangers who send a little, and slowly, or far too much: everybody else is answered."""

import json
from contextlib import ExitStack, suppress

from hashinsight.kit.settings import Settings
from tests.app.api_process import Served, rss_mb, served
from tests.installation import hashinsight

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


def proxy_finding(api: Served, settings: Settings) -> dict[str, str]:
    assert settings.database_url is not None
    assert settings.redis_url is not None
    shown = hashinsight(
        "doctor",
        "--json",
        data_dir=settings.data_dir,
        database_url=settings.database_url.get_secret_value(),
        redis_url=settings.redis_url.get_secret_value(),
        port=api.port,
    )
    findings: list[dict[str, str]] = json.loads(shown.stdout)["findings"]
    return next(finding for finding in findings if finding["part"] == "proxy")


def test_doctor_warns_of_a_proxy_that_is_not_trusted_and_of_no_other(settings: Settings) -> None:
    forwarded = {"X-Forwarded-For": "192.0.2.7"}
    with served(settings, trusted_proxies="127.0.0.2") as api:
        api.get("/healthz", "127.0.0.2", **forwarded)
        api.get("/healthz", "127.0.0.3")
        assert proxy_finding(api, settings)["state"] == "ok"
        for _ in range(3):
            api.get("/healthz", "127.0.0.3", **forwarded)
        finding = proxy_finding(api, settings)
        assert finding["state"] == "warning"
        assert finding["message"].startswith("3 requests with X-Forwarded-For")


def test_thousands_of_requests_in_one_packet_are_not_all_kept(settings: Settings) -> None:
    with served(settings) as api:
        before = rss_mb(api.pid)
        for _ in range(5):
            with api.call() as line, suppress(ConnectionError):
                line.sendall(b"GET /readyz HTTP/1.1\r\n\r\n" * 20_000)
                while line.recv(65536):
                    pass
        assert rss_mb(api.pid) - before < 16
        assert api.get("/readyz").status_code == 200
