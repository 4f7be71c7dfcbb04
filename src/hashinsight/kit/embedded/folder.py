"""The data folder: its access rights, the version that wrote it, and a lock so that only one program uses it."""

import contextlib
import fcntl
import hashlib
import json
import os
import pwd
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hashinsight.kit.embedded.account import Account
from hashinsight.kit.errors import OperatorError

LAYOUT = 1
# allowed in a new data folder: a secret key to restore with, and traces of a refused start
_ALLOWED_IN_NEW = frozenset({"secret.key", "postgres.conf", "metrics", "lock", "lost+found"})
_MAX_SOCKET_PATH = 100  # the kernel's limit for a socket path is 107 bytes


@dataclass(frozen=True)
class DataFolder:
    path: Path

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def valkey(self) -> Path:
        return self.path / "valkey"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def postgres_logs(self) -> Path:
        return self.logs / "postgres"

    @property
    def config(self) -> Path:
        return self.path / "config"

    @property
    def server_lock(self) -> Path:
        return self.path / "postgres.lock"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def version_file(self) -> Path:
        return self.path / "version.json"

    @property
    def sockets(self) -> Path:
        """Inside the data folder, or, where that path is too long for a socket, under the system's temporary one."""
        inside = self.path / "sockets"
        if len(str(inside / ".s.PGSQL.5432.lock")) <= _MAX_SOCKET_PATH:
            return inside
        digest = hashlib.sha256(str(self.path).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"hashinsight-{digest}"

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def postgres_socket(self) -> Path:
        return self.sockets / ".s.PGSQL.5432"


def open_folder(path: Path) -> DataFolder:
    """Create the folder if missing; check its owner, access and version."""
    folder = DataFolder(path)
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = path / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
        foreign = sorted(entry.name for entry in path.iterdir() if entry.name not in _ALLOWED_IN_NEW)
    except OSError as error:
        raise unusable_folder(path, error) from error
    if foreign and not folder.version_file.exists():
        raise OperatorError(
            f"{path} is not a HashInsight data folder: it holds {', '.join(foreign[:3])}; "
            "set HASHINSIGHT_DATA_DIR to a folder of its own."
        )
    check_version(folder)
    return folder


def unusable_folder(path: Path, error: OSError) -> OperatorError:
    """The error for a data folder that the system does not let us use."""
    owner = ""
    with contextlib.suppress(OSError, KeyError):
        uid = path.stat().st_uid
        owner = f"it belongs to {pwd.getpwuid(uid).pw_name}: " if uid != os.geteuid() else ""
    return OperatorError(
        f"the data folder {path} cannot be used ({error.strerror or error}): {owner}"
        "run this as its owner, or set HASHINSIGHT_DATA_DIR to another folder."
    )


def check_owner(folder: DataFolder, account: Account) -> None:
    """A database created by another user is not touched: that user could not undo our changes."""
    if folder.postgres.exists() and folder.postgres.stat().st_uid != account.uid:
        uid = folder.postgres.stat().st_uid
        with contextlib.suppress(KeyError):
            raise OperatorError(
                f"the database in {folder.path} belongs to the user {pwd.getpwuid(uid).pw_name}, and this start would "
                f"run it as {account.name}: run this as that user."
            )
        raise OperatorError(f"the database in {folder.path} belongs to user id {uid}: run this as that user.")


def sync_folder(path: Path) -> None:
    """A rename survives a power cut only once its folder is synced too."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_version(folder: DataFolder) -> None:
    if not folder.version_file.exists():
        return
    try:
        layout = json.loads(folder.version_file.read_text())["layout"]
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise OperatorError(
            f"{folder.version_file} does not hold a version: {folder.path} is not a HashInsight data folder, "
            "or is damaged; choose another HASHINSIGHT_DATA_DIR or restore it from a backup."
        ) from error
    if layout != LAYOUT:
        raise OperatorError(
            f"the data folder {folder.path} was written by another version of HashInsight (its layout is {layout}, "
            f"this version's is {LAYOUT}): run the version that wrote it, or choose another HASHINSIGHT_DATA_DIR."
        )


def prepare(folder: DataFolder, account: Account) -> None:
    """Create the inner folders, owned by the server account and closed to all others."""
    if not folder.version_file.exists():
        aside = folder.version_file.with_suffix(".part")
        with aside.open("w") as file:
            file.write(json.dumps({"layout": LAYOUT}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        aside.rename(folder.version_file)
        sync_folder(folder.path)
    _let_through(folder.path, account)
    for ours in (folder.config, folder.logs):  # readable, not writable, for the servers
        ours.mkdir(exist_ok=True, mode=0o700)
        _let_through(ours, account)
    for theirs in (folder.valkey, folder.postgres_logs):
        theirs.mkdir(exist_ok=True, mode=0o700)
        account.own(theirs)
    _make_sockets(folder.sockets, account)
    if not account.can_reach(folder.logs):
        raise OperatorError(
            f"the database user {account.name} cannot access {folder.path}: run chmod o+x on the folders "
            "above it, or set HASHINSIGHT_DATA_DIR to a place such as /var/lib/hashinsight."
        )


def _let_through(path: Path, account: Account) -> None:
    """Let the service user pass through one of our folders, and nobody else."""
    if account.is_other:
        os.chown(path, -1, account.gid)
        path.chmod(0o710)


@contextmanager
def hold_folder(folder: DataFolder) -> Iterator[None]:
    """Lock the data folder for this process; the lock ends with the process."""
    with folder.lock.open("a+") as file:
        folder.lock.chmod(0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise OperatorError(
                f"another HashInsight (process {holder}) is using the data folder {folder.path}: "
                "stop it, or set HASHINSIGHT_DATA_DIR to another folder."
            ) from None
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _make_sockets(sockets: Path, account: Account) -> None:
    sockets.mkdir(exist_ok=True, mode=0o700)
    state = sockets.lstat()
    # anybody can create it in the temporary folder: use it only if it is ours
    if sockets.is_symlink() or state.st_uid not in (os.geteuid(), account.uid):
        raise OperatorError(f"{sockets} belongs to another user: remove it, or choose a shorter HASHINSIGHT_DATA_DIR.")
    sockets.chmod(0o700)
    account.own(sockets)
