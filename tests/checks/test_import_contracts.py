"""The walls hold: a wrong import that is planted into a copy of the source is caught, and named."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def lint(copy: Path) -> subprocess.CompletedProcess[str]:
    program = "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command as c; c()"
    return subprocess.run(
        [sys.executable, "-I", "-c", program, "--no-cache"],
        cwd=copy,
        env={"COLUMNS": "200", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_source_as_it_is_keeps_every_contract(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


@pytest.mark.parametrize(
    ("where", "line", "contract"),
    [
        ("kit/clock.py", "import hashinsight.inventory", "The stack"),
        ("identity/__init__.py", "import hashinsight.collectors", "The stack"),
        ("app/status_page.py", "import hashinsight.worker", "The stack"),
        ("tickets/__init__.py", "import hashinsight.notify", "The stack"),
        ("smuggled/__init__.py", "", "The stack"),
        ("kit/embedded/disk.py", "import hashinsight.kit.embedded.servers", "No circles"),
        ("edge/__init__.py", "import hashinsight.kit.db.database", "Edge, simulator and client"),
        ("sim/__init__.py", "import fastapi", "Edge, simulator and client"),
        ("edge/__init__.py", "import hashinsight.kit.paging", "Edge, simulator and client"),
        ("edge/__init__.py", "import psycopg", "Edge, simulator and client"),
        ("client/http.py", "import hashinsight.kit.errors", "Edge, simulator and client"),
        ("sim/__init__.py", "import hashinsight.kit.settings", "Edge, simulator and client"),
        ("kit/ticks/tick.py", "import httpx", "Judgement is pure"),
        ("kit/scrub.py", "import urllib.request", "Judgement is pure"),
        ("facts/__init__.py", "import hashinsight.kit.clock", "The stack"),
        ("kit/ticks/tick.py", "import sqlalchemy", "Judgement is pure"),
        ("kit/scrub.py", "import socket", "Judgement is pure"),
        ("sim/physics.py", "import asyncio", "Simulated worlds are pure"),
        ("sim/faults/fans.py", "import time", "Simulated worlds are pure"),
        ("sim/world.py", "import hashinsight.sim.sockets.screen", "Simulated worlds are pure"),
        ("sim/faults/__init__.py", "import hashinsight.sim.reserved", "Faults reserved for scoring"),
        ("cli/sim/runs.py", "import hashinsight.sim.reserved", "Faults reserved for scoring"),
    ],
)
def test_a_planted_wrong_import_is_caught_and_the_broken_wall_is_named(
    copy: Path, where: str, line: str, contract: str
) -> None:
    target = copy / "src" / "hashinsight" / where
    target.parent.mkdir(exist_ok=True)
    before = target.read_text() if target.exists() else ""
    target.write_text(f"{before}\n{line}\n")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    said = result.stdout + result.stderr
    assert contract in said.split("Broken contracts", 1)[-1] or "smuggled" in said


def test_every_package_of_the_stack_is_there_and_says_what_it_is_for() -> None:
    stack = (ROOT / ".importlinter").read_text().split("layers =", 1)[1].split("[importlinter", 1)[0]
    for name in stack.replace("|", " ").split():
        module = ROOT / "src" / "hashinsight" / name
        source = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
        assert source.read_text().startswith('"""'), f"{name} does not say what it is for"
