"""What the simulator's commands share: their options, their packages, how they read a scenario and how they say no."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.kit.errors import OperatorError

if TYPE_CHECKING:
    from hashinsight.sim.plan import Scenario

JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
NetOption = Annotated[str | None, typer.Option("--net", metavar="127.x", help="Which simulator, if several run.")]
ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A scenario's file, or a name of the library.")
]
MachinesOption = Annotated[int | None, typer.Option("--machines", min=1, help="This many machines; shares are kept.")]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Same seed, same history. Else the scenario's own.")
]


def need_sim() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "polars", "cryptography")):
        raise OperatorError("this command needs the simulator's packages: run `pip install hashinsight[sim]`.")


@contextmanager
def refusing() -> Iterator[None]:
    """What the simulator cannot do becomes the one sentence that a person sees."""
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
        found = from_library(name)
    elif Path(name).is_file():
        found = read_scenario(Path(name))
    else:
        raise OperatorError(f"there is no scenario {name}: give a file, or one of {', '.join(library())}.")
    return found if machines is None else found.resized(machines)


def ask(net: str | None, verb: str, **given: Any) -> Any:
    with refusing():
        from hashinsight.sim.control import client
        from hashinsight.sim.sockets.nets import read_net

        return client.ask(client.find_net(None if net is None else read_net(net)), verb, **given)
