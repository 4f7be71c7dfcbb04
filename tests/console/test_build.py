"""The console as a part of the package: a wheel holds it, and none is built without it; Node.js may come as a wheel."""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.installation import HANG_TIMEOUT_SEC

ROOT = Path(__file__).parents[2]
FILES = Path("src") / "hashinsight" / "app" / "console_files"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of the tree as a build looks at, with a program of one file."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "src" / "hashinsight").mkdir(parents=True)
    shutil.copy(ROOT / "src" / "hashinsight" / "__init__.py", tmp_path / "src" / "hashinsight")
    return tmp_path


def built(checkout: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    return subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False, timeout=HANG_TIMEOUT_SEC)


def test_a_wheel_without_the_console_is_refused_in_one_sentence(checkout: Path) -> None:
    done = built(checkout)
    assert done.returncode != 0
    assert "the console is not built: run `make console` first" in done.stderr
    assert not list(checkout.glob("dist/*.whl"))


def test_a_wheel_holds_the_console_although_git_does_not(checkout: Path) -> None:
    (checkout / FILES / "assets").mkdir(parents=True)
    (checkout / FILES / "index.html").write_text("<!doctype html>")
    (checkout / FILES / "assets" / "main.js").write_text("")
    assert built(checkout).returncode == 0
    (wheel,) = checkout.glob("dist/*.whl")
    files = set(zipfile.ZipFile(wheel).namelist())
    assert {"hashinsight/app/console_files/index.html", "hashinsight/app/console_files/assets/main.js"} <= files
    assert not [file for file in files if file.startswith("hashinsight/bench/")]


@pytest.fixture
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("console_build", ROOT / "console" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_nodejs_that_is_too_old_or_missing_is_not_taken(builder: ModuleType, tmp_path: Path) -> None:
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.20.1\n")
    old.chmod(0o755)
    assert builder._version(str(old)) == (18, 20) < builder._NODE
    old.write_text("#!/bin/sh\necho nothing\n")
    assert builder._version(str(old)) < builder._NODE


def test_a_build_is_made_anew_when_a_source_changes_and_only_then(builder: ModuleType) -> None:
    first = builder._digest()
    assert builder._digest() == first
    extra = ROOT / "console" / "public" / "planted-by-a-test.txt"
    extra.write_text("x")
    try:
        assert builder._digest() != first
    finally:
        extra.unlink()


NOISY = "import sys; print('npm warn deprecated'); print('done by halves', file=sys.stderr); sys.exit(int(sys.argv[1]))"


def test_what_a_tool_says_goes_to_the_log_and_is_shown_where_it_failed(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(builder, "LOG", tmp_path / "build.log")
    monkeypatch.setattr(builder, "ROOT", tmp_path)
    words = [sys.executable, "-u", "-c", NOISY]
    assert builder._logged([*words, "0"], dict(os.environ)) == 0
    assert capsys.readouterr().out == ""
    assert "npm warn deprecated\n" in (tmp_path / "build.log").read_text()
    assert builder._logged([*words, "7"], dict(os.environ)) == 7
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "failed; last lines of build.log:"
    assert shown[-2:] == ["npm warn deprecated", "done by halves"]
