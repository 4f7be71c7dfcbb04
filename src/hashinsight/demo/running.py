"""The demo: simulated machines on sockets, read and commanded by one real edge a site, as in the field."""

import asyncio
import os
import socket
import sys
from pathlib import Path

import structlog

from hashinsight.demo.enrolling import enrol
from hashinsight.demo.settling import may_settle, settle
from hashinsight.kit.children import Child, Supervisor
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import OperatorError
from hashinsight.sim.fleet import lay_out
from hashinsight.sim.live import with_luxos
from hashinsight.sim.scenario import from_library
from hashinsight.sim.sockets.nets import claim

log = structlog.get_logger(__name__)

SCENARIO, SEED = "demo", 7
_EDGE_SECONDS = 25.0  # it lets commands come to their end


async def run_demo(database: Database, url: str, folder: Path, machines: int, stop: asyncio.Event) -> None:
    """`folder`: where its edges keep what they keep, as they would on a box of their own."""
    async with database.transaction(job_context()) as session:
        if not await may_settle(session):
            raise OperatorError("the demo does not join a fleet of your own: set HASHINSIGHT_DEMO_MINERS=0.")
    fleet = lay_out(with_luxos(from_library(SCENARIO).resized(machines)), SEED)
    async with database.transaction(job_context()) as session:
        tokens = await settle(session, fleet, now=system_clock())
    net, held = claim(None)  # held here, so that a simulator that is started anew is where its edges look for it
    supervisor = Supervisor()
    try:
        await supervisor.start(_simulator(folder, held, machines))
        for site, token in tokens.items():
            config = enrol(folder / site, fleet, site, token, net=net, url=url)
            await supervisor.start(_edge(site, config))
        log.info("demo_started", machines=fleet.n, sites=sorted(tokens), net=f"127.{net}")
        await supervisor.run_until(stop)
    finally:
        await supervisor.stop()
        held.close()


def _simulator(folder: Path, held: socket.socket, machines: int) -> Child:
    """LuxOS on every Antminer: the maker's own firmware takes no orders by its socket."""
    options = ["--machines", str(machines), "--seed", str(SEED), "--fd", str(held.fileno()), "--luxos", "--json"]
    output = _log(folder / "simulator")

    async def listens() -> bool:
        # its one line, and neither a warning nor the reason why it cannot run
        return output.exists() and any(line.startswith(b"{") for line in output.read_bytes().splitlines())

    command = [sys.executable, "-m", "hashinsight", "sim", "run", SCENARIO, *options]
    return Child("demo-simulator", command, layer=1, ready=listens, output=output, pass_fds=(held.fileno(),))


def _edge(site: str, config: Path) -> Child:
    """Without the settings and proxies of whoever started this: the file is all that it knows, its cloud is here."""
    foreign = ("hashinsight_", "http_proxy", "https_proxy", "all_proxy")
    clean = {name: value for name, value in os.environ.items() if not name.lower().startswith(foreign)}
    command = [sys.executable, "-m", "hashinsight", "edge", "run", "--config", str(config)]
    return Child(
        f"demo-edge-{site}",
        command,
        environment=clean,
        layer=2,
        stop_seconds=_EDGE_SECONDS,
        output=_log(config.parent),
    )


def _log(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / "log"
