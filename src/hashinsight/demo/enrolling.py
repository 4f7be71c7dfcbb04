"""Makes a box for a site's edge: its settings, its token, and the asset list that names its machines."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from hashinsight.demo.settling import PREFIX
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.sockets.nets import PER_BLOCK, address_of

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


def enrol(folder: Path, fleet: Fleet, site: str, token: str, *, net: int, url: str) -> Path:
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
