"""The suite itself: what a run says of its time, what it does without a browser, and the work that runs beside it."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests import budget, busy
from tests.console import chromium

ROOT = Path(__file__).parents[2]
PASSES, FAILS = [sys.executable, "-c", ""], [sys.executable, "-c", "print('what went wrong'); raise SystemExit(3)"]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A run of two parts, over its budget from its first moment."""
    monkeypatch.setattr(budget, "BUDGET_SEC", 0)
    monkeypatch.setattr(budget, "CHECKS", {"lint": PASSES})
    monkeypatch.setattr(budget, "TESTS", {"tests": PASSES})
    monkeypatch.delenv("CI", raising=False)
    return monkeypatch


def test_a_run_over_its_budget_is_a_warning_and_no_failure(
    short: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short.setattr(budget, "find_chromium", lambda: "/usr/bin/chromium")
    assert budget.main(only_checks=False) == 0
    output = capsys.readouterr().out
    assert "\nlint " in output
    assert "\ntests " in output
    assert "budget on two quiet cores: 0 s\nwarning: over the budget" in output
    quick = budget.Part("lint", exit_code=0, seconds=1.0, output="")
    assert "warning" not in budget.report([quick], -1.0)


def test_a_part_that_failed_fails_the_run_and_its_output_is_shown(
    short: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short.setattr(budget, "find_chromium", lambda: "/usr/bin/chromium")
    short.setattr(budget, "CHECKS", {"lint": FAILS})
    assert budget.main(only_checks=False) == 1
    output = capsys.readouterr().out
    assert "== lint\nwhat went wrong\n" in output
    assert " s  FAILED\n" in output
    killed = budget.Part("tests", exit_code=-9, seconds=1.0, output="")
    assert "1.0 s  ended by signal 9\n" in budget.report([killed], 1.0)


def test_a_run_without_a_browser_ends_with_a_note_and_does_not_start_in_ci(
    short: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short.setattr(budget, "find_chromium", lambda: None)
    assert budget.main(only_checks=False) == 0
    assert capsys.readouterr().out.endswith(f"warning: {chromium.MISSING}\n")
    short.setenv("CI", "true")
    assert budget.main(only_checks=False) == 1
    assert "tests " not in capsys.readouterr().out.replace("browser tests ", "")
    assert "\nexport CI=true\n" in (ROOT / ".ci" / "run").read_text(), "whatever runs it, it is CI"


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_in_ci_a_skipped_test_fails_the_run(tmp_path: Path, ci: str, code: int) -> None:
    (tmp_path / "test_one.py").write_text("import pytest\n\ndef test_tool():\n    pytest.skip('no such tool')\n")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-c",
            "/dev/null",
            "--rootdir",
            str(tmp_path),
            "-p",
            "tests.skips",
            tmp_path,
        ],
        cwd=ROOT,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert ("skipped, which CI does not allow: test_one.py::test_tool" in done.stdout) is bool(ci)


def test_background_load_keeps_a_core_busy_and_ends_with_the_run() -> None:
    with busy.other_work(1) as (pid,):
        process = psutil.Process(pid)
        while process.cpu_times().user < 0.1:
            os.sched_yield()
        assert process.status() != psutil.STATUS_ZOMBIE
    assert not psutil.pid_exists(pid)
