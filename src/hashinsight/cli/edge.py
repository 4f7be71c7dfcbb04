"""`hashinsight edge …`: the collector at a site. Needs the extra `edge`, and nothing of the server."""

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

from hashinsight.cli.acting import say
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.printable import PrintableFormatter

if TYPE_CHECKING:
    from hashinsight.edge.settings import Settings

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="The TOML file; else HASHINSIGHT_EDGE_CONFIG.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]

EXIT_LATER = 75  # not a mistake in the settings: trying the same again may help
edge_app = typer.Typer(help="The collector at a site: enrol, check, run, status.", no_args_is_help=True)


@edge_app.command()
def run(*, config: ConfigOption = None) -> None:
    """Read machines, spool, push, pull and execute, until SIGTERM or Ctrl-C."""
    with _refusing():
        from hashinsight.edge.collector import run_collector
        from hashinsight.edge.local_site import LocalSite
        from hashinsight.edge.status import check_library

        settings = _settings(config)
        if not settings.cloud.url:
            raise OperatorError("the edge needs to know its cloud: set HASHINSIGHT_EDGE_CLOUD_URL, or url of [cloud].")
        _, can_read, text = asyncio.run(check_library())
        if not can_read:  # its reader would die and be started anew for ever
            raise OperatorError(f"{text}.")
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(PrintableFormatter("%(asctime)s %(levelname)-7s %(name)s %(message)s"))
        logging.basicConfig(level=settings.log_level, handlers=[handler])
        logging.getLogger("httpx").setLevel(logging.WARNING)
        try:
            asyncio.run(run_collector(settings, LocalSite, ready=lambda: typer.echo("edge runs", err=True)))
        except (sqlite3.Error, OSError) as problem:  # a full disk, perhaps: that passes, so a service tries again
            typer.echo(f"hashinsight: {settings.state_dir} cannot be used now: {problem}.", err=True)
            raise typer.Exit(EXIT_LATER) from None


@edge_app.command()
def enrol(
    code: Annotated[str | None, typer.Argument(help="Else it is asked for, or read from standard input.")] = None,
    *,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Get this box's token by a one-time code. Somebody in the cloud approves it then."""
    with _refusing():
        from hashinsight.edge.enrolment import enrol

        settings = _settings(config)
        given = code or (typer.prompt("Code", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline())
        told = asyncio.run(enrol(settings, given.strip()))
    words = f"enrolled as collector {told['collector_id']} of site {told['site_id']}: {told['status']}"
    waits = "\nit may call when it is approved: hashinsight collector approve" if told["status"] == "pending" else ""
    say(told, words + waits, as_json=json)


@edge_app.command()
def status(*, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Say how it does, also when it does not run: spool, uploads, machines, errors, configuration, journal."""
    with _refusing():
        from hashinsight.edge.status import read_status

        told = read_status(_settings(config).state_dir)
    say(told, _words(told), as_json=json)


@edge_app.command()
def check(*, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Say whether it could run: library, settings, state folder, cloud, token. Ends with 1 if not."""
    with _refusing():
        from hashinsight.edge import status as looking

        found = asyncio.run(looking.check(_settings(config)))
    rows = [f"{'ok ' if fine else 'BAD'} {what}: {text}" for what, fine, text in found]
    told = [{"what": what, "ok": fine, "text": text} for what, fine, text in found]
    say(told, "\n".join(rows), as_json=json)
    if not all(fine for _, fine, _ in found):
        raise typer.Exit(1)


@contextmanager
def _refusing() -> Iterator[None]:
    if any(importlib.util.find_spec(name) is None for name in ("cryptography", "httpx", "msgspec", "psutil")):
        raise OperatorError("this command needs the edge's packages: run `pip install 'hashinsight[edge]'`.")
    from hashinsight.edge.settings import SettingsError
    from hashinsight.edge.storage.disk import StateError, StateFolderInUse

    try:
        yield
    except (SettingsError, StateError, StateFolderInUse) as problem:
        raise OperatorError(f"{str(problem).rstrip('.')}.") from None


def _settings(config: Path | None) -> "Settings":
    from hashinsight.edge.settings_file import load_settings

    return load_settings(config)


def _words(told: dict[str, Any]) -> str:
    spool, journal, machines = told["spool"] or {}, told["journal"] or {}, told["machines"] or {}
    uploads, cloud = told["uploads"] or {}, told["cloud"] or {}
    lines = [
        f"{_life(told)}, {told['state_dir']}",
        (
            f"machines: {machines.get('online', '?')} answer{_each(machines.get('by_reader'))}, "
            f"{machines.get('failed', '?')} do not{_each(machines.get('troubles'))}, "
            f"{machines.get('unasked', '?')} not asked yet"
        ),
        (
            f"spool: {spool.get('samples', 0)} samples, {spool.get('bytes', 0)} bytes, oldest "
            f"{_time(spool.get('oldest_at'))}; {spool.get('set_aside', 0)} set aside, {len(spool.get('gaps', []))} gaps"
        ),
        (
            f"uploads: last {_time(uploads.get('last_upload_at'))}, {uploads.get('delivered', 0)} samples delivered, "
            f"{uploads.get('rejected', 0)} rejected; cloud {_reachable(cloud.get('is_up'))}"
        ),
        f"configuration: {told['config_version'] or 'the settings of this site'}",
        (
            f"journal: {journal.get('running', 0)} run, {journal.get('done', 0)} done, "
            f"{journal.get('acks_waiting', 0)} acks and {journal.get('events_waiting', 0)} events wait"
        ),
    ]
    lines += [f"{_time(one['at'])} {one['what']}: {one['text']}" for one in told["errors"][-5:]]
    return "\n".join(lines)


def _life(told: dict[str, Any]) -> str:
    if told["started_at"] is None:
        return "runs" if told["running"] else "has not run yet"
    if told["running"]:
        return f"runs, since {_time(told['started_at'])}"
    return f"does not run, from {_time(told['started_at'])} it ran until {_time(told['at'])}"


def _each(counts: dict[str, int] | None) -> str:
    return f" ({', '.join(f'{name} {count}' for name, count in sorted(counts.items()))})" if counts else ""


def _reachable(is_up: bool | None) -> str:  # noqa: FBT001 - as it was told
    return {True: "reachable", False: "not reachable", None: "not called yet"}[is_up]


def _time(at: float | None) -> str:
    return "never" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
