"""What a newcomer sees of `make`: our own lines, and an installer's only where it failed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.installation import HANG_TIMEOUT_SEC

ROOT = Path(__file__).parents[2]
# makes an environment as `python -m venv` does, and speaks as pip does
_PYTHON = """#!/bin/sh
case "$*" in
    *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *"-m pip"*) echo "WARNING: Location is ignored" >&2; echo "Collecting something"; exit ${PIP_ENDS_WITH:-0} ;;
    --version) echo "Python 3.13" ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    python = tmp_path / "python"
    python.write_text(_PYTHON)
    python.chmod(0o755)
    return tmp_path


def make(checkout: Path, pip_ends_with: int = 0) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", ".venv/.dev-installed", f"PYTHON={checkout / 'python'}"],
        cwd=checkout,
        env={**clean, "PIP_ENDS_WITH": str(pip_ends_with), "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_TIMEOUT_SEC,
        check=False,
    )


def test_pip_output_goes_to_a_log_and_progress_is_printed(checkout: Path) -> None:
    done = make(checkout)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == [
        "making .venv with Python 3.13",
        "installing the server's packages from the package index that pip is set up for (half a minute)",
        "installing the tools for tests (half a minute)",
    ]
    assert (checkout / ".venv" / "install.log").read_text().count("WARNING: Location is ignored") == 3


def test_where_pip_fails_its_last_lines_are_shown_with_the_log_and_its_exit_code(checkout: Path) -> None:
    done = make(checkout, pip_ends_with=3)
    assert done.returncode != 0
    assert "failed; last lines of .venv/install.log:\nWARNING: Location is ignored\nCollecting" in done.stdout
    assert "Error 3" in done.stdout
    assert not (checkout / ".venv" / ".server-installed").exists()
