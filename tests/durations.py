"""Where the suite's time goes: the seconds of all tests of a folder, at the end of a run."""

from collections import Counter

import pytest


class Durations:
    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = report.nodeid.removeprefix("tests/").partition("/")[0]
        self.seconds[folder] += report.duration  # type: ignore[assignment] # a counter of floats

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        told = ", ".join(f"{folder} {seconds:.0f}" for folder, seconds in self.seconds.most_common() if seconds >= 1)
        terminalreporter.write_line(f"seconds by folder, of all processes: {told}")
