"""The data folder: who may enter it, which version wrote it, and that only one program works in it at a time."""

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
# what may lie in a folder that is not one of ours yet: a secret key to restore with, and traces of a refused start
_BEFORE_THE_FIRST_START = frozenset({"secret.key", "postgres.conf", "metrics", "lock", "lost+found"})
_MAX_SOCKET_PATH = 100  # the kernel allows 107 bytes for the path of a socket


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
    """Make the folder if it is missing, and check that it is ours, that we can work in it, and its version."""
    folder = DataFolder(path)
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = path / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
        foreign = sorted(one.name for one in path.iterdir() if one.name not in _BEFORE_THE_FIRST_START)
    except OSError as error:
        raise unusable_folder(path, error) from error
    if foreign and not folder.version_file.exists():
        raise OperatorError(
            f"{path} holds other things ({', '.join(foreign[:3])}) and is no data folder of HashInsight: "
            "set HASHINSIGHT_DATA_DIR to a folder of its own."
        )
    check_version(folder)
    return folder


def unusable_folder(path: Path, error: OSError) -> OperatorError:
    """The sentence for a data folder that the system keeps from us."""
    owner = ""
    with contextlib.suppress(OSError, KeyError):
        uid = path.stat().st_uid
        owner = f"it belongs to {pwd.getpwuid(uid).pw_name}: " if uid != os.geteuid() else ""
    return OperatorError(
        f"the data folder {path} cannot be used ({error.strerror or error}): {owner}"
        "run this as the user that it belongs to, or set HASHINSIGHT_DATA_DIR to another folder."
    )


def check_owner(folder: DataFolder, account: Account) -> None:
    """A database that another user made is not touched: what we would change about it, that user could not undo."""
    if folder.postgres.exists() and folder.postgres.stat().st_uid != account.uid:
        uid = folder.postgres.stat().st_uid
        with contextlib.suppress(KeyError):
            raise OperatorError(
                f"the database in {folder.path} belongs to the user {pwd.getpwuid(uid).pw_name}, and this start would "
                f"run it as {account.name}: run this as the user who started it first."
            )
        raise OperatorError(f"the database in {folder.path} belongs to user id {uid}: run this as that user.")


def sync_folder(path: Path) -> None:
    """A rename is safe from a power cut only when its folder is on the disk too."""
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
            f"{folder.version_file} cannot be read as a version: {folder.path} is not a data folder of HashInsight, "
            "or is damaged; choose another HASHINSIGHT_DATA_DIR or restore it from a backup."
        ) from error
    if layout != LAYOUT:
        raise OperatorError(
            f"the data folder {folder.path} was written by another version of HashInsight (its layout is {layout}, "
            f"this version's is {LAYOUT}): run the version that wrote it, or choose another HASHINSIGHT_DATA_DIR."
        )


def prepare(folder: DataFolder, account: Account) -> None:
    """Make the inner folders, owned by the account of the servers and closed to everybody else."""
    if not folder.version_file.exists():
        aside = folder.version_file.with_suffix(".part")
        with aside.open("w") as file:
            file.write(json.dumps({"layout": LAYOUT}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        aside.rename(folder.version_file)
        sync_folder(folder.path)
    _let_through(folder.path, account)
    for ours in (folder.config, folder.logs):  # the servers read these, and cannot plant anything in them
        ours.mkdir(exist_ok=True, mode=0o700)
        _let_through(ours, account)
    for theirs in (folder.valkey, folder.postgres_logs):
        theirs.mkdir(exist_ok=True, mode=0o700)
        account.own(theirs)
    _make_sockets(folder.sockets, account)
    if not account.can_reach(folder.logs):
        raise OperatorError(
            f"the user {account.name}, who runs the database, cannot reach {folder.path}: open the folders above it "
            "with chmod o+x, or set HASHINSIGHT_DATA_DIR to a place such as /var/lib/hashinsight."
        )


def _let_through(path: Path, account: Account) -> None:
    """Open a folder of ours for the service user to pass through, and for nobody else."""
    if account.is_other:
        os.chown(path, -1, account.gid)
        path.chmod(0o710)


@contextmanager
def hold_folder(folder: DataFolder) -> Iterator[None]:
    """Hold the data folder for this process; the lock goes with the process, however it ends."""
    with folder.lock.open("a+") as file:
        folder.lock.chmod(0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise OperatorError(
                f"another HashInsight (process {holder}) works in the data folder {folder.path}: "
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
    # the temporary folder is everybody's: take the folder only if it is really ours
    if sockets.is_symlink() or state.st_uid not in (os.geteuid(), account.uid):
        raise OperatorError(f"{sockets} belongs to somebody else: remove it, or choose a shorter HASHINSIGHT_DATA_DIR.")
    sockets.chmod(0o700)
    account.own(sockets)
