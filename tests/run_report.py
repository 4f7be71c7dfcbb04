"""What a run prints besides pytest: each failure at once, and at the end the seconds that each folder took."""

import resource
from collections import defaultdict
from collections.abc import Generator

import pytest


def _processor_sec() -> float:
    """Of this process, and of its children that have ended; the shared servers are not among them."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class ProcessorTime:
    """In each process that runs tests: adds to every report the processor seconds since the one before."""

    def __init__(self) -> None:
        self._before = _processor_sec()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now = _processor_sec()
        report.user_properties.append(("processor_sec", now - self._before))
        self._before = now
        return report


class RunReport:
    """In the process that prints."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._processor_sec: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = report.nodeid.removeprefix("tests/").partition("/")[0]
        self._seconds[folder] += report.duration
        for name, value in report.user_properties:
            if name == "processor_sec" and isinstance(value, float):
                self._processor_sec[folder] += value
        if report.failed:
            terminal = self._config.pluginmanager.get_plugin("terminalreporter")
            assert terminal is not None
            terminal.write_line(f"\nFAILED {report.nodeid} ({report.when})", red=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        folders = ", ".join(
            f"{folder} {seconds:.0f} ({self._processor_sec[folder]:.0f})"
            for folder, seconds in sorted(self._seconds.items(), key=lambda item: -item[1])
            if seconds >= 1
        )
        terminalreporter.write_line(f"seconds by folder, of all processes (of processor time): {folders}")
