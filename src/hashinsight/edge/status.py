"""What the state folder tells, whether the edge runs or not; and whether it could."""

import asyncio
import sqlite3
import sys
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.cloud.answers import Kind
from hashinsight.edge.cloud.client import Line
from hashinsight.edge.cloud.remote_config import find_kept
from hashinsight.edge.cloud.resources import JOURNAL, SPOOL
from hashinsight.edge.fault_log import Say
from hashinsight.edge.miner_ids import read_asset_list
from hashinsight.edge.settings import Settings, SettingsError, count_addresses
from hashinsight.edge.settings_file import device_id, make_state_dir, read_token
from hashinsight.edge.storage.disk import is_locked, read_only
from hashinsight.edge.storage.events import list_gaps

_STATUS = "status.json"


def read_status(folder: Path) -> dict[str, Any]:
    """Reads only. What is not there yet is null."""
    told = _last_words(folder)
    kept = find_kept(folder / "config.json")
    return {
        "running": is_locked(folder),
        "state_dir": str(folder),
        **{
            name: told.get(name)
            for name in ("at", "started_at", "version", "device_id", "machines", "cloud", "uploads")
        },
        "config_version": kept["version"] if kept else None,
        "spool": _asked(folder / SPOOL, _spool),
        "journal": _asked(folder / JOURNAL, _journal),
        "errors": told.get("errors", []),
    }


async def check(settings: Settings) -> list[tuple[str, bool, str]]:
    """What would keep it from running: the matter, whether it is fine, and how it stands."""
    found = [await check_library(), ("state folder", True, str(make_state_dir(settings)))]
    addresses = sum(count_addresses(one) for one in settings.miners.ranges)
    found.append(("ranges", addresses > 0, f"{addresses} addresses" if addresses else "miners.ranges names none"))
    if settings.miners.id_file is not None:
        found.append(_asset_list(settings.miners.id_file))
    verify = f"on, {len(settings.signing.keys)} keys" if settings.signing.is_on else "off"
    found.append(("signatures", True, verify))
    if not settings.cloud.url:
        return [*found, ("cloud", False, "cloud.url is not set")]
    try:
        read_token(settings)
    except SettingsError as problem:
        return [*found, ("token", False, str(problem))]
    return found + await _ask_cloud(settings)


async def check_library() -> tuple[str, bool, str]:
    """Loaded in a process of its own, as the reader does: a wheel for another system is found, and does not load."""
    code = "import importlib.metadata, pyasic_rs; print(importlib.metadata.version('pyasic_rs'))"
    pipe = asyncio.subprocess.PIPE
    tried = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=pipe, stderr=pipe)
    told, complaint = await tried.communicate()
    if tried.returncode == 0:
        return "library", True, f"pyasic_rs {told.decode().strip()}"
    reason = (complaint.decode(errors="replace").strip().splitlines() or ["it ended"])[-1][:200]
    return "library", False, f"pyasic_rs cannot be loaded ({reason}): run `pip install 'hashinsight[edge]'`"


def _asset_list(path: Path) -> tuple[str, bool, str]:
    try:
        return "asset list", True, f"{len(set(read_asset_list(path).values()))} machines"
    except SettingsError as problem:
        return "asset list", False, str(problem)


async def _ask_cloud(settings: Settings) -> list[tuple[str, bool, str]]:
    """A token and no code asks for the collector's own state; it does not count as heard."""
    line = Line(settings, device_id(settings), Say(lambda: 0.0))
    try:
        answer = await line.post("/register", {})
    finally:
        await line.aclose()
    if answer.kind is Kind.LATER:
        return [("cloud", False, f"{settings.cloud.url}: {answer.reason}")]
    reached = ("cloud", True, settings.cloud.url)
    if answer.kind is not Kind.DELIVERED:
        return [reached, ("token", False, f"{answer.code or answer.status}: {answer.reason}")]
    status, site = answer.body.get("status"), answer.body.get("site_id")
    is_active = status in ("active", "offline")  # offline only means that it has not called for a while
    return [reached, ("token", is_active, f"collector {status}, site {site}")]


def _last_words(folder: Path) -> dict[str, Any]:
    try:
        told = msgspec.json.decode((folder / _STATUS).read_bytes())
    except (OSError, msgspec.DecodeError):
        return {}
    return told if isinstance(told, dict) else {}


def _asked(path: Path, ask: Any) -> Any:
    if not path.exists():
        return None
    try:
        with read_only(path) as db:
            return ask(db)
    except sqlite3.Error as problem:
        return {"error": str(problem)}


def _spool(db: sqlite3.Connection) -> dict[str, Any]:
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


def _journal(db: sqlite3.Connection) -> dict[str, Any]:
    begun, done, waiting = db.execute(
        "select count(*) filter (where done_at is null), count(*) filter (where done_at is not null),"
        " count(*) filter (where ack is not null and delivered_at is null) from dispatches"
    ).fetchone()
    (events,) = db.execute("select count(*) from events").fetchone()
    names = ("command_id", "miner_id", "command_type", "begun_at", "done_at", "status", "answer")
    last = db.execute(
        f"select {', '.join(names)} from dispatches order by coalesce(done_at, begun_at) desc limit 10"  # noqa: S608
    ).fetchall()
    return {
        "running": begun,
        "done": done,
        "acks_waiting": waiting,
        "events_waiting": events,
        "last": [dict(zip(names, row, strict=True)) for row in last],
    }
