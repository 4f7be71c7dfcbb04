"""Runs the checks in parallel with the suite and prints the time of each part. Over budget is only a warning."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.console.chromium import MISSING, find_chromium, is_left_out

BUDGET_SEC = 12 * 60  # on two cores with nothing else to do
PARALLEL = "4"  # most of a test's time is spent waiting for other processes
BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]

Command = Sequence[str | Path]
CHECKS: dict[str, Command] = {
    "format": [BIN / "ruff", "format", "--check", "--quiet", "src", "tests"],
    "lint": [BIN / "ruff", "check", "--quiet", "src", "tests"],
    "types": [BIN / "mypy", "--no-error-summary"],
    "walls": [BIN / "lint-imports", "--no-logo"],
    "console": [sys.executable, "console/build.py", "check"],
    "api types": [sys.executable, "console/build.py", "types", "--check"],
}
PYTEST: list[str | Path] = [BIN / "pytest", "-q", "-n", PARALLEL, "--durations=5"]
PROJECT_RULES: dict[str, Command] = {"project rules": [*PYTEST, "tests/checks"]}
TESTS: dict[str, Command] = {"tests": [*PYTEST, "tests"]}


@dataclass(frozen=True)
class Part:
    name: str
    exit_code: int
    seconds: float
    output: str
    processor_sec: float = 0.0  # does not depend on what else the machine is doing

    @property
    def failed(self) -> str:
        """How it failed: a run that was killed has no summary of its own."""
        return f"ended by signal {-self.exit_code}" if self.exit_code < 0 else "FAILED" if self.exit_code else ""


def main(*, only_checks: bool) -> int:
    missing = ""
    if not only_checks and not is_left_out() and find_chromium() is None:
        missing = MISSING
        sys.stdout.write(f"{missing}\n")
        if os.environ.get("CI"):
            sys.stdout.write("CI does not allow that: install chromium\n")
            return 1
    began = time.monotonic()
    with ThreadPoolExecutor() as aside:
        checks = aside.submit(lambda: [_run(name, command, shown=False) for name, command in CHECKS.items()])
        tests = [_run(name, command, shown=True) for name, command in (PROJECT_RULES if only_checks else TESTS).items()]
        parts = [*checks.result(), *tests]
    for part in parts:
        if part.failed:
            sys.stdout.write(f"\n== {part.name}\n{part.output}")
    sys.stdout.write(report(parts, time.monotonic() - began, missing))
    return 1 if any(part.failed for part in parts) else 0


def report(parts: Sequence[Part], total_sec: float, missing: str = "") -> str:
    """A slow or busy machine is not a defect: over budget is a warning."""
    lines = [""]
    lines += [
        f"{part.name:12} {part.processor_sec:7.1f} s of processor {part.seconds:7.1f} s  {part.failed}".rstrip()
        for part in parts
    ]
    processor_sec = sum(part.processor_sec for part in parts)
    lines.append(
        f"{'total':12} {processor_sec:7.1f} s of processor {total_sec:7.1f} s; "
        f"budget on two quiet cores: {BUDGET_SEC} s"
    )
    if total_sec > BUDGET_SEC:
        lines.append(
            "warning: over the budget; if the machine was quiet, make the tests faster or move a campaign to its own"
            " target"
        )
    if missing:
        lines += [f"warning: {missing}"]
    return "\n".join((*lines, ""))


def _run(name: str, command: Command, *, shown: bool) -> Part:
    """Output that is not shown at once is kept, and shown if the part failed."""
    began = time.monotonic()
    with subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        stdout=None if shown else subprocess.PIPE,
        stderr=None if shown else subprocess.STDOUT,
        text=True,
    ) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Part(name, process.returncode, time.monotonic() - began, output, usage.ru_utime + usage.ru_stime)


if __name__ == "__main__":
    sys.exit(main(only_checks="--only-checks" in sys.argv))
