"""Status of a collector from its state folder, running or not; and a check whether it can run."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.cloud.answers import AnswerKind
from hashinsight.edge.cloud.client import CloudClient
from hashinsight.edge.cloud.remote_config import find_saved_config
from hashinsight.edge.cloud.resources import JOURNAL, SPOOL
from hashinsight.edge.fault_log import FaultLog
from hashinsight.edge.miner_ids import read_asset_list
from hashinsight.edge.settings import Settings, SettingsError, count_addresses
from hashinsight.edge.settings_file import get_device_id, make_state_dir, read_token
from hashinsight.edge.storage.disk import is_locked, open_read_only
from hashinsight.edge.storage.events import list_gaps
from hashinsight.edge.storage.journal import count_dispatches

STATUS_FILE = "status.json"


def read_status(folder: Path) -> dict[str, Any]:
    """Read only. What does not exist yet is null."""
    status = _read_status_file(folder)
    saved = find_saved_config(folder / "config.json")
    return {
        "running": is_locked(folder),
        "state_dir": str(folder),
        **{
            name: status.get(name)
            for name in ("at", "started_at", "version", "device_id", "machines", "cloud", "uploads")
        },
        "config_version": saved["version"] if saved else None,
        "spool": _query(folder / SPOOL, _spool_status),
        "journal": _query(folder / JOURNAL, _journal_status),
        "errors": status.get("errors", []),
    }


async def check(settings: Settings) -> list[tuple[str, bool, str]]:
    """What would keep the collector from running: item, whether it is fine, and details."""
    checks = [await check_library(), ("state folder", True, str(make_state_dir(settings)))]
    addresses = sum(count_addresses(text) for text in settings.miners.ranges)
    checks.append(("ranges", addresses > 0, f"{addresses} addresses" if addresses else "miners.ranges is empty"))
    if settings.miners.id_file is not None:
        checks.append(_check_asset_list(settings.miners.id_file))
    verify = f"on, {len(settings.signing.keys)} keys" if settings.signing.is_on else "off"
    checks.append(("signatures", True, verify))
    if not settings.cloud.url:
        return [*checks, ("cloud", False, "cloud.url is not set")]
    try:
        read_token(settings)
    except SettingsError as error:
        return [*checks, ("token", False, str(error))]
    return checks + await _check_cloud(settings)


async def check_library() -> tuple[str, bool, str]:
    """Loaded in a separate process, as for polling: a wheel for another platform installs but does not load."""
    code = "import importlib.metadata, pyasic_rs; print(importlib.metadata.version('pyasic_rs'))"
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=pipe, stderr=pipe)
    output, errors = await process.communicate()
    if process.returncode == 0:
        return "library", True, f"pyasic_rs {output.decode().strip()}"
    reason = (errors.decode(errors="replace").strip().splitlines() or ["no message"])[-1][:200]
    return "library", False, f"pyasic_rs cannot be loaded ({reason}): run `pip install 'hashinsight[edge]'`"


def _check_asset_list(path: Path) -> tuple[str, bool, str]:
    try:
        return "asset list", True, f"{len(set(read_asset_list(path).values()))} machines"
    except SettingsError as error:
        return "asset list", False, str(error)


async def _check_cloud(settings: Settings) -> list[tuple[str, bool, str]]:
    """Registering with a token and without a code returns the collector's state; it does not count as a heartbeat."""
    client = CloudClient(settings, get_device_id(settings), FaultLog(lambda: 0.0))
    try:
        answer = await client.post("/register", {})
    finally:
        await client.aclose()
    if answer.kind is AnswerKind.RETRY:
        return [("cloud", False, f"{settings.cloud.url}: {answer.reason}")]
    cloud = ("cloud", True, settings.cloud.url)
    if answer.kind is not AnswerKind.DELIVERED:
        return [cloud, ("token", False, f"{answer.code or answer.status}: {answer.reason}")]
    status, site = answer.body.get("status"), answer.body.get("site_id")
    is_active = status in ("active", "offline")  # offline only means no heartbeat for a while
    return [cloud, ("token", is_active, f"collector {status}, site {site}")]


def _read_status_file(folder: Path) -> dict[str, Any]:
    try:
        status = msgspec.json.decode((folder / STATUS_FILE).read_bytes())
    except (OSError, msgspec.DecodeError):
        return {}
    return status if isinstance(status, dict) else {}


def _query(path: Path, query: Callable[[sqlite3.Connection], dict[str, Any]]) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        with open_read_only(path) as db:
            return query(db)
    except sqlite3.Error as error:
        return {"error": str(error)}


def _spool_status(db: sqlite3.Connection) -> dict[str, Any]:
    samples, size, oldest, newest = db.execute(
        "select total(count), total(size), min(at), max(at) from chunks"
    ).fetchone()
    (aside,) = db.execute("select count(*) from aside").fetchone()
    return {
        "samples": int(samples),
        "bytes": int(size),
        "oldest_at": oldest,
        "newest_at": newest,
        "set_aside": aside,
        "gaps": [msgspec.to_builtins(gap) for gap in list_gaps(db)[-10:]],
    }


def _journal_status(db: sqlite3.Connection) -> dict[str, Any]:
    counts = count_dispatches(db)
    (events,) = db.execute("select count(*) from events").fetchone()
    names = ("command_id", "miner_id", "command_type", "begun_at", "done_at", "status", "answer")
    last = db.execute(
        f"select {', '.join(names)} from dispatches order by coalesce(done_at, begun_at) desc limit 10"  # noqa: S608
    ).fetchall()
    return {
        "running": counts.begun,
        "done": counts.done,
        "acks_waiting": counts.undelivered,
        "events_waiting": events,
        "last": [dict(zip(names, row, strict=True)) for row in last],
    }
