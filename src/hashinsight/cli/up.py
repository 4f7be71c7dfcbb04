"""`hashinsight up`: the whole installation from one command, and its end from one signal."""

import asyncio
import contextlib
import dataclasses
import socket
import sys
import time
from typing import Any

import typer

from hashinsight.cli.asking import ask_ready, own_url
from hashinsight.cli.demo import demo_child
from hashinsight.cli.migrate import upgrade_schema
from hashinsight.cli.prepare import prepare
from hashinsight.cli.serve import api_children, listen
from hashinsight.identity.service.tenants import FirstLogin, ensure_owner
from hashinsight.kit.children import Child, Supervisor
from hashinsight.kit.clock import system_clock
from hashinsight.kit.connections import open_database
from hashinsight.kit.db.context import job_context
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.embedded.servers import Progress, data_folder, progress_reporter, start_servers
from hashinsight.kit.process import clear_metrics, run, stop_on_signal
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings

_PATIENCE_SECONDS = 60.0  # on a busy box three processes that start at once take their time


def up(*, demo: bool) -> None:
    run(_up(prepare("up"), demo=demo))


async def _up(settings: Settings, *, demo: bool) -> None:
    stop = stop_on_signal()
    async with data_folder(settings) as folder:
        supervisor = Supervisor()
        with listen(settings) as listening:
            starting = asyncio.create_task(_start(supervisor, settings, folder, listening, demo=demo))
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


async def _start(
    supervisor: Supervisor, settings: Settings, folder: DataFolder, listening: socket.socket, *, demo: bool
) -> None:
    say = _progress()
    clear_metrics(settings.data_dir)
    load_secret_key(settings)
    await start_servers(supervisor, settings, folder, say=say)
    say(f"the schema is at revision {await upgrade_schema(settings)}")
    first = await _first_owner(settings)
    for name in ("worker", "scheduler"):
        command = [sys.executable, "-m", "hashinsight", name]
        await supervisor.start(Child(name, command, stop_seconds=settings.stop_seconds + 5))
    one, *others = api_children(settings, listening)

    answer: dict[str, Any] = {}

    async def ready() -> bool:
        nonlocal answer
        answer = await asyncio.to_thread(ask_ready, own_url(settings))
        parts = answer.get("parts", {})
        # workers and schedulers that were never seen are only late, not missing: wait for them a little
        late = any(parts.get(name, {}).get("state") != "ok" for name in ("worker", "scheduler"))
        patient = time.monotonic() - began < _PATIENCE_SECONDS
        return answer["status"] != "not_ready" and not (late and patient)

    began = time.monotonic()
    waiting = progress_reporter(say, lambda: f"waiting for the API: {_complaints(answer) or 'it does not answer yet'}")
    await supervisor.start(dataclasses.replace(one, ready=ready), waiting=waiting)
    for child in others:
        await supervisor.start(child)
    say("API, worker and scheduler are up")
    if demo and settings.demo_miners:
        shown = await demo_child(settings, say)
        if shown is not None:
            await supervisor.start(
                shown, waiting=progress_reporter(say, lambda: "waiting for the demo's first samples")
            )
    if answer["status"] == "degraded":
        say(f"degraded: {_complaints(answer)}")
    if first is not None:
        say(f"first start: sign in as {first.email} with the password {first.password} (shown this once)")


async def _first_owner(settings: Settings) -> FirstLogin | None:
    database = open_database(settings, "up")
    try:
        async with database.transaction(job_context()) as session:
            return await ensure_owner(session, now=system_clock())
    finally:
        await database.dispose()


def _complaints(answer: dict[str, Any]) -> str:
    return "; ".join(f"{name}: {part['message']}" for name, part in answer.get("parts", {}).items() if part["message"])


def _progress() -> Progress:
    began = time.monotonic()

    def say(what: str) -> None:
        typer.echo(f"{time.monotonic() - began:5.1f} s  {what}")

    return say
