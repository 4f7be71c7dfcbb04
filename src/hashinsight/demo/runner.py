"""Runs the demo: simulated machines on sockets, and a real collector (edge) per site."""

import asyncio
import csv
import io
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import structlog

from hashinsight.demo.setup import PREFIX, is_demo_only, set_up_demo
from hashinsight.kit.children import Child, Supervisor
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import OperatorError
from hashinsight.sim.fleet import Fleet, build_fleet
from hashinsight.sim.scenario import from_library, with_luxos
from hashinsight.sim.sockets.nets import PER_BLOCK, address_of, claim

_SETTINGS = """\
state_dir = "."

[cloud]
url = "{url}"

[place]
site = "{code}"
device_id = "{code}"

[miners]
ranges = [{ranges}]
identity = "file"
id_file = "{list}"

[limits]
per_minute = 600
"""


def write_edge_config(folder: Path, fleet: Fleet, site: str, token: str, *, net: int, url: str) -> Path:
    """Writes an edge's configuration. Spool and journal of an earlier run stay; its machine list is removed."""
    machines = [no for no in range(fleet.n) if fleet.site[no] == site]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / "machines.json").unlink(missing_ok=True)
    listed = folder / "machines.csv"
    listed.write_text(asset_list(fleet, machines, net))
    _write_secret(folder / "token", token)
    config = folder / "edge.toml"
    ranges = ", ".join(f'"{addresses}"' for addresses in ranges_of(machines, net))
    config.write_text(_SETTINGS.format(url=url, code=PREFIX + site, ranges=ranges, list=listed))
    return config


def asset_list(fleet: Fleet, machines: Sequence[int], net: int) -> str:
    """The site's asset list: id, serial, MAC and address."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(("miner_id", "serial", "mac", "address"))
    rows.writerows((fleet.machine_id[no], fleet.serial[no], fleet.mac[no], address_of(net, no)) for no in machines)
    return out.getvalue()


def ranges_of(machines: Sequence[int], net: int) -> list[str]:
    """Address ranges of exactly these machines, one per block."""
    blocks: dict[int, list[int]] = {}
    for no in machines:
        blocks.setdefault(no // PER_BLOCK, []).append(no % PER_BLOCK + 1)
    return [f"127.{net}.{block}.{min(hosts)}-{max(hosts)}" for block, hosts in blocks.items()]


def _write_secret(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(f"{text}\n")


log = structlog.get_logger(__name__)

SCENARIO, SEED = "demo", 7
_EDGE_SECONDS = 25.0  # lets running commands finish


async def run_demo(database: Database, url: str, folder: Path, machines: int, stop: asyncio.Event) -> None:
    """`folder` has the state of the edges, one subfolder per site."""
    async with database.transaction(job_context()) as session:
        if not await is_demo_only(session):
            raise OperatorError("the demo does not run next to real sites: set HASHINSIGHT_DEMO_MINERS=0.")
    fleet = build_fleet(with_luxos(from_library(SCENARIO).resized(machines)), SEED)
    async with database.transaction(job_context()) as session:
        tokens = await set_up_demo(session, fleet, now=system_clock())
    net, control = claim(None)  # control here, so that a restarted simulator keeps its addresses
    supervisor = Supervisor()
    try:
        await supervisor.start(_simulator(folder, control, machines))
        for site, token in tokens.items():
            config = write_edge_config(folder / site, fleet, site, token, net=net, url=url)
            await supervisor.start(_edge(site, config))
        log.info("demo_started", machines=fleet.n, sites=sorted(tokens), net=f"127.{net}")
        await supervisor.run_until(stop)
    finally:
        await supervisor.stop()
        control.close()


def _simulator(folder: Path, control: socket.socket, machines: int) -> Child:
    """LuxOS on every Antminer: stock firmware takes no commands on its socket."""
    options = ["--machines", str(machines), "--seed", str(SEED), "--fd", str(control.fileno()), "--luxos", "--json"]
    output = _log(folder / "simulator")

    async def listens() -> bool:
        # the JSON line, not a warning or an error
        return output.exists() and any(line.startswith(b"{") for line in output.read_bytes().splitlines())

    command = [sys.executable, "-m", "hashinsight", "sim", "run", SCENARIO, *options]
    return Child("demo-simulator", command, layer=1, ready=listens, output=output, pass_fds=(control.fileno(),))


def _edge(site: str, config: Path) -> Child:
    """Without inherited settings and proxies: its configuration file is all that it reads."""
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
