"""`hashinsight up`: starts the whole installation, and stops it on one signal."""

import asyncio
import contextlib
import dataclasses
import socket
import sys
import time
from typing import Any

import typer

from hashinsight.cli.demo import demo_child
from hashinsight.cli.migrate import upgrade_schema
from hashinsight.cli.own_api import get_readiness, own_url
from hashinsight.cli.serve import api_children, listen
from hashinsight.cli.startup import prepare
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

_PATIENCE_SEC = 60.0  # on a busy box three processes that start at once are slow


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
                typer.echo("stopping: each process finishes its current work")
            finally:
                starting.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await starting
                await supervisor.stop()
    typer.echo("stopped")


async def _start(
    supervisor: Supervisor, settings: Settings, folder: DataFolder, listening: socket.socket, *, demo: bool
) -> None:
    report = _progress()
    clear_metrics(settings.data_dir)
    load_secret_key(settings)
    await start_servers(supervisor, settings, folder, say=report)
    report(f"database schema at revision {await upgrade_schema(settings)}")
    login = await _first_owner(settings)
    for name in ("worker", "scheduler"):
        command = [sys.executable, "-m", "hashinsight", name]
        await supervisor.start(Child(name, command, stop_seconds=settings.stop_seconds + 5))
    first_api, *other_apis = api_children(settings, listening)

    answer: dict[str, Any] = {}

    async def ready() -> bool:
        nonlocal answer
        answer = await asyncio.to_thread(get_readiness, own_url(settings))
        parts = answer.get("parts", {})
        # a worker or scheduler that has not been seen yet is late, not missing: give it time
        late = any(parts.get(name, {}).get("state") != "ok" for name in ("worker", "scheduler"))
        patient = time.monotonic() - began < _PATIENCE_SEC
        return answer["status"] != "not_ready" and not (late and patient)

    began = time.monotonic()
    waiting = progress_reporter(report, lambda: f"waiting for the API: {_complaints(answer) or 'no response yet'}")
    await supervisor.start(dataclasses.replace(first_api, ready=ready), waiting=waiting)
    for child in other_apis:
        await supervisor.start(child)
    report("API, worker and scheduler are up")
    if demo and settings.demo_miners:
        child_of_demo = await demo_child(settings, report)
        if child_of_demo is not None:
            waiting = progress_reporter(report, lambda: "waiting for the first samples of the demo")
            await supervisor.start(child_of_demo, waiting=waiting)
    if answer["status"] == "degraded":
        report(f"degraded: {_complaints(answer)}")
    if login is not None:
        report(f"first start: sign in as {login.email} with the password {login.password} (shown once)")


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

    def report(step: str) -> None:
        typer.echo(f"{time.monotonic() - began:5.1f} s  {step}")

    return report
