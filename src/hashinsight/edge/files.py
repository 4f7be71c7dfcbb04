"""Small files that are replaced as a whole: a reader sees the old one or the new one, never half of either."""

import fcntl
import os
import time
from pathlib import Path

_TRIES, _TRY_SEC = 20, 0.05


class InUse(Exception):
    """Another edge holds this state folder."""


def write_whole(path: Path, content: bytes, *, durably: bool = False) -> None:
    """`durably`: also after a power cut it is the new one; costs a trip to the disk."""
    draft = path.with_name(f".{path.name}.new")
    with draft.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
        if durably:
            file.flush()
            os.fsync(file.fileno())
    draft.replace(path)
    if durably:
        _sync_folder(path.parent)


def write_durably(path: Path, content: bytes) -> None:
    write_whole(path, content, durably=True)


class FolderLock:
    """One edge for a state folder. The kernel lets go of it when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "lock").open("a+b")
        if not self._taken():
            self._file.seek(0)
            holder = self._file.read(20).decode(errors="replace").strip()
            self._file.close()
            raise InUse(f"another edge uses {folder} (process {holder or 'unknown'})") from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())
        self._file.flush()

    def _taken(self) -> bool:
        """Some tries: `edge status` holds it for an instant, and that is no second edge."""
        for _ in range(_TRIES):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_TRY_SEC)
            else:
                return True
        return False

    def release(self) -> None:
        self._file.close()


def is_locked(folder: Path) -> bool:
    """Whether an edge runs on this folder now."""
    try:
        with (folder / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
