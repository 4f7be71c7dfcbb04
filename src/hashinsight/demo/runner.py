"""The demo: simulated machines on sockets, read and commanded by one real edge a site, as in the field."""

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
    """The settings file. Spool and journal of an earlier run stay; its machines were of a world that is gone."""
    mine = [no for no in range(fleet.n) if fleet.site[no] == site]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / "machines.json").unlink(missing_ok=True)
    listed = folder / "machines.csv"
    listed.write_text(asset_list(fleet, mine, net))
    _write_secret(folder / "token", token)
    config = folder / "edge.toml"
    ranges = ", ".join(f'"{one}"' for one in ranges_of(mine, net))
    config.write_text(_SETTINGS.format(url=url, code=PREFIX + site, ranges=ranges, list=listed))
    return config


def asset_list(fleet: Fleet, machines: Sequence[int], net: int) -> str:
    """As a site keeps it: what is printed on the machine, and where it is plugged in."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(("miner_id", "serial", "mac", "address"))
    rows.writerows((fleet.machine_id[no], fleet.serial[no], fleet.mac[no], address_of(net, no)) for no in machines)
    return out.getvalue()


def ranges_of(machines: Sequence[int], net: int) -> list[str]:
    """The addresses of these machines and no others, block by block."""
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
_EDGE_SECONDS = 25.0  # it lets commands come to their end


async def run_demo(database: Database, url: str, folder: Path, machines: int, stop: asyncio.Event) -> None:
    """`folder`: where its edges keep what they keep, as they would on a box of their own."""
    async with database.transaction(job_context()) as session:
        if not await is_demo_only(session):
            raise OperatorError("the demo does not join a fleet of your own: set HASHINSIGHT_DEMO_MINERS=0.")
    fleet = build_fleet(with_luxos(from_library(SCENARIO).resized(machines)), SEED)
    async with database.transaction(job_context()) as session:
        tokens = await set_up_demo(session, fleet, now=system_clock())
    net, held = claim(None)  # held here, so that a simulator that is started anew is where its edges look for it
    supervisor = Supervisor()
    try:
        await supervisor.start(_simulator(folder, held, machines))
        for site, token in tokens.items():
            config = write_edge_config(folder / site, fleet, site, token, net=net, url=url)
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
