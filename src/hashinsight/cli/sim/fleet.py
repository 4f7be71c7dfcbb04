"""`hashinsight sim run` and `sim scenarios`, and what all simulator commands share."""

import asyncio
import importlib.util
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.context import JsonOption
from hashinsight.cli.output import print_result, print_rows, to_json
from hashinsight.kit.errors import OperatorError

if TYPE_CHECKING:
    from hashinsight.sim.plan import Scenario

NetOption = Annotated[
    str | None, typer.Option("--net", metavar="127.x", help="Which simulator, if several are running.")
]
ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="Scenario file, or a name from `sim scenarios`.")
]
MachinesOption = Annotated[
    int | None, typer.Option("--machines", min=1, help="Number of machines; the mix of models stays the same.")
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Same seed, same history. Default: the scenario's.")
]


def need_sim() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "polars", "cryptography")):
        raise OperatorError("this command needs the simulator packages: run `pip install hashinsight[sim]`.")


@contextmanager
def simulator_errors() -> Iterator[None]:
    """Errors of the simulator become the one sentence that a person sees."""
    need_sim()
    from hashinsight.sim.control.client import NotAnswered
    from hashinsight.sim.plan import ScenarioError
    from hashinsight.sim.sockets.nets import CannotRun

    try:
        yield
    except (CannotRun, NotAnswered, ScenarioError) as problem:
        raise OperatorError(f"{str(problem).rstrip('.')}.") from None
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        raise OperatorError(f"{where}{problem.strerror or problem}.") from None


def get_scenario(name: str, machines: int | None) -> "Scenario":
    from hashinsight.sim.scenario import from_library, library, read_scenario

    if name in library():
        scenario = from_library(name)
    elif Path(name).is_file():
        scenario = read_scenario(Path(name))
    else:
        raise OperatorError(f"there is no scenario {name}: give a file, or one of {', '.join(library())}.")
    return scenario if machines is None else scenario.resized(machines)


def call(net: str | None, verb: str, **arguments: Any) -> Any:
    with simulator_errors():
        from hashinsight.sim.control import client
        from hashinsight.sim.sockets.nets import read_net

        return client.ask(client.find_net(None if net is None else read_net(net)), verb, **arguments)


def print_mapping(answer: Any, rows: Sequence[Mapping[str, Any]], what: str, *, as_json: bool) -> None:
    """JSON as the simulator answers it, or a table."""
    if as_json:
        typer.echo(to_json(answer))
    else:
        print_rows(rows, what)


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
