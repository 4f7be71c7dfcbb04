"""The account of the embedded servers: the current user, or a service user when started as root.

PostgreSQL refuses to run as root, and a database server should not own anything else.
"""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hashinsight.kit.errors import OperatorError


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        """Whether a process has to change its user to become this account."""
        return self.uid != os.geteuid()

    def own(self, path: Path) -> None:
        if self.is_other:
            os.chown(path, self.uid, self.gid)

    def can_reach(self, path: Path) -> bool:
        """Whether every folder above the path lets this account through."""
        if not self.is_other:
            return True
        return all(self._may_enter(folder) for folder in path.resolve().parents)

    def _may_enter(self, folder: Path) -> bool:
        state = folder.stat()
        if state.st_uid == self.uid:
            return bool(state.st_mode & 0o100)
        if state.st_gid == self.gid:
            return bool(state.st_mode & 0o010)
        return bool(state.st_mode & 0o001)


def service_account(user: str) -> Account:
    if os.geteuid() != 0:
        return _own_account()
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        entry = _make_user(user)
    if entry.pw_uid == 0:
        raise OperatorError(f"HASHINSIGHT_SERVICE_USER is {user}, which is root: choose another user.")
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def own_name() -> str:
    return _own_account().name


def _own_account() -> Account:
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise OperatorError(
            f"user id {os.geteuid()} has no name on this machine, which PostgreSQL needs: add it to /etc/passwd, "
            "or set HASHINSIGHT_DATABASE_URL to use a server of your own."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _make_user(user: str) -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if useradd is not None:
        command = [
            useradd,
            "--system",
            "--user-group",
            "--no-create-home",
            "--shell",
            "/usr/sbin/nologin",
            user,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:  # another start may have been first
            return pwd.getpwnam(user)
        except KeyError:
            why = done.stderr.strip()
    else:
        why = "this machine has no useradd"
    raise OperatorError(
        f"the service user {user} could not be created ({why}): create it by hand, "
        "or set HASHINSIGHT_SERVICE_USER to an ordinary user that exists."
    )
