"""`hashinsight replay FILE`: what the registry would have found in a file of telemetry."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from hashinsight.cli.acting import need_server, say
from hashinsight.kit.errors import Refusal

_TOLD = ("opened_ts", "miner_id", "issue_code", "severity", "status", "resolved_ts", "recurrence_count")


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Parquet or CSV, see docs/replay.md.")],
    *,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the events there.")] = None,
    moves: Annotated[
        Path | None, typer.Option("--moves", metavar="FILE", help="Write when each opened, came back and ended.")
    ] = None,
    pool: Annotated[list[str] | None, typer.Option("--pool", help="Allowed pools; without any, all are.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")] = False,
) -> None:
    """Run the registry's own cycle over a file, in memory, and say which problems it would have opened."""
    need_server()
    from hashinsight.problems.config import Config
    from hashinsight.replay.driving import replay as drive
    from hashinsight.replay.reading import FORMS, Unreadable

    for target in (out, moves):
        if target is not None and (target.suffix not in FORMS or not target.parent.is_dir()):
            raise Refusal(f"{target} cannot be written: name a {' or '.join(FORMS)} file in a folder that exists.")
    try:
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("replaying", total=None)
            done = drive(
                file,
                Config(allowed_pools=tuple(pool or ())),
                watch=lambda *_: bar.advance(task),
            )
    except Unreadable as problem:
        raise Refusal(f"{problem}.") from None
    events = done.events.drop("subject")
    for target, frame in ((out, events), (moves, done.moves)):
        if target is not None:
            frame.write_csv(target) if target.suffix == ".csv" else frame.write_parquet(target)
    told = {"cycles": done.cycles, "machines": done.machines, "interval_sec": done.interval_sec}
    if json:
        say(told | {"events": events.to_dicts()}, "", as_json=True)
        return
    for row in events.select(_TOLD).iter_rows():
        typer.echo("  ".join("-" if value is None else str(value) for value in row))
    typer.echo(f"{events.height} events of {done.machines} machines in {done.cycles} cycles.")
