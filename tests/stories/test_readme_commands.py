"""The acceptance cases of the README, as they stand there, in a shell of their own against a server on a socket."""

import asyncio
import json
import os
import re
import shutil
from pathlib import Path

import pytest
import uvicorn

from hashinsight.app import create_app
from hashinsight.kit.settings import Settings
from tests.people import People
from tests.running import free_port

ROOT = Path(__file__).parents[2]
HAS_TOOLS = all(map(shutil.which, ("curl", "bash")))


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
@pytest.mark.skipif(not HAS_TOOLS and "CI" not in os.environ, reason="they use curl and bash")  # CI fails without
async def test_the_three_cases_of_the_readme(name: str, settings: Settings, people: People) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    token = (await people.headers("Owner"))["Authorization"].removeprefix("Bearer ")
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_config=None, lifespan="on"))
    serving = asyncio.create_task(server.serve())
    try:
        await _listening(server)
        said = await _bash(block, TOKEN=token, HOST=f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        await serving
    made, first, second, many, polled, *jitter = said.splitlines()
    assert (made, many) == (
        "{'created': 1, 'existing': 0, 'refused': 0}",
        "{'created': 20, 'existing': 0, 'refused': 0}",
    )
    assert json.loads(first)["applied"] is True
    late = json.loads(second)
    assert (late["applied"], late["error_code"], late["state"]) == (False, "ALREADY_FINAL", "succeeded")
    assert polled == "10 10 in both: 0"
    assert len(jitter) == 5
    assert len(set(re.findall(r"'command_id': '([^']+)'", " ".join(jitter)))) == 1
    assert [re.findall(r"'existing': (\w+)", line) for line in jitter] == [["False"], *[["True"]] * 4]


async def _listening(server: uvicorn.Server) -> None:
    while not server.started:  # noqa: ASYNC110 - it has no event to wait for
        await asyncio.sleep(0.05)


async def _bash(script: str, **variables: str) -> str:
    """The tests' own environment, so that `python3` is the one that runs them."""
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", script, stdout=asyncio.subprocess.PIPE, env={**os.environ, **variables, "no_proxy": "127.0.0.1"}
    )
    said, _ = await asyncio.wait_for(process.communicate(), 60)
    return said.decode()
