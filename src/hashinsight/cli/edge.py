"""`hashinsight edge …`: the collector at a site. Needs the extra `edge`, no server packages."""

import asyncio
import importlib.util
import logging
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.context import JsonOption
from hashinsight.cli.output import print_result
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.printable import PrintableFormatter

if TYPE_CHECKING:
    from hashinsight.edge.settings import Settings

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="TOML file; default: HASHINSIGHT_EDGE_CONFIG.")
]

EXIT_RETRY = 75  # not a configuration error: a retry may help
edge_app = typer.Typer(help="The collector at a site: enrol, check, run, status.", no_args_is_help=True)


@edge_app.command()
def run(*, config: ConfigOption = None) -> None:
    """Run the collector: poll miners, upload samples, execute commands. Stops on SIGTERM or Ctrl-C."""
    with _edge_errors():
        from hashinsight.edge.collector import run_collector
        from hashinsight.edge.local_site import LocalSite
        from hashinsight.edge.status import check_library

        settings = _settings(config)
        if not settings.cloud.url:
            raise OperatorError("no cloud URL: set HASHINSIGHT_EDGE_CLOUD_URL, or url in [cloud].")
        _, can_read, text = asyncio.run(check_library())
        if not can_read:  # the reader process would crash and restart forever
            raise OperatorError(f"{text}.")
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(PrintableFormatter("%(asctime)s %(levelname)-7s %(name)s %(message)s"))
        logging.basicConfig(level=settings.log_level, handlers=[handler])
        logging.getLogger("httpx").setLevel(logging.WARNING)
        try:
            asyncio.run(run_collector(settings, LocalSite, ready=lambda: typer.echo("collector running", err=True)))
        except (sqlite3.Error, OSError) as problem:  # a full disk, perhaps: the service manager retries
            typer.echo(f"hashinsight: cannot use {settings.state_dir}: {problem}.", err=True)
            raise typer.Exit(EXIT_RETRY) from None


@edge_app.command()
def enrol(
    code: Annotated[str | None, typer.Argument(help="Enrolment code; default: prompt, or read standard input.")] = None,
    *,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Enrol this box with a one-time code. A person then approves it on the server."""
    with _edge_errors():
        from hashinsight.edge.enrolment import enrol

        settings = _settings(config)
        given = code or (typer.prompt("Code", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline())
        answer = asyncio.run(enrol(settings, given.strip()))
    text = f"enrolled as collector {answer['collector_id']} at site {answer['site_id']}: {answer['status']}"
    if answer["status"] == "pending":
        text += "\napprove it on the server: hashinsight collector approve"
    print_result(answer, text, as_json=json)


@edge_app.command()
def status(*, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show the collector's state, running or not: machines, spool, uploads, configuration, commands, errors."""
    with _edge_errors():
        from hashinsight.edge.status import read_status

        state = read_status(_settings(config).state_dir)
    print_result(state, _status_text(state), as_json=json)


@edge_app.command()
def check(*, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Check whether the collector can run: library, settings, state folder, cloud, token. Exit code 1 if not."""
    with _edge_errors():
        from hashinsight.edge import status as edge_status

        checks = asyncio.run(edge_status.check(_settings(config)))
    lines = [f"{'ok  ' if ok else 'FAIL'} {part}: {text}" for part, ok, text in checks]
    answer = [{"what": part, "ok": ok, "text": text} for part, ok, text in checks]
    print_result(answer, "\n".join(lines), as_json=json)
    if not all(ok for _, ok, _ in checks):
        raise typer.Exit(1)


@contextmanager
def _edge_errors() -> Iterator[None]:
    if any(importlib.util.find_spec(name) is None for name in ("cryptography", "httpx", "msgspec", "psutil")):
        raise OperatorError("this command needs the edge packages: run `pip install 'hashinsight[edge]'`.")
    from hashinsight.edge.settings import SettingsError
    from hashinsight.edge.storage.disk import StateError, StateFolderInUse

    try:
        yield
    except (SettingsError, StateError, StateFolderInUse) as problem:
        raise OperatorError(f"{str(problem).rstrip('.')}.") from None


def _settings(config: Path | None) -> "Settings":
    from hashinsight.edge.settings_file import load_settings

    return load_settings(config)


def _status_text(state: dict[str, Any]) -> str:
    spool, journal, machines = state["spool"] or {}, state["journal"] or {}, state["machines"] or {}
    uploads, cloud = state["uploads"] or {}, state["cloud"] or {}
    lines = [
        f"{_run_text(state)}, {state['state_dir']}",
        (
            f"machines: {machines.get('online', '?')} online{_each(machines.get('by_reader'))}, "
            f"{machines.get('failed', '?')} failed{_each(machines.get('troubles'))}, "
            f"{machines.get('unasked', '?')} not polled yet"
        ),
        (
            f"spool: {spool.get('samples', 0):,} samples, {spool.get('bytes', 0) / 1e6:,.1f} MB, oldest "
            f"{_time(spool.get('oldest_at'))}; {spool.get('set_aside', 0)} set aside, {len(spool.get('gaps', []))} gaps"
        ),
        (
            f"uploads: last {_time(uploads.get('last_upload_at'))}, {uploads.get('delivered', 0):,} samples delivered, "
            f"{uploads.get('rejected', 0):,} rejected; cloud {_reachable(cloud.get('is_up'))}"
        ),
        f"configuration: {state['config_version'] or 'local settings'}",
        (
            f"commands: {journal.get('running', 0)} running, {journal.get('done', 0)} done; "
            f"{journal.get('acks_waiting', 0)} acks and {journal.get('events_waiting', 0)} events to send"
        ),
    ]
    lines += [f"{_time(error['at'])} {error['what']}: {error['text']}" for error in state["errors"][-5:]]
    return "\n".join(lines)


def _run_text(state: dict[str, Any]) -> str:
    if state["started_at"] is None:
        return "running" if state["running"] else "not started yet"
    if state["running"]:
        return f"running since {_time(state['started_at'])}"
    return f"not running; last run {_time(state['started_at'])} to {_time(state['at'])}"


def _each(counts: dict[str, int] | None) -> str:
    return f" ({', '.join(f'{name} {count}' for name, count in sorted(counts.items()))})" if counts else ""


def _reachable(is_up: bool | None) -> str:  # noqa: FBT001 - as the status file has it
    return {True: "reachable", False: "not reachable", None: "not contacted yet"}[is_up]


def _time(at: float | None) -> str:
    return "never" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
