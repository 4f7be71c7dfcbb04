"""`hashinsight doctor`: checks every part of an installation and reports problems."""

import ctypes.util
import json
import os
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from enum import StrEnum

import typer
from redis.exceptions import RedisError
from rich.console import Console
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from hashinsight.audit.service.sealing import get_unsealed_tail
from hashinsight.cli.output import show_age
from hashinsight.cli.own_api import find_metric_total, get_readiness, own_url
from hashinsight.kit.clock import system_clock
from hashinsight.kit.connections import open_async_redis, open_database
from hashinsight.kit.db.address import address_from_url
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.server import get_login, reach
from hashinsight.kit.embedded.disk import free_mb
from hashinsight.kit.embedded.folder import DataFolder, check_version, unusable_folder
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.process import run
from hashinsight.kit.secret_key import FILE_NAME, load_secret_key
from hashinsight.kit.settings import Settings, load_settings
from hashinsight.kit.ticks.heartbeats import MISSING_AFTER, list_live_processes
from hashinsight.kit.ticks.queries import list_health

_MAX_CLOCK_SECONDS = 5.0


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


@dataclass(frozen=True)
class Finding:
    part: str
    state: State
    message: str


def doctor(*, as_json: bool) -> None:
    settings = load_settings()
    configure_logs(settings.model_copy(update={"log_level": "ERROR"}), "doctor")
    findings = run(_check(settings))
    wrong = any(finding.state is State.WRONG for finding in findings)
    if as_json:
        typer.echo(json.dumps({"ok": not wrong, "findings": [asdict(finding) for finding in findings]}))
    else:
        _show(findings)
    raise typer.Exit(1 if wrong else 0)


async def _check(settings: Settings) -> list[Finding]:
    findings = [*_folder(settings), _gomp()]
    database = [finding async for finding in _database(settings)]
    findings += database
    if database[0].state is State.OK:  # with nothing running, one finding is enough
        findings += [await _redis(settings), *await _replica(settings), *_api(settings)]
    return findings


def _api(settings: Settings) -> list[Finding]:
    url = own_url(settings)
    answer = get_readiness(url)
    if not answer.get("parts"):
        return [Finding("api", State.WRONG, f"no response at {url}: is `hashinsight serve` running?")]
    state = {"ready": State.OK, "degraded": State.WARNING}.get(answer["status"], State.WRONG)
    return [Finding("api", state, f"{url}: {answer['status']}"), _proxy(settings)]


def _proxy(settings: Settings) -> Finding:
    """Based on a header that any client can send: a hint for a person who knows whether there is a proxy."""
    count = find_metric_total(settings, "hashinsight_http_forwarded_untrusted_total")
    if count is None:
        return Finding("proxy", State.OK, "not checked: no access to /metrics; set HASHINSIGHT_METRICS_TOKEN")
    if not count:
        return Finding("proxy", State.OK, "no requests from untrusted proxies")
    return Finding(
        "proxy",
        State.WARNING,
        f"{count:.0f} requests with X-Forwarded-For from an untrusted address (log: proxy_not_trusted). "
        "If it is your proxy, add it to HASHINSIGHT_TRUSTED_PROXIES; until then all its clients count as one.",
    )


async def _replica(settings: Settings) -> list[Finding]:
    if settings.read_database_url is None:
        return []
    address = address_from_url(settings.read_database_url.get_secret_value())
    try:
        await reach(address)
    except OperatorError as refusal:
        return [Finding("replica", State.WRONG, f"{refusal} Reads use the primary server until then.")]
    return [Finding("replica", State.OK, address.shown)]


def _folder(settings: Settings) -> list[Finding]:
    folder = DataFolder(settings.data_dir)
    if not os.path.exists(folder.path):  # noqa: PTH110 - Path.exists raises if a parent is not readable
        return [Finding("data folder", State.WARNING, f"{folder.path} does not exist yet: the first start creates it")]
    try:
        check_version(folder)
        if settings.secret_key is not None or (folder.path / FILE_NAME).exists():
            load_secret_key(settings)
        writable = os.access(folder.path, os.W_OK | os.X_OK)
    except OperatorError as refusal:
        return [Finding("data folder", State.WRONG, str(refusal))]
    except OSError as error:
        return [Finding("data folder", State.WRONG, str(unusable_folder(folder.path, error)))]
    if not writable:
        return [
            Finding("data folder", State.WRONG, str(unusable_folder(folder.path, PermissionError(13, "not writable"))))
        ]
    free = free_mb(folder.path)
    low = free < settings.disk_reserve_mb
    room = f"{free / 1000:,.1f} GB free; telemetry is refused below {settings.disk_reserve_mb / 1000:,.1f} GB"
    return [
        Finding("data folder", State.OK, str(folder.path)),
        Finding("disk", State.WRONG if low else State.OK, room),
    ]


def _gomp() -> Finding:
    """Never a problem: nothing in this version needs it."""
    state = "installed" if ctypes.util.find_library("gomp") else "missing (package libgomp1)"
    return Finding("libgomp", State.OK, f"{state}; needed only by the risk model, which this version does not have yet")


async def _redis(settings: Settings) -> Finding:
    redis = open_async_redis(settings)
    try:
        await redis.ping()
    except (RedisError, OSError) as error:
        return Finding(
            "redis",
            State.WRONG,
            f"no response ({type(error).__name__}): slower, but no data is lost",
        )
    finally:
        await redis.aclose()
    return Finding("redis", State.OK, "connected")


async def _database(settings: Settings) -> AsyncIterator[Finding]:
    from hashinsight.migrations import current_revision, head_revision

    try:
        database = open_database(settings, "doctor")
        version = await reach(database.address)
    except OperatorError as refusal:
        yield Finding("database", State.WRONG, str(refusal))
        return
    yield Finding("database", State.OK, f"PostgreSQL {version // 10000}.{version % 10000}, {database.address.shown}")
    try:
        async with database.transaction(job_context(work_seconds=30)) as session:
            revision, head = await current_revision(session), head_revision()
            behind = f"at revision {revision}, this version needs {head}: run `hashinsight migrate`"
            yield (
                Finding("schema", State.OK, f"at revision {head}")
                if revision == head
                else Finding("schema", State.WRONG, behind)
            )
            login = await get_login(session)
            skew = abs((login.at - system_clock()).total_seconds())
            yield Finding(
                "clock",
                State.WRONG if skew > _MAX_CLOCK_SECONDS else State.OK,
                f"{skew:.1f} s off the database clock",
            )
            if login.bypasses_policies:
                yield Finding(
                    "database account",
                    State.WARNING,
                    "the account is a superuser or bypasses row-level security: use an ordinary account",
                )
            if revision == head:
                alive = {beat.process for beat in await list_live_processes(session, now=system_clock())}
                for process in ("worker", "scheduler"):
                    missing = f"not seen for {MISSING_AFTER.total_seconds():.0f} s: start `hashinsight {process}`"
                    yield (
                        Finding(process, State.OK, "running")
                        if process in alive
                        else Finding(process, State.WRONG, missing)
                    )
                complaint = (await get_unsealed_tail(session)).complaint(system_clock())
                state = State.WRONG if complaint else State.OK
                yield Finding("audit seals", state, complaint or "up to date")
                for health in await list_health(session, now=system_clock()):
                    complaint = health.complaint(system_clock())
                    age = show_age(health.last_done, now=system_clock())
                    done = f"last run {age}" if age else "not run yet"
                    yield Finding(f"tick {health.tick}", State.WRONG if complaint else State.OK, complaint or done)
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", error)).splitlines()[0]
        yield Finding("schema", State.WRONG, f"{cause}: run `hashinsight migrate`")
    finally:
        await database.dispose()


def _show(findings: list[Finding]) -> None:
    colours = {State.OK: "green", State.WARNING: "yellow", State.WRONG: "red"}
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("part", "state", "finding"):
        table.add_column(column, overflow="fold")
    for finding in findings:
        table.add_row(
            finding.part,
            f"[{colours[finding.state]}]{finding.state.value}[/]",
            finding.message,
            end_section=False,
        )
    Console().print(table)
