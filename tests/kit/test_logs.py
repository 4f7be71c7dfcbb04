"""What reaches a log: no character that steers a terminal, in either format."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from hashinsight.kit.logs import configure_logs
from hashinsight.kit.printable import PrintableFormatter
from hashinsight.kit.settings import Settings

FOREIGN = "m1\x1b[2J\x1b]0;title\x07 \x9b31m \u202egnp.exe \x7f\r\nlevel=critical forged"
STEERS = "\x1b\x07\x9b\u202e\x7f\r"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    kept, stream = logging.root.handlers[:], io.StringIO()
    yield stream
    logging.root.handlers[:] = kept
    configure_logs(Settings(log_level="WARNING", log_format="json"), "test")


def write(stream: io.StringIO, log_format: str) -> str:
    configure_logs(Settings.model_validate({"log_format": log_format}), "test", stream)
    structlog.get_logger("a").warning("machine_said", miner=FOREIGN, several=[FOREIGN])
    logging.getLogger("b").warning("the miner said %s", FOREIGN)
    return stream.getvalue()


def test_escape_characters_reach_no_text_log(lines: io.StringIO) -> None:
    written = write(lines, "text")
    assert not set(STEERS) & set(written)
    assert len(written.splitlines()) == 2  # a line break in a foreign text makes no entry of its own
    assert "\\u001b[2J" in written


def test_escape_characters_reach_no_json_log_and_it_stays_json(lines: io.StringIO) -> None:
    written = write(lines, "json")
    assert not set(STEERS) & set(written)
    first, second = (json.loads(line) for line in written.splitlines())
    assert first["miner"] == FOREIGN
    assert FOREIGN in second["event"]


def test_a_traceback_keeps_its_lines_and_loses_control_characters(lines: io.StringIO) -> None:
    configure_logs(Settings.model_validate({"log_format": "text"}), "test", lines)
    try:
        raise ValueError(FOREIGN)
    except ValueError:
        structlog.get_logger("a").exception("failed")
    assert not set(STEERS) & set(lines.getvalue())
    entry, *trace = lines.getvalue().splitlines()
    assert "failed" in entry
    assert len(trace) > 2
    assert all(line.startswith("  | ") for line in trace), "a line break in an error makes no entry of its own"


def test_the_edges_log_has_one_line_an_entry_and_nothing_that_steers(lines: io.StringIO) -> None:
    handler = logging.StreamHandler(lines)
    handler.setFormatter(PrintableFormatter("%(levelname)s %(message)s"))
    log = logging.getLogger("edge of this test")
    log.propagate = False
    log.addHandler(handler)
    log.warning("the miner said %s", FOREIGN)
    try:
        raise ValueError(FOREIGN)
    except ValueError:
        log.exception("reading %s failed", FOREIGN)
    assert not set(STEERS) & set(lines.getvalue())
    first, second, *trace = lines.getvalue().splitlines()
    assert first.startswith("WARNING the miner said m1\\u001b[2J")
    assert second.startswith("ERROR reading")
    assert len(trace) > 2
    assert all(line.startswith("  | ") for line in trace)
