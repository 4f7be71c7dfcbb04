"""`pip install 'hashinsight[edge]'` into an empty environment installs nothing of the server."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

from tests.installation import HANG_TIMEOUT_SEC

ROOT = Path(__file__).parents[2]
NOT_WANTED = {"fastapi", "starlette", "uvicorn", "sqlalchemy", "alembic", "psycopg", "redis", "rq", "numpy", "polars"}


def test_the_edge_extra_installs_nothing_of_the_server(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "--no-input"]
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path), cwd=ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    _run(*pip, "install", "--quiet", "--no-compile", "--only-binary", ":all:", f"{wheel}[edge]")
    packages = json.loads(_run(*pip, "list", "--format", "json"))
    names = {package["name"].lower().replace("-", "_") for package in packages}
    assert {"hashinsight", "httpx", "msgspec", "psutil", "cryptography", "pyasic_rs"} <= names
    assert not names & NOT_WANTED
    status = _run(
        str(python), "-m", "hashinsight", "edge", "status", "--json", HASHINSIGHT_EDGE_STATE_DIR=str(tmp_path)
    )
    assert json.loads(status)["running"] is False
    _run(str(python), "-c", "import hashinsight.edge.collector, hashinsight.edge.local_site")


def _run(*command: str, cwd: Path = Path("/"), **more: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HASHINSIGHT_"))}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=HANG_TIMEOUT_SEC,
        check=False,
        env={**environment, **more},
        cwd=cwd,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout
