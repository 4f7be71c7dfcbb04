"""Reads the settings: defaults, then the TOML file, then the environment. A mistake is one sentence, not a trace."""

import os
import stat
import tomllib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.settings import Settings, SettingsError
from hashinsight.edge.storage.disk import write_durably

PREFIX = "HASHINSIGHT_EDGE_"
_MOST_TOKEN = 4096
_SECTIONS = ("cloud", "place", "miners", "spool", "limits", "signing", "protection")


def load_settings(config: Path | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """`HASHINSIGHT_EDGE_CLOUD_URL` is `url` of `[cloud]`; lists by comma. The file: `--config`, or `…_CONFIG`."""
    chosen = config or (Path(environ[f"{PREFIX}CONFIG"]) if environ.get(f"{PREFIX}CONFIG") else None)
    given = _read_file(chosen) if chosen else {}
    _overlay(given, environ)
    given.setdefault("state_dir", str(_default_state_dir(environ)))
    place = given.get("place")
    if isinstance(place, dict) and isinstance(place.get("site"), int):
        place["site"] = str(place["site"])
    try:
        settings = msgspec.convert(given, Settings, strict=False, dec_hook=lambda kind, value: kind(value))
    except msgspec.ValidationError as problem:
        raise SettingsError(_sentence(str(problem))) from None
    return msgspec.structs.replace(settings, state_dir=settings.state_dir.expanduser().absolute())


def make_state_dir(settings: Settings) -> Path:
    """Closed to others: it holds the token, and what the site has measured."""
    folder = settings.state_dir
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise SettingsError(f"this user may not write in the state folder {folder}")
    except OSError as problem:
        raise SettingsError(f"the state folder {folder} cannot be made: {problem.strerror}") from None
    return folder


def read_token(settings: Settings) -> str:
    """Read anew whenever the cloud refuses it, so that a rotated token needs no restart."""
    path = settings.token_path
    try:
        with path.open("rb") as file:
            _check_closed(path, os.fstat(file.fileno()))
            token = file.read(_MOST_TOKEN).decode("ascii").strip()
    except FileNotFoundError:
        raise SettingsError(f"there is no token in {path}: put it there, or run `hashinsight edge enrol`") from None
    except OSError as problem:
        raise SettingsError(f"the token file {path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        token = ""
    if not token or not token.isprintable() or " " in token:
        raise SettingsError(f"the token file {path} holds no token")
    return token


def device_id(settings: Settings) -> str:
    """The name of this box, for the leases: chosen by people, or made once and kept."""
    if settings.place.device_id:
        return settings.place.device_id
    path = make_state_dir(settings) / "device_id"
    try:
        return path.read_text().strip() or _made(path)
    except FileNotFoundError:
        return _made(path)


def _made(path: Path) -> str:
    made = f"edge-{uuid.uuid4().hex[:16]}"
    write_durably(path, f"{made}\n".encode())
    return made


def _read_file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            given = tomllib.load(file)
            secret = "password" in str(given) or "'key'" in str(given)
            if secret:
                _check_closed(path, os.fstat(file.fileno()))
    except OSError as problem:
        raise SettingsError(f"the settings file {path} cannot be read: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError(f"the settings file {path} is not TOML: {problem}") from None
    if "state_dir" in given and isinstance(given["state_dir"], str):
        given["state_dir"] = str(path.parent / Path(given["state_dir"]).expanduser())
    return given


def _check_closed(path: Path, status: os.stat_result) -> None:
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
        raise SettingsError(f"{path} holds secrets and others may read it: run `chmod 600 {path}`")


def _overlay(given: dict[str, Any], environ: Mapping[str, str]) -> None:
    for name, value in environ.items():
        if not name.startswith(PREFIX) or not value or name == f"{PREFIX}CONFIG":
            continue
        word = name.removeprefix(PREFIX).lower()
        section, _, field = word.partition("_")
        if section in _SECTIONS and field:
            inside = given.setdefault(section, {})
            if isinstance(inside, dict):
                inside[field] = _listed(section, field, value)
        else:
            given[word] = value


def _listed(section: str, field: str, value: str) -> Any:
    if (section, field) in (("miners", "ranges"), ("limits", "types")):
        return [one.strip() for one in value.split(",") if one.strip()]
    if (section, field) in (("miners", "credentials"), ("signing", "keys")):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            raise SettingsError(f"{PREFIX}{section.upper()}_{field.upper()} is not a JSON list") from None
    return value


def _default_state_dir(environ: Mapping[str, str]) -> Path:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/hashinsight-edge")
    return Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hashinsight-edge"


def _sentence(problem: str) -> str:
    """The library says `Expected … - at `$.cloud.url``; people read the place first."""
    what, _, where = problem.partition(" - at `$")
    place = where.rstrip("`").lstrip(".").replace("[...]", "")
    what = what.replace("Object contains unknown field", "there is no setting")
    what = what[:1].lower() + what[1:]
    return what if not place or what.startswith(f"{place}.") else f"{place}: {what}"
