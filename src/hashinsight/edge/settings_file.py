"""Loads the settings: defaults, then the TOML file, then the environment. An error is one sentence, not a traceback."""

import os
import stat
import tomllib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.settings import Settings, SettingsError
from hashinsight.edge.storage.disk import replace_file

PREFIX = "HASHINSIGHT_EDGE_"
_MAX_TOKEN = 4096
_SECTIONS = ("cloud", "place", "miners", "spool", "limits", "signing", "protection")


def load_settings(config: Path | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """`HASHINSIGHT_EDGE_CLOUD_URL` is `url` of `[cloud]`; lists are comma-separated. File: `--config` or `…_CONFIG`."""
    path = config or (Path(environ[f"{PREFIX}CONFIG"]) if environ.get(f"{PREFIX}CONFIG") else None)
    values = _read_file(path) if path else {}
    _apply_environment(values, environ)
    values.setdefault("state_dir", str(_default_state_dir(environ)))
    place = values.get("place")
    if isinstance(place, dict) and isinstance(place.get("site"), int):
        place["site"] = str(place["site"])
    try:
        settings = msgspec.convert(values, Settings, strict=False, dec_hook=lambda kind, value: kind(value))
    except msgspec.ValidationError as error:
        raise SettingsError(_sentence(str(error))) from None
    return msgspec.structs.replace(settings, state_dir=settings.state_dir.expanduser().absolute())


def make_state_dir(settings: Settings) -> Path:
    """Readable only by its owner: it holds the token and the site's measurements."""
    folder = settings.state_dir
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise SettingsError(f"this user may not write to the state folder {folder}")
    except OSError as error:
        raise SettingsError(f"cannot create the state folder {folder}: {error.strerror}") from None
    return folder


def read_token(settings: Settings) -> str:
    """Read again whenever the cloud refuses the token, so that a rotated token needs no restart."""
    path = settings.token_path
    try:
        with path.open("rb") as file:
            _check_private(path, os.fstat(file.fileno()))
            token = file.read(_MAX_TOKEN).decode("ascii").strip()
    except FileNotFoundError:
        raise SettingsError(f"there is no token in {path}: put it there, or run `hashinsight edge enrol`") from None
    except OSError as error:
        raise SettingsError(f"cannot read the token file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        token = ""
    if not token or not token.isprintable() or " " in token:
        raise SettingsError(f"the token file {path} does not hold a token")
    return token


def get_device_id(settings: Settings) -> str:
    """The name of this device, for leases: from the settings, or generated once and kept."""
    if settings.place.device_id:
        return settings.place.device_id
    path = make_state_dir(settings) / "device_id"
    try:
        return path.read_text().strip() or _generate_device_id(path)
    except FileNotFoundError:
        return _generate_device_id(path)


def _generate_device_id(path: Path) -> str:
    device_id = f"edge-{uuid.uuid4().hex[:16]}"
    replace_file(path, f"{device_id}\n".encode(), durably=True)
    return device_id


def _read_file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
            has_secrets = "password" in str(values) or "'key'" in str(values)
            if has_secrets:
                _check_private(path, os.fstat(file.fileno()))
    except OSError as error:
        raise SettingsError(f"cannot read the settings file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"the settings file {path} is not TOML: {error}") from None
    if "state_dir" in values and isinstance(values["state_dir"], str):
        values["state_dir"] = str(path.parent / Path(values["state_dir"]).expanduser())
    return values


def _check_private(path: Path, status: os.stat_result) -> None:
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
        raise SettingsError(f"{path} holds secrets and is readable by others: run `chmod 600 {path}`")


def _apply_environment(values: dict[str, Any], environ: Mapping[str, str]) -> None:
    for name, value in environ.items():
        if not name.startswith(PREFIX) or not value or name == f"{PREFIX}CONFIG":
            continue
        word = name.removeprefix(PREFIX).lower()
        section, _, field = word.partition("_")
        if section in _SECTIONS and field:
            fields = values.setdefault(section, {})
            if isinstance(fields, dict):
                fields[field] = _parse(section, field, value)
        else:
            values[word] = value


def _parse(section: str, field: str, value: str) -> Any:
    if (section, field) in (("miners", "ranges"), ("limits", "types")):
        return [item.strip() for item in value.split(",") if item.strip()]
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


def _sentence(error: str) -> str:
    """Turns msgspec's `Expected … - at `$.cloud.url`` around: setting first."""
    what, _, where = error.partition(" - at `$")
    setting = where.rstrip("`").lstrip(".").replace("[...]", "")
    what = what.replace("Object contains unknown field", "there is no setting")
    what = what[:1].lower() + what[1:]
    return what if not setting or what.startswith(f"{setting}.") else f"{setting}: {what}"
