"""A client generated from `/openapi.json` by a public generator: it is typed, and it works."""

import asyncio
import json
import os
import re
import subprocess
import sys
from datetime import UTC
from pathlib import Path
from typing import cast

import httpx
import pytest
from fastapi import FastAPI

from hashinsight.problems.codes import Severity
from tests.commands.two_tenants import TwoTenants
from tests.installation import HANG_TIMEOUT_SEC
from tests.loopback_server import serve_on_loopback
from tests.people import PASSWORD, People
from tests.problems.api.problems_api import ProblemsApi

GENERATOR = Path(sys.prefix) / "generator/bin/openapi-python-client"
PROGRAM = Path(__file__).with_name("program.py")
# media types that the generator does not know: no JSON, so there is nothing to type
LEFT_OUT = ["GET /api/admin/v1/audit/export within audit", "POST /api/admin/v1/miners/import within inventory"]

pytestmark = pytest.mark.skipif(not GENERATOR.exists(), reason="the generator is missing: `make test` installs it")


async def output_of(*command: str | Path, packages: Path) -> str:
    """What a command writes, with the generated client on its path."""
    environment = os.environ | {"PYTHONPATH": str(packages), "MYPYPATH": str(packages)}

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in command],
            cwd=packages, env=environment, capture_output=True, text=True, check=False, timeout=HANG_TIMEOUT_SEC,
        )  # fmt: skip

    done = await asyncio.to_thread(run)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


async def test_a_generated_client_signs_in_lists_problems_and_requests_a_command_with_types(
    api: httpx.AsyncClient, people: People, superuser_url: str, tmp_path: Path
) -> None:
    tenants = TwoTenants(api, people, superuser_url)
    await tenants.open()
    problems_api = ProblemsApi(tenants)
    problem_id = problems_api.problem("m1", severity=Severity.P1)
    _, email = await people.user("Owner")
    (tmp_path / "openapi.json").write_bytes((await api.get("/openapi.json")).content)
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")  # formatting costs more time than generating

    generate = (GENERATOR, "generate", "--meta", "none", "--path", "openapi.json", "--config", "config.yaml")
    shown = await output_of(*generate, "--output-path", "hashinsight_client", packages=tmp_path)
    assert re.findall(r"^WARNING parsing (.*?)\.", shown, re.MULTILINE) == LEFT_OUT
    mypy = (sys.executable, "-m", "mypy", "--config-file", os.devnull, "--strict", "--follow-imports=silent")
    await output_of(*mypy, "--cache-dir", os.devnull, PROGRAM, packages=tmp_path)
    async with serve_on_loopback(cast("FastAPI", api.app)) as url:  # type: ignore[attr-defined] # hung there by the fixture
        written = await output_of(sys.executable, PROGRAM, url, email, PASSWORD, packages=tmp_path)
    assert json.loads(written) == {
        "refused": "INVALID_CREDENTIALS",
        "problem": str(problem_id),
        "severe": True,
        "started": problems_api.event(problem_id)["start_ts"].astimezone(UTC).isoformat(),
        "queued": True,
        "events": ["created"],
        "attempts": 0,
        "missing": "NOT_FOUND",
    }
