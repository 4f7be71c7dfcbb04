"""The benchmarks that the help names are those that there are."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from hashinsight.bench import BENCHMARKS
from hashinsight.bench.report import Result, as_json
from hashinsight.cli.bench import BENCHES


def test_the_help_names_every_benchmark() -> None:
    assert tuple(BENCHES) == BENCHMARKS


KEPT = sorted((Path(__file__).parents[2] / "benchmarks" / "results").glob("*.json"))
RESULT = Result("cycle", 1.5, "s", 0.5, 0.333, {"seconds_100k": 1.5, "open": 2000})


def test_a_result_is_one_line_that_names_its_machine_and_its_commit() -> None:
    line = as_json(RESULT)
    assert "\n" not in line
    told = json.loads(line)
    assert {name: told.pop(name) for name in asdict(RESULT)} == asdict(RESULT)
    assert told.keys() == {"machine", "commit"}
    assert all(told.values())


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_what_is_kept_has_the_form_of_a_result_and_the_name_of_its_benchmark(file: Path) -> None:
    told = json.loads(file.read_text())
    assert told.keys() == json.loads(as_json(RESULT)).keys()
    assert told["name"] == file.stem
    assert file.stem in BENCHMARKS
    assert all(isinstance(value, int | float) for value in told["detail"].values())
