"""`hashinsight serve`: the API, in one process or in several that share one listening socket."""

import errno
import gc
import socket
import sys

import uvicorn

from hashinsight.cli.shared_socket import SharedSocketServer
from hashinsight.cli.startup import check_database, prepare
from hashinsight.kit.changes import stop_streams
from hashinsight.kit.children import Child, Supervisor
from hashinsight.kit.connections import open_database
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.process import run, stop_on_signal
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings

_BACKLOG = 2048
# A batch allocates thousands of lists and no cycles: the default threshold of 700 cost a third of its time.
# Database calls do leave cycles: at 100,000 objects one collection would pause all requests for a tenth of a second.
_GC_THRESHOLD = (20_000, 20, 20)


def serve(fd: int | None) -> None:
    settings = prepare("api")
    if fd is not None:
        _serve_one(settings, socket.socket(fileno=fd))
        return
    run(_preflight(settings))
    load_secret_key(settings)
    with listen(settings) as listening:
        if settings.api_processes == 1:
            _serve_one(settings, listening)
        else:
            run(_serve_several(settings, listening))


def listen(settings: Settings) -> socket.socket:
    """The listening socket. While a process holds it, clients wait instead of being refused during an API restart."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        raise OperatorError(_no_socket(settings, error)) from None
    listening.listen(_BACKLOG)
    return listening


def _no_socket(settings: Settings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {settings.port} is in use: stop the program that uses it, or set HASHINSIGHT_PORT to another."
    if error.errno == errno.EACCES:
        return f"this user may not open port {settings.port}: set HASHINSIGHT_PORT to one above 1023."
    return f"{settings.host} is not an address of this machine ({error.strerror}): correct HASHINSIGHT_HOST."


def api_children(settings: Settings, listening: socket.socket) -> list[Child]:
    command = [sys.executable, "-m", "hashinsight", "serve", "--fd", str(listening.fileno())]
    return [
        Child(
            f"api-{number}",
            command,
            stop_seconds=settings.stop_seconds + 5,
            pass_fds=(listening.fileno(),),
        )
        for number in range(1, settings.api_processes + 1)
    ]


def _serve_one(settings: Settings, listening: socket.socket, application: str = "hashinsight.app:create_app") -> None:
    from hashinsight.kit.web.connection_limits import (
        ConnectionLimits,
    )  # imported late: its metrics need the shared folder
    from hashinsight.kit.web.protocol import RequestLimits, limited_protocol

    limits = RequestLimits(settings.header_limit_kb * 1024, settings.header_seconds, settings.body_seconds)
    callers = ConnectionLimits(settings.connections, settings.connections_per_address, settings.trusted_proxies)
    config = uvicorn.Config(
        application,
        factory=True,
        http=limited_protocol(limits, callers),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=settings.stop_seconds,
        lifespan="on",
    )
    _load(config)
    _Server(config, alone=settings.api_processes == 1).run(sockets=[listening])


def _load(config: uvicorn.Config) -> None:
    """With garbage collection off: loading makes hardly any garbage, and collecting took a sixth of the start."""
    gc.disable()
    config.load()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLD)
    gc.enable()


class _Server(SharedSocketServer):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Streams end first: they would last an hour, and the server waits for all open responses."""
        stop_streams()
        await super().shutdown(sockets)


async def _preflight(settings: Settings) -> None:
    database = open_database(settings, "preflight")
    try:
        await check_database(database)
    finally:
        await database.dispose()


async def _serve_several(settings: Settings, listening: socket.socket) -> None:
    stop = stop_on_signal()
    supervisor = Supervisor()
    try:
        for child in api_children(settings, listening):
            await supervisor.start(child)
        await supervisor.run_until(stop)
    finally:
        await supervisor.stop()
