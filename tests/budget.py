"""Runs the checks beside the suite and says what each part took, beside the budget: more is a warning, no failure."""

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
PARALLEL = "4"  # most of a test's time is waiting for other processes
BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]

# a run starts some two hundred processes: compiled modules are kept, also where the shell says otherwise
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

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
HOUSE_RULES: dict[str, Command] = {"house rules": [*PYTEST, "tests/checks"]}
TESTS: dict[str, Command] = {"tests": [*PYTEST, "tests"]}


@dataclass(frozen=True)
class Part:
    name: str
    exit_code: int
    seconds: float
    output: str

    @property
    def failed(self) -> str:
        """How it ended, where that was not well: a run that somebody killed has no summary of its own."""
        return f"ended by signal {-self.exit_code}" if self.exit_code < 0 else "FAILED" if self.exit_code else ""


def main(*, only_checks: bool) -> int:
    missing = ""
    if (
        not only_checks and not is_left_out() and find_chromium() is None
    ):  # before the time is taken, as the other tools are
        missing = MISSING
        sys.stdout.write(f"{missing}\n")
        if os.environ.get("CI"):
            sys.stdout.write("CI does not allow that: install chromium\n")
            return 1
    began = time.monotonic()
    with ThreadPoolExecutor() as aside:
        checks = aside.submit(lambda: [_run(name, command, shown=False) for name, command in CHECKS.items()])
        tests = [_run(name, command, shown=True) for name, command in (HOUSE_RULES if only_checks else TESTS).items()]
        parts = [*checks.result(), *tests]
    for part in parts:
        if part.failed:
            sys.stdout.write(f"\n== {part.name}\n{part.output}")
    sys.stdout.write(report(parts, time.monotonic() - began, missing))
    return 1 if any(part.failed for part in parts) else 0


def report(parts: Sequence[Part], total_sec: float, missing: str = "") -> str:
    """A slow or busy machine is no fault of the code: what took too long is said, and fails nothing."""
    lines = [""]
    lines += [f"{part.name:12} {part.seconds:7.1f} s  {part.failed}".rstrip() for part in parts]
    lines += [f"{'together':12} {total_sec:7.1f} s; budget on two quiet cores: {BUDGET_SEC} s"]
    if total_sec > BUDGET_SEC:
        lines.append(
            "warning: over the budget; where that is so on a quiet machine, make the tests faster, or move a campaign"
            " to a target of its own"
        )
    if missing:
        lines += [f"warning: {missing}"]
    return "\n".join((*lines, ""))


def _run(name: str, command: Command, *, shown: bool) -> Part:
    """What is not shown at once is kept, to be shown where it failed."""
    began = time.monotonic()
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env=ENVIRONMENT,
        check=False,
        stdout=None if shown else subprocess.PIPE,
        stderr=None if shown else subprocess.STDOUT,
        text=True,
    )
    return Part(name, done.returncode, time.monotonic() - began, done.stdout or "")


if __name__ == "__main__":
    sys.exit(main(only_checks="--only-checks" in sys.argv))
