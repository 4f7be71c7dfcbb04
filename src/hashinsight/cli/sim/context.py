"""What all simulator commands share: options, errors, scenarios and calls of a running simulator."""

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.output import print_rows, to_json
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
