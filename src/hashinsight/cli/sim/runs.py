"""`hashinsight sim run` and `hashinsight sim scenarios`."""

import asyncio
import importlib.util
import time
from collections.abc import Coroutine
from typing import Annotated, Any

import typer

from hashinsight.cli.acting import say
from hashinsight.cli.sim.acting import JsonOption, MachinesOption, ScenarioArgument, SeedOption, get_scenario, refusing


def run(
    scenario: ScenarioArgument,
    *,
    machines: MachinesOption = None,
    seed: SeedOption = None,
    net: Annotated[
        str | None, typer.Option(metavar="127.x", help="Its addresses; else the first free from 127.16.")
    ] = None,
    speed: Annotated[float, typer.Option(min=0.01, max=3600, help="Seconds of the world in a second of yours.")] = 1.0,
    luxos: Annotated[
        bool, typer.Option("--luxos", help="LuxOS on every Antminer: the maker's own firmware takes no orders here.")
    ] = False,
    fd: Annotated[int | None, typer.Option(hidden=True, help="The control socket of a net that is held.")] = None,
    json: JsonOption = False,
) -> None:
    """Put a fleet on loopback sockets, port 4028, until Ctrl-C. Says one line when everything listens."""
    with refusing():
        from hashinsight.sim.control.server import run_simulator
        from hashinsight.sim.scenario import with_luxos
        from hashinsight.sim.sockets.nets import claim, handed, read_net

        chosen = get_scenario(scenario, machines)
        chosen = with_luxos(chosen) if luxos else chosen

        def ready(now: dict[str, Any]) -> None:
            span = f"{now['machines']} machines on {now['first']} to {now['last']}, port 4028"
            say(now, f"{span}; control {now['control']}; Ctrl-C stops", as_json=json)

        _run(
            run_simulator(
                chosen,
                seed=chosen.seed if seed is None else seed,
                start=time.time(),
                net=handed(fd) if fd is not None else claim(None if net is None else read_net(net)),
                speed=speed,
                ready=ready,
            )
        )


def _run(work: Coroutine[Any, Any, None]) -> None:
    """On the faster loop where it is installed."""
    if importlib.util.find_spec("uvloop") is None:
        asyncio.run(work)
        return
    import uvloop

    uvloop.run(work)


def scenarios(*, json: JsonOption = False) -> None:
    """List the scenarios of the library."""
    with refusing():
        from hashinsight.sim.scenario import library

        known = library()
    say(known, "\n".join(f"{name}: {about}" for name, about in known.items()), as_json=json)
