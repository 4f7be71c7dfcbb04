"""Runs the checks beside the suite, says what each part took, and fails when all of it takes more than 15 minutes."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.console.chromium import find_chromium

BUDGET_SECONDS = 15 * 60
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
class Done:
    name: str
    well: bool
    seconds: float
    said: str


def main(*, only_checks: bool) -> int:
    if not only_checks:
        find_chromium()  # installed where it is missing and may be, as the other tools are: before the time is taken
    began = time.monotonic()
    with ThreadPoolExecutor() as aside:
        checks = aside.submit(lambda: [_run(name, command, aloud=False) for name, command in CHECKS.items()])
        tests = [_run(name, command, aloud=True) for name, command in (HOUSE_RULES if only_checks else TESTS).items()]
        parts = [*checks.result(), *tests]
    total = time.monotonic() - began
    for part in parts:
        if not part.well:
            sys.stdout.write(f"\n== {part.name}\n{part.said}")
    sys.stdout.write("\n")
    for part in parts:
        sys.stdout.write(f"{part.name:12} {part.seconds:7.1f} s {'' if part.well else 'FAILED'}\n")
    sys.stdout.write(f"{'together':12} {total:7.1f} s of {BUDGET_SECONDS} s\n")
    if total > BUDGET_SECONDS:
        sys.stdout.write("the budget is spent: make the tests faster, or move a campaign to a target of its own\n")
        return 1
    return 0 if all(part.well for part in parts) else 1


def _run(name: str, command: Command, *, aloud: bool) -> Done:
    """What is not said aloud is kept, to be told when it failed."""
    began = time.monotonic()
    kept = None if aloud else subprocess.PIPE
    aside = None if aloud else subprocess.STDOUT
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, env=ENVIRONMENT, check=False, stdout=kept, stderr=aside, text=True)
    return Done(name, done.returncode == 0, time.monotonic() - began, done.stdout or "")


if __name__ == "__main__":
    sys.exit(main(only_checks="--only-checks" in sys.argv))
