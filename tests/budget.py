"""Runs the checks and the suite, says how long each part took, and fails when all of it takes more than 15 minutes."""

import subprocess
import sys
import time
from pathlib import Path

BUDGET_SECONDS = 15 * 60
PARALLEL = "3"  # most of a test's time is waiting for other processes
BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]

CHECKS = {
    "format": [BIN / "ruff", "format", "--check", "--quiet", "src", "tests"],
    "lint": [BIN / "ruff", "check", "--quiet", "src", "tests"],
    "types": [BIN / "mypy", "--no-error-summary"],
    "walls": [BIN / "lint-imports", "--no-logo"],
    "house rules": [BIN / "pytest", "tests/checks", "-q", "-n", PARALLEL],
}
TESTS = {
    "tests": [BIN / "pytest", "tests", "-q", "--ignore=tests/checks", "-n", PARALLEL, "--durations=5"],
}


def main(*, only_checks: bool) -> int:
    parts = CHECKS if only_checks else CHECKS | TESTS
    spent: dict[str, float] = {}
    failed: list[str] = []
    for name, command in parts.items():
        sys.stdout.write(f"\n== {name}\n")
        sys.stdout.flush()
        began = time.monotonic()
        if subprocess.run([str(word) for word in command], cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
        spent[name] = time.monotonic() - began
    total = sum(spent.values())
    sys.stdout.write("\n")
    for name, seconds in spent.items():
        sys.stdout.write(f"{name:12} {seconds:7.1f} s {'FAILED' if name in failed else ''}\n")
    sys.stdout.write(f"{'together':12} {total:7.1f} s of {BUDGET_SECONDS} s\n")
    if total > BUDGET_SECONDS:
        sys.stdout.write("the budget is spent: make the tests faster, or move a campaign to a target of its own\n")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(only_checks="--only-checks" in sys.argv))
