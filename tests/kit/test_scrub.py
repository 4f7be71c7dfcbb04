import json
from io import StringIO
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.kit import scrub as module
from hashinsight.kit.ids import new_token
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.scrub import HIDDEN, is_hidden_name, scrub, scrub_text
from hashinsight.kit.settings import Settings


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://hashinsight:CANARY@db.example/hi",
        "redis://:CANARY@cache:6379/0",
        "stratum+tcp://wallet.worker:CANARY@pool.example:3333",
        "Authorization: Bearer CANARY12345",
        "connection failed: password=CANARY host=db",
        'url "/x?token=CANARY&page=2"',
        '{"password": "CANARY"}',
        "{'token': 'CANARY CANARY'}",
        "access_token=CANARY",
        "pool_password=CANARY;x=1",
        "client_secret: CANARY",
        "X-Collector-Key: CANARY",
        "Cookie: CANARY",
        "password='CANARY CANARY'",
        "postgresql://u:p@CANARY@h/d",
        "redis://:ab/CANARY@h",
        "miner 192.168.7.31 does not answer",
        "miner fd00:1234::CANARY at 100.64.3.2".replace("CANARY", "beef"),
        "miner 10.4.0.9 at 02:42:ac:11:00:02",
    ],
)
def test_a_secret_or_an_address_inside_a_text_is_hidden(text: str) -> None:
    scrubbed = scrub_text(text)
    assert HIDDEN in scrubbed
    for canary in ("CANARY", "192.168.7.31", "10.4.0.9", "02:42:ac", "beef", "100.64.3.2"):
        assert canary not in scrubbed


def test_our_own_tokens_are_known_by_their_look() -> None:
    token = new_token("collector")
    assert scrub_text(f"refused {token}!") == f"refused {HIDDEN}!"


def test_what_is_no_secret_stays_readable() -> None:
    text = "GET /api/v1/sites/tx-midland-1 from 127.0.0.1 took 12.5 ms, version 10.4 at 12:30:45"
    assert scrub_text(text) == text
    event = {"tests_passed": 3, "footprint": "small", "description": "x", "machine": "m-1", "equipment": 2}
    assert scrub(event) == event


@given(
    st.sampled_from(["password", "pool_password", "X-Collector-Key", "refreshToken", "totp_secret", "miner_ip", "mac"]),
    st.text(min_size=1),
)
def test_a_field_whose_name_says_secret_is_hidden_at_any_depth(name: str, value: str) -> None:
    assert scrub({"outer": [{name: value}]}) == {"outer": [{name: HIDDEN}]}


def capture(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    stream = StringIO()
    configure_logs(Settings(data_dir=Path("/nonexistent"), log_level="DEBUG", log_format="json"), "test", stream)
    monkeypatch.setattr("sys.stderr", stream)
    return stream


def test_every_log_line_is_scrubbed_structured_and_says_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = capture(monkeypatch)
    log = structlog.get_logger("t")
    with structlog.contextvars.bound_contextvars(request_id="r-1"):
        log.info("login", email="a@b.c", password="CANARY", details={"token": "CANARY"})
    (line,) = stream.getvalue().splitlines()
    event = json.loads(line)
    assert "CANARY" not in line
    assert (event["event"], event["email"], event["request_id"], event["process"]) == ("login", "a@b.c", "r-1", "test")


def test_lines_of_other_libraries_and_traces_are_scrubbed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    import logging

    stream = capture(monkeypatch)
    try:
        raise ValueError("could not open postgresql://u:CANARY@h/d")
    except ValueError:
        logging.getLogger("some.library").exception("failed with %s", "Bearer CANARYCANARY")
    text = stream.getvalue()
    assert "ValueError" in text
    assert "CANARY" not in text


PIECES = (
    *(
        "password",
        "pwd",
        "Bearer ",
        "basic ",
        "token",
        "X-Collector-Key",
        "eyJ",
        "hi_api_",
        "10.4.0.9",
        "fd00:",
        "worker_name",
    ),
    *(
        "02:42:ac:11:00:02",
        "02-42-ac-11-00-02",
        "stratum+tcp://",
        "user:",
        "@",
        "=",
        ":",
        ".",
        "-",
        " ",
        '"',
        "a1B2c3D4e5F6g7H8",
    ),
    *("pa\u017f\u017fword", "to\u212aen", "K", "normal", "Recovery-Code"),
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join))
def test_what_is_passed_over_quickly_is_what_no_pattern_fits(text: str) -> None:
    expected = text
    for _, pattern, replacement in module._VALUES:
        expected = pattern.sub(replacement, expected)
    assert scrub_text(text) == expected


def test_names_are_judged_the_same_however_long_and_however_often() -> None:
    for _ in range(2):
        assert is_hidden_name("pool_password")
        assert not is_hidden_name("hashrate_ths")
    assert is_hidden_name("x_" * 100 + "password")
