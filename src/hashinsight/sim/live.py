"""One simulator from start to end: opens its sockets, runs until it is told to stop."""

import asyncio
import signal
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hashinsight.sim.control.serving import control_served
from hashinsight.sim.control.verbs import status
from hashinsight.sim.models import SIMULATED
from hashinsight.sim.plan import Scenario, Zone
from hashinsight.sim.running import Live
from hashinsight.sim.sockets.nets import allow_files
from hashinsight.sim.world import World

LUXOS = "LuxOS 2024.5.1"


def with_luxos(scenario: Scenario) -> Scenario:
    """The same fleet with LuxOS on every Antminer: the maker's own firmware takes no orders on port 4028."""
    names = {model.name for model in SIMULATED if model.make == "Bitmain"}

    def changed(zone: Zone) -> Zone:
        batches = (replace(one, firmware=LUXOS) if one.model in names else one for one in zone.batches)
        return replace(zone, batches=tuple(batches))

    return replace(
        scenario, sites=tuple(replace(site, zones=tuple(map(changed, site.zones))) for site in scenario.sites)
    )


async def run_live(
    scenario: Scenario,
    *,
    seed: int,
    start: float,
    net: tuple[int, socket.socket],
    speed: float,
    ready: Callable[[dict[str, Any]], None],
) -> None:
    """In a net that is held (`nets.claim`). `ready` is told once everything listens. Signals end it as `stop` does."""
    number, held = net
    try:
        allow_files(scenario.machines)
        live = Live(await asyncio.to_thread(World, scenario, seed=seed, start=start), number, speed=speed)
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, live.stopping.set)
        live.open()
        async with control_served(live, held):
            ready(await status(live, {}))
            await live.run()
    finally:
        held.close()
