"""The command line. Each command imports what it needs when it runs, so that `--help` works without the server."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from hashinsight import __version__
from hashinsight.cli.accounts import tenant_app, user_app
from hashinsight.cli.audit import audit_app
from hashinsight.cli.collectors import collector_app
from hashinsight.cli.commands import batch_app, command_app
from hashinsight.cli.context import JsonOption, need_server
from hashinsight.cli.edge import edge_app
from hashinsight.cli.grants import grant_app, key_app
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


def _version(value: bool) -> None:  # noqa: FBT001 - Typer's form of a callback
    if value:
        typer.echo(f"hashinsight {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def up(
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="Also run a simulated fleet; skipped if the installation has its own sites.")
    ] = False,
) -> None:
    """Start everything: database and cache (unless you use your own), migrations, API, worker, scheduler."""
    need_server()
    from hashinsight.cli.up import up

    up(demo=demo)


@app.command(hidden=True)
def demo() -> None:
    """Run the simulated fleet of the demo against the running installation."""
    need_server()
    from hashinsight.cli.demo import demo

    demo()


@app.command()
def serve(
    *,
    fd: Annotated[int | None, typer.Option(hidden=True, help="Listening socket passed by the parent process.")] = None,
) -> None:
    """Run only the API."""
    need_server()
    from hashinsight.cli.serve import serve

    serve(fd)


@app.command()
def worker() -> None:
    """Run only a worker, which executes due ticks."""
    need_server()
    from hashinsight.cli.worker import worker

    worker()


@app.command()
def scheduler() -> None:
    """Run only a scheduler, which queues due ticks."""
    need_server()
    from hashinsight.cli.worker import scheduler

    scheduler()


@app.command()
def migrate(
    *,
    draft: Annotated[str | None, typer.Option(hidden=True, help="Generate the next migration from the models.")] = None,
) -> None:
    """Upgrade database roles and schema to this version. Safe while everything is running."""
    need_server()
    from hashinsight.cli.migrate import migrate

    migrate(draft)


@app.command()
def doctor(*, json: JsonOption = False) -> None:
    """Check this installation for problems."""
    need_server()
    from hashinsight.cli.doctor import doctor

    doctor(as_json=json)


@app.command()
def settings() -> None:
    """List all settings with defaults and descriptions."""
    need_server()
    from hashinsight.kit.settings import settings_table

    typer.echo(settings_table(), nl=False)


@app.command()
def bench(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(BENCHMARKS)}.")],
    *,
    machines: Annotated[int | None, typer.Option(min=50, help="detection only: machines per run.")] = None,
    days: Annotated[float | None, typer.Option(min=0.5, help="detection only: days per run.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="detection only: number of runs with many faults.")] = None,
    json: JsonOption = False,
) -> None:
    """Run a benchmark and compare it with bare tools measured in the same run. Needs a source checkout."""
    need_server()
    if find_spec("hashinsight.bench") is None:
        raise OperatorError("benchmarks are not part of the installed package: run this in a source checkout.")
    from hashinsight.cli.bench import bench

    sizes = {"machines": machines, "days": days, "seeds": seeds}
    bench(name, as_json=json, sizes={name: size for name, size in sizes.items() if size is not None})


@app.command()
def roles() -> None:
    """List the roles and their permissions."""
    need_server()
    from hashinsight.identity.permissions import permissions_table

    typer.echo(permissions_table(), nl=False)


@app.command(hidden=True)
def docs(folder: Annotated[Path, typer.Argument(help="Folder of the documentation.")]) -> None:
    """Regenerate the generated tables and diagrams of the documentation."""
    need_server()
    from hashinsight.cli.docs import write_docs

    write_docs(folder)


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
