"""The embedded Valkey. Nothing is kept on disk: its content can be lost at any time."""

from urllib.parse import quote

from redis import Redis
from redis.exceptions import RedisError

from hashinsight.kit.children import Child
from hashinsight.kit.embedded import machine
from hashinsight.kit.embedded.account import Account
from hashinsight.kit.embedded.binaries import Binaries
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.embedded.tuning import valkey_memory_mb


def address(folder: DataFolder) -> str:
    return f"unix://{quote(str(folder.valkey_socket))}"


def valkey_child(folder: DataFolder, account: Account, binaries: Binaries) -> Child:
    async def ready() -> bool:
        try:
            with Redis(unix_socket_path=str(folder.valkey_socket), socket_timeout=1) as redis:
                return bool(redis.ping())
        except (RedisError, OSError):
            return False

    options = {
        "port": "0",
        "unixsocket": str(folder.valkey_socket),
        "unixsocketperm": "700",
        "dir": str(folder.valkey),
        "save": "",
        "appendonly": "no",
        "maxmemory": f"{valkey_memory_mb(machine.memory_mb())}mb",
        "maxmemory-policy": "allkeys-lfu",
        "daemonize": "no",
        "loglevel": "warning",
    }
    return Child(
        name="valkey",
        command=[
            str(binaries.valkey_server),
            *(part for name, value in options.items() for part in (f"--{name}", value)),
        ],
        environment={"LC_ALL": "C"},
        folder=folder.valkey,
        uid=account.uid if account.is_other else None,
        gid=account.gid if account.is_other else None,
        layer=0,
        stop_seconds=10,
        ready=ready,
        output=folder.logs / "valkey.log",
    )
