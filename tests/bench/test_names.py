"""The benchmarks that the help names are those that there are."""

from hashinsight.bench import BENCHMARKS
from hashinsight.cli.bench import BENCHES


def test_the_help_names_every_benchmark() -> None:
    assert tuple(BENCHES) == BENCHMARKS
