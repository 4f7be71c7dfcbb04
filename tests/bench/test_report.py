"""Benchmark results: their form, the kept figures, and the names that the command line offers."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from hashinsight.bench.report import Result, as_json
from hashinsight.cli import BENCHMARKS, bench
from hashinsight.cli.bench import BENCHES
from hashinsight.kit.errors import OperatorError

RESULT_FILES = sorted((Path(__file__).parents[2] / "benchmarks" / "results").glob("*.json"))
RESULT = Result("cycle", 1.5, "s", 0.5, 0.333, {"seconds_100k": 1.5, "open": 2000})


def test_the_help_lists_every_benchmark() -> None:
    assert tuple(BENCHES) == BENCHMARKS


def test_without_a_source_checkout_the_command_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hashinsight.bench", None)
    with pytest.raises(OperatorError, match="run this in a source checkout"):
        bench("import")


def test_a_result_is_one_line_with_the_machine_and_the_commit() -> None:
    line = as_json(RESULT)
    assert "\n" not in line
    fields = json.loads(line)
    assert {name: fields.pop(name) for name in asdict(RESULT)} == asdict(RESULT)
    assert fields.keys() == {"machine", "commit"}
    assert all(fields.values())


@pytest.mark.parametrize("file", RESULT_FILES, ids=lambda file: file.stem)
def test_a_kept_result_has_the_form_of_a_result_and_the_name_of_its_benchmark(file: Path) -> None:
    fields = json.loads(file.read_text())
    assert fields.keys() == json.loads(as_json(RESULT)).keys()
    assert fields["name"] == file.stem
    assert file.stem in BENCHMARKS
    assert all(isinstance(value, int | float) for value in fields["detail"].values())
