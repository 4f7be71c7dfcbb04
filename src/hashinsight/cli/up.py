"""`hashinsight up`: the whole installation from one command, and its end from one signal."""

import asyncio
import contextlib
import dataclasses
import socket
import sys
import time
import urllib.error
import urllib.request

import typer

from hashinsight.cli.migrate import upgrade_schema
from hashinsight.cli.prepare import prepare
from hashinsight.cli.serve import api_children, listen
from hashinsight.kit.children import Child, Supervisor
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.embedded.servers import Progress, data_folder, start_servers
from hashinsight.kit.metrics import clear_metrics
from hashinsight.kit.run import run, stop_on_signal
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to ask when we listen on all of them


def up() -> None:
    run(_up(prepare("up")))


async def _up(settings: Settings) -> None:
    stop = stop_on_signal()
    async with data_folder(settings) as folder:
        supervisor = Supervisor()
        with listen(settings) as listening:
            starting = asyncio.create_task(_start(supervisor, settings, folder, listening))
            try:
                started = asyncio.Event()
                starting.add_done_callback(lambda _: started.set())
                await supervisor.run_until(stop, started)
                if starting.done():
                    starting.result()
                    typer.echo(f"ready {own_url(settings)}")
                    await supervisor.run_until(stop)
                typer.echo("stopping: each part finishes what it holds")
            finally:
                starting.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await starting
                await supervisor.stop()
    typer.echo("stopped")


async def _start(supervisor: Supervisor, settings: Settings, folder: DataFolder, listening: socket.socket) -> None:
    say = _progress()
    clear_metrics(settings.data_dir)
    load_secret_key(settings)
    await start_servers(supervisor, settings, folder, say=say)
    say(f"the schema is at revision {await upgrade_schema(settings)}")
    for name in ("worker", "scheduler"):
        command = [sys.executable, "-m", "hashinsight", name]
        await supervisor.start(Child(name, command, stop_seconds=settings.stop_seconds + 5))
    first, *others = api_children(settings, listening)

    async def ready() -> bool:
        return await asyncio.to_thread(_is_ready, own_url(settings))

    await supervisor.start(dataclasses.replace(first, ready=ready))
    for child in others:
        await supervisor.start(child)
    say("API, worker and scheduler are up")


def own_url(settings: Settings) -> str:
    host = _ANY_ADDRESS.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)  # noqa: PLR2004
    except (urllib.error.URLError, OSError):
        return False


def _progress() -> Progress:
    began = time.monotonic()

    def say(what: str) -> None:
        typer.echo(f"{time.monotonic() - began:5.1f} s  {what}")

    return say
