"""The command line. Each command imports what it needs when it runs, so that the shell starts without the server."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from hashinsight import __version__
from hashinsight.cli.acting import need_server
from hashinsight.cli.audit import audit_app
from hashinsight.cli.checking import check_history
from hashinsight.cli.collectors import collector_app
from hashinsight.cli.commands import batch_app, command_app
from hashinsight.cli.edge import edge_app
from hashinsight.cli.identity import key_app, tenant_app, user_app
from hashinsight.cli.inventory import (
    group_app,
    maintenance_app,
    miner_app,
    node_app,
    rack_app,
    site_app,
    tenant_settings_app,
    zone_app,
)
from hashinsight.cli.problems import problem_app
from hashinsight.cli.replay import replay
from hashinsight.cli.rights import grant_app
from hashinsight.cli.sim import sim_app
from hashinsight.kit.errors import OperatorError

app = typer.Typer(
    name="hashinsight",
    help="Control plane and problem registry for fleets of Bitcoin ASIC miners.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # its traces print local variables, secrets among them
    add_completion=False,
)

# here and not in `bench`, which is not part of the wheel
BENCHMARKS = ("import", "audit", "sim", "ingest", "ingest-soak", "rollup", "edge", "lease", "cycle", "detection", "api")
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]


def _version(value: bool) -> None:  # noqa: FBT001 - Typer's form of a callback
    if value:
        typer.echo(f"hashinsight {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and stop.")
    ] = False,
) -> None:
    pass


@app.command()
def up(
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="With a simulated fleet, on an installation that has no sites of its own.")
    ] = False,
) -> None:
    """Start everything: embedded servers (unless URLs name others), migrations, API, worker, scheduler."""
    need_server()
    from hashinsight.cli.up import up

    up(demo=demo)


@app.command(hidden=True)
def demo() -> None:
    """Run the demo's simulated fleet against the installation that is up."""
    need_server()
    from hashinsight.cli.demo import demo

    demo()


@app.command()
def serve(
    *,
    fd: Annotated[int | None, typer.Option(hidden=True, help="A listening socket that was handed over.")] = None,
) -> None:
    """Run the API alone."""
    need_server()
    from hashinsight.cli.serve import serve

    serve(fd)


@app.command()
def worker() -> None:
    """Run a worker alone: it does the ticks that are due."""
    need_server()
    from hashinsight.cli.beats import worker

    worker()


@app.command()
def scheduler() -> None:
    """Run a scheduler alone: it says which ticks are due."""
    need_server()
    from hashinsight.cli.beats import scheduler

    scheduler()


@app.command()
def migrate(
    *,
    draft: Annotated[str | None, typer.Option(hidden=True, help="Write the next migration from the models.")] = None,
) -> None:
    """Bring the database's roles and schema to this version. Safe at any time, also while everything runs."""
    need_server()
    from hashinsight.cli.migrate import migrate

    migrate(draft)


@app.command()
def doctor(*, json: JsonOption = False) -> None:
    """Say what is wrong with this installation."""
    need_server()
    from hashinsight.cli.doctor import doctor

    doctor(as_json=json)


@app.command()
def settings() -> None:
    """Print the table of all settings."""
    need_server()
    from hashinsight.kit.settings import settings_table

    typer.echo(settings_table(), nl=False)


@app.command()
def bench(
    name: Annotated[str, typer.Argument(help=f"Which benchmark: {', '.join(BENCHMARKS)}.")],
    *,
    machines: Annotated[int | None, typer.Option(min=50, help="detection: in each run.")] = None,
    days: Annotated[float | None, typer.Option(min=0.5, help="detection: of each run.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="detection: runs with many faults.")] = None,
    json: JsonOption = False,
) -> None:
    """Run a benchmark against the limit of bare tools, measured in the same run. Needs a source checkout."""
    need_server()
    if find_spec("hashinsight.bench") is None:
        raise OperatorError("benchmarks are not part of the installed package: run this in a source checkout.")
    from hashinsight.cli.bench import bench

    sizes = {"machines": machines, "days": days, "seeds": seeds}
    bench(name, as_json=json, sizes={what: size for what, size in sizes.items() if size is not None})


@app.command()
def roles() -> None:
    """Print the table of what each role may do."""
    need_server()
    from hashinsight.identity.permissions import permissions_table

    typer.echo(permissions_table(), nl=False)


@app.command(hidden=True)
def docs(folder: Annotated[Path, typer.Argument(help="The folder of the documentation.")]) -> None:
    """Write the generated tables and drawings of the documentation anew."""
    need_server()
    from hashinsight.cli.docs import write_docs

    write_docs(folder)


command_app.command("check")(check_history)
app.command()(replay)
_GROUPS = {
    "tenant": tenant_app,
    "tenant-settings": tenant_settings_app,
    "user": user_app,
    "grant": grant_app,
    "key": key_app,
    "site": site_app,
    "zone": zone_app,
    "rack": rack_app,
    "node": node_app,
    "miner": miner_app,
    "group": group_app,
    "maintenance": maintenance_app,
    "collector": collector_app,
    "command": command_app,
    "batch": batch_app,
    "problem": problem_app,
    "audit": audit_app,
    "sim": sim_app,
    "edge": edge_app,
}
for _name, _group in _GROUPS.items():
    app.add_typer(_group, name=_name)
app.add_typer(problem_app, name="problems", hidden=True)  # as people say it, too
