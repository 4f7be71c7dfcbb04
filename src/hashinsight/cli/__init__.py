"""The command line. Each command imports what it needs when it runs, so that the shell starts without the server."""

import importlib.util
from typing import Annotated

import typer

from hashinsight import __version__
from hashinsight.kit.errors import Refusal

app = typer.Typer(
    name="hashinsight",
    help="Control plane and problem registry for fleets of Bitcoin ASIC miners.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # its traces print local variables, secrets among them
    add_completion=False,
)

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
def up() -> None:
    """Start everything: embedded servers (unless URLs name others), migrations, API, worker, scheduler."""
    _need_server()
    from hashinsight.cli.up import up

    up()


@app.command()
def serve(
    *,
    fd: Annotated[int | None, typer.Option(hidden=True, help="A listening socket that was handed over.")] = None,
) -> None:
    """Run the API alone."""
    _need_server()
    from hashinsight.cli.serve import serve

    serve(fd)


@app.command()
def worker() -> None:
    """Run a worker alone: it does the ticks that are due."""
    _need_server()
    from hashinsight.cli.beats import worker

    worker()


@app.command()
def scheduler() -> None:
    """Run a scheduler alone: it says which ticks are due."""
    _need_server()
    from hashinsight.cli.beats import scheduler

    scheduler()


@app.command()
def migrate(
    *,
    draft: Annotated[str | None, typer.Option(hidden=True, help="Write the next migration from the models.")] = None,
) -> None:
    """Bring the database's roles and schema to this version. Safe at any time, also while everything runs."""
    _need_server()
    from hashinsight.cli.migrate import migrate

    migrate(draft)


@app.command()
def doctor(*, json: JsonOption = False) -> None:
    """Say what is wrong with this installation."""
    _need_server()
    from hashinsight.cli.doctor import doctor

    doctor(as_json=json)


@app.command()
def settings() -> None:
    """Print the table of all settings."""
    _need_server()
    from hashinsight.kit.settings import settings_table

    typer.echo(settings_table(), nl=False)


def _need_server() -> None:
    if importlib.util.find_spec("sqlalchemy") is None:
        raise Refusal("this command needs the server's packages: run `pip install hashinsight[server]`.")
