import json
from io import StringIO
from pathlib import Path

import pytest
import structlog
from hypothesis import example, given
from hypothesis import strategies as st

from hashinsight.kit.ids import new_token
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.scrub import (
    CUT,
    MAX_SEARCHED_CHARS,
    MAX_TEXT_CHARS,
    TEXT_COST,
    Scrubber,
    is_hidden_name,
    scrub,
    scrub_text,
)
from hashinsight.kit.secret_patterns import HIDDEN, RULES
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


def test_text_without_secrets_stays_readable() -> None:
    text = "GET /api/v1/sites/tx-midland-1 from 127.0.0.1 took 12.5 ms, version 10.4 at 12:30:45"
    assert scrub_text(text) == text
    event = {"tests_passed": 3, "footprint": "small", "description": "x", "machine": "m-1", "equipment": 2}
    assert scrub(event) == event


@given(
    st.sampled_from(["password", "pool_password", "X-Collector-Key", "refreshToken", "totp_secret", "miner_ip", "mac"]),
    st.text(min_size=1),
)
def test_a_field_with_a_secret_name_is_hidden_at_any_depth(name: str, value: str) -> None:
    assert scrub({"outer": [{name: value}]}) == {"outer": [{name: HIDDEN}]}


def capture(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    stream = StringIO()
    configure_logs(Settings(data_dir=Path("/nonexistent"), log_level="DEBUG", log_format="json"), "test", stream)
    monkeypatch.setattr("sys.stderr", stream)
    return stream


def test_every_log_line_is_scrubbed_structured_and_names_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
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


@example("eyJpassword")  # the shortest that fits without any mark
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join))
def test_the_quick_check_skips_only_text_that_no_pattern_matches(text: str) -> None:
    expected = text
    for rule in RULES:
        expected = rule.hide(expected)
    assert scrub_text(text) == expected


def test_names_are_judged_the_same_however_long_and_however_often() -> None:
    for _ in range(2):
        assert is_hidden_name("pool_password")
        assert not is_hidden_name("hashrate_ths")
    assert is_hidden_name("x_" * 100 + "password")


SECRETS = {
    "url": "postgresql://hashinsight:CANARYCANARY@db.example/hi",
    "long url": "https://u:" + "CANARY" * 100 + "@db.example/hi",
    "bearer": "Authorization: Bearer CANARYCANARY",
    "named": "pool_password=CANARYCANARY",
    "quoted": '"password": "CANARY CANARY"',
    "quoted with a quote": '"password": "CA\\"NARY CANARY"',
    "web token": "eyJhbGciOiJIUzI1NiJ9.CANARYCANARY.CANARYCANARY",
    "own token": "hi_collector_CANARYCANARYCANARYCANARY",
    "address": "192.168.137.231",
    "mac": "02:42:ac:11:00:02",
    "ipv6": "fd00:1234:5678::beef",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_across_the_cut_leaves_no_half(secret: str) -> None:
    for before in range(1, len(secret) + 2):
        text = "x" * (MAX_TEXT_CHARS - before - 1) + " " + secret + " y" * 10_000
        scrubbed = scrub_text(text)
        assert len(scrubbed) <= MAX_TEXT_CHARS + len(CUT)
        assert scrubbed.endswith(CUT)
        for part in ("CANARY", "CANAR", "NARY", "192.168", "02:42:ac", "fd00:"):
            assert part not in scrubbed, (before, scrubbed[-80:])


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_at_the_end_of_an_already_cut_text_is_hidden(secret: str) -> None:
    for length in (len(secret) - 1, len(secret) - 3):
        scrubbed = scrub_text(f"the miner said {secret[:length]}")
        assert "CANARY" not in scrubbed or "://" in secret  # without its @ a password may be a port


def test_a_text_at_the_limit_is_kept_whole_and_one_beyond_it_is_cut() -> None:
    text = "x" * MAX_TEXT_CHARS
    assert scrub_text(text) == text
    assert scrub_text(text + "x") == text + CUT


def test_text_over_the_allowance_of_a_call_is_left_out_and_never_passed_unscrubbed() -> None:
    texts = [f"{number} password=CANARY" + " a.b" * 4000 for number in range(100)]
    scrubbed = Scrubber(MAX_SEARCHED_CHARS).scrub({"texts": texts})["texts"]
    searched = MAX_SEARCHED_CHARS // (len(texts[0]) + TEXT_COST)
    assert scrubbed[searched - 1].startswith(f"{searched - 1} password={HIDDEN} a.b")
    assert scrubbed[searched + 1 :] == [CUT]
    assert not any("CANARY" in text for text in scrubbed)


def test_an_address_that_is_the_name_of_a_field_is_hidden_and_no_value_is_lost() -> None:
    scrubbed = scrub({"boards": {"10.4.0.9": 1, "10.4.0.10": 2, "hashrate": 3}})
    assert sorted(scrubbed["boards"].values()) == [1, 2, 3]
    assert not any("10.4" in name for name in scrubbed["boards"])
