"""`hashinsight sim run` and `sim scenarios`."""

import asyncio
import importlib.util
import time
from collections.abc import Coroutine
from typing import Annotated, Any

import typer

from hashinsight.cli.context import JsonOption
from hashinsight.cli.output import print_result
from hashinsight.cli.sim.context import (
    MachinesOption,
    ScenarioArgument,
    SeedOption,
    get_scenario,
    print_mapping,
    simulator_errors,
)


def run(
    scenario: ScenarioArgument,
    *,
    machines: MachinesOption = None,
    seed: SeedOption = None,
    net: Annotated[
        str | None, typer.Option(metavar="127.x", help="Address range; default: the first free one from 127.16.")
    ] = None,
    speed: Annotated[float, typer.Option(min=0.01, max=3600, help="Simulated seconds per second.")] = 1.0,
    luxos: Annotated[
        bool, typer.Option("--luxos", help="LuxOS on every Antminer; stock firmware accepts no commands here.")
    ] = False,
    fd: Annotated[
        int | None, typer.Option(hidden=True, help="Control socket of an address range that is already claimed.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run a simulated fleet on loopback sockets, port 4028, until Ctrl-C. Prints one line when all machines listen."""
    with simulator_errors():
        from hashinsight.sim.control.server import run_simulator
        from hashinsight.sim.scenario import with_luxos
        from hashinsight.sim.sockets.nets import claim, inherit, read_net

        chosen = get_scenario(scenario, machines)
        chosen = with_luxos(chosen) if luxos else chosen

        def ready(now: dict[str, Any]) -> None:
            span = f"{now['machines']} machines on {now['first']} to {now['last']}, port 4028"
            print_result(now, f"{span}; control {now['control']}; Ctrl-C to stop", as_json=json)

        _run(
            run_simulator(
                chosen,
                seed=chosen.seed if seed is None else seed,
                start=time.time(),
                net=inherit(fd) if fd is not None else claim(None if net is None else read_net(net)),
                speed=speed,
                ready=ready,
            )
        )


def _run(work: Coroutine[Any, Any, None]) -> None:
    """On uvloop if it is installed."""
    if importlib.util.find_spec("uvloop") is None:
        asyncio.run(work)
        return
    import uvloop

    uvloop.run(work)


def scenarios(*, json: JsonOption = False) -> None:
    """List the built-in scenarios."""
    with simulator_errors():
        from hashinsight.sim.scenario import library

        known = library()
    rows = [{"scenario": name, "description": about} for name, about in known.items()]
    print_mapping(known, rows, "scenarios", as_json=json)
