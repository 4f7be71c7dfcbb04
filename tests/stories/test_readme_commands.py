"""The acceptance cases of the README, as they stand there, in a shell of their own against a server on a socket."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from hashinsight.app import create_app
from hashinsight.kit.settings import Settings
from tests.installation import HANG_TIMEOUT_SEC, free_port
from tests.people import PASSWORD, People

ROOT = Path(__file__).parents[2]
HAS_TOOLS = all(map(shutil.which, ("curl", "bash")))


TOLD = "http://127.0.0.1:8700"
AND_THEN = "echo; echo AND THEN"

pytestmark = [
    pytest.mark.skipif(not HAS_TOOLS and "CI" not in os.environ, reason="they use curl and bash"),  # CI fails without
    pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"]),
]


@pytest.fixture
async def url(settings: Settings, people: People) -> AsyncIterator[str]:
    """A server with the owner and a site of the demo, as after `make up`."""
    await people.user("Owner", email="owner@hashinsight.local")
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_config=None, lifespan="on"))
    serving = asyncio.create_task(server.serve())
    try:
        await _listening(server)
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers=await people.headers(), timeout=HANG_TIMEOUT_SEC
        ) as owner:
            created = await owner.post("/api/admin/v1/sites", json={"code": "demo-north", "name": "North"})
            assert created.status_code == 201, created.text
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving


async def test_the_three_cases_of_the_readme(name: str, url: str) -> None:
    code, output, errors = await _bash(script(name, url))
    assert (code, errors) == (0, "")
    telemetry, cases = output.split("\nAND THEN\n")
    assert json.loads(telemetry)["miners"] == []
    created, first, second, many, polled, *jitter = cases.splitlines()
    assert json.loads(created) == {"created": 1, "existing": 0, "refused": 0}
    assert json.loads(many) == {"created": 20, "existing": 0, "refused": 0}
    assert json.loads(first)["applied"] is True
    late = json.loads(second)
    assert (late["applied"], late["error_code"], late["state"]) == (False, "ALREADY_FINAL", "succeeded")
    assert polled == "10 10 in both: 0"
    commands = [command for line in jitter for command in json.loads(line)]
    assert len(commands) == 5
    assert len({command["command_id"] for command in commands}) == 1
    assert [command["existing"] for command in commands] == [False, True, True, True, True]


async def test_run_twice_it_stops_and_prints_what_the_server_answered(name: str, url: str) -> None:
    await _bash(script(name, url))
    code, output, errors = await _bash(script(name, url))
    assert code == 1
    assert output.endswith("AND THEN\n")
    (line,) = errors.splitlines()
    assert line.startswith('no token in this answer: {"')
    assert "the site already has a collector named one" in line


async def test_with_a_wrong_password_it_prints_what_the_server_answered(name: str, url: str) -> None:
    code, output, errors = await _bash(script(name, url, password="something else"))
    assert (code, "created" in output) == (1, False)
    assert errors.startswith('no access_token in this answer: {"')
    assert "wrong e-mail or password" in errors
    assert "Traceback" not in errors


def script(name: str, url: str, password: str = PASSWORD) -> str:
    """The README's blocks in one shell, with the address and the password filled in as a reader does."""
    where, login, cases = re.findall(r"```bash\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    assert (where.count(TOLD), login.count("8700"), cases.count("8700")) == (1, 0, 0)
    assert login.count("…") == 1
    return "\n".join((where.replace(TOLD, url), login.replace("…", password), AND_THEN, cases))


async def _listening(server: uvicorn.Server) -> None:
    while not server.started:  # noqa: ASYNC110 - it has no event to wait for
        await asyncio.sleep(0.05)


async def _bash(script: str) -> tuple[int | None, str, str]:
    """The tests' own environment, so that `python3` is the one that runs them."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", script, stdout=pipe, stderr=pipe, env={**os.environ, "no_proxy": "127.0.0.1"}
    )
    output, errors = await asyncio.wait_for(process.communicate(), HANG_TIMEOUT_SEC)
    return process.returncode, output.decode(), errors.decode()
