"""The installation's secret key: from the environment, or created once in a file readable only by its owner."""

import os
import secrets
from pathlib import Path

from hashinsight.kit.errors import OperatorError
from hashinsight.kit.settings import Settings

FILE_NAME = "secret.key"
MIN_CHARS = 32


def load_secret_key(settings: Settings) -> bytes:
    if settings.secret_key is not None:
        return _checked(settings.secret_key.get_secret_value(), "HASHINSIGHT_SECRET_KEY")
    path = settings.data_dir / FILE_NAME
    if not path.exists():
        _make(path)
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise OperatorError(f"the secret key {path} can be read by others (mode {mode:o}): run chmod 600 {path}")
    return _checked(path.read_text().strip(), str(path))


def _make(path: Path) -> None:
    """Write a temporary file, then link it: processes starting together get the same, complete key."""
    aside = path.with_name(f"{FILE_NAME}.{os.getpid()}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(aside, path)
    except FileExistsError:
        return
    finally:
        aside.unlink()


def _checked(key: str, source: str) -> bytes:
    if len(key) < MIN_CHARS:
        raise OperatorError(f"the secret key in {source} is shorter than {MIN_CHARS} characters: use a longer one")
    return key.encode()
