"""`hashinsight replay FILE`: run problem detection over a telemetry file."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from hashinsight.cli.context import JsonOption, need_server
from hashinsight.cli.output import print_lines, print_rows, show_time, to_json
from hashinsight.kit.errors import OperatorError

if TYPE_CHECKING:
    from polars import DataFrame

    from hashinsight.replay.runner import ReplayResult

_LINES = ".jsonl"
_COLUMNS = {
    "opened": "opened_ts",
    "site": "site_id",
    "miner": "miner_id",
    "problem": "issue_code",
    "severity": "severity",
    "status": "status",
    "resolved": "resolved_ts",
    "recurrences": "recurrence_count",
}


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Telemetry as Parquet or CSV, see docs/replay.md.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the problems to this .jsonl, .parquet or .csv file."),
    ] = None,
    moves: Annotated[
        Path | None,
        typer.Option("--moves", metavar="FILE", help="Write every status change to this .parquet or .csv file."),
    ] = None,
    pool: Annotated[
        list[str] | None, typer.Option("--pool", help="Allowed pool; repeat for more. Default: all.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run the detection cycle over a file, in memory, and list the problems it would have opened."""
    need_server()
    from hashinsight.problems.config import Config
    from hashinsight.replay.files import UnreadableFile
    from hashinsight.replay.runner import replay as drive

    _check_targets(file, out, moves)
    try:
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("replaying", total=None)
            done = drive(
                file,
                Config(allowed_pools=tuple(pool or ())),
                watch=lambda *_: bar.advance(task),
                with_evidence=out is not None and out.suffix == _LINES,
            )
    except UnreadableFile as problem:
        raise OperatorError(f"{problem}.") from None
    events = done.events.drop("subject")
    _write(done, [(target, frame) for target, frame in ((out, events), (moves, done.moves)) if target is not None])
    summary = {"cycles": done.cycles, "machines": done.machines, "interval_sec": done.interval_sec}
    if json:
        typer.echo(to_json(summary | {"events": events.to_dicts()}))
        return
    columns = {heading: name for heading, name in _COLUMNS.items() if name in events.columns}
    rows = [{heading: _cell(row[name]) for heading, name in columns.items()} for row in events.to_dicts()]
    print_rows(rows, "problems")
    print_lines(f"{events.height:,} problems on {done.machines:,} machines in {done.cycles:,} cycles")


def _check_targets(file: Path, out: Path | None, moves: Path | None) -> None:
    """Before the replay, which may take long."""
    from hashinsight.replay.files import FILE_SUFFIXES

    forms = {
        target: kinds
        for target, kinds in ((out, (_LINES, *FILE_SUFFIXES)), (moves, FILE_SUFFIXES))
        if target is not None
    }
    for target, kinds in forms.items():
        if target.suffix not in kinds or not target.parent.is_dir() or target.is_dir():
            raise OperatorError(
                f"{target} cannot be written: name a {' or '.join(kinds)} file in a folder that exists."
            )
        if not os.access(target.parent, os.W_OK):
            raise OperatorError(f"{target} cannot be written: you have no write access to its folder.")
    paths = [path.resolve() for path in (file, out, moves) if path is not None]
    if len(set(paths)) < len(paths):
        raise OperatorError("input and output files must have different names: one would overwrite the other.")


def _cell(value: object) -> object:
    return show_time(value) if isinstance(value, datetime) else value


def _write(done: "ReplayResult", frames: "list[tuple[Path, DataFrame]]") -> None:
    """All files or none: each is written to a temporary file first."""
    parts = [(target.with_name(f".{target.name}.part"), target) for target, _ in frames]
    try:
        for (part, target), (_, frame) in zip(parts, frames, strict=True):
            if target.suffix == _LINES:
                _write_lines(done, part)
            else:
                frame.write_csv(part) if target.suffix == ".csv" else frame.write_parquet(part)
        for part, target in parts:
            part.replace(target)
    except OSError as problem:
        raise OperatorError(f"the result cannot be written: {problem.strerror or problem}.") from None
    finally:
        for part, _ in parts:
            part.unlink(missing_ok=True)


def _write_lines(done: "ReplayResult", part: Path) -> None:
    from hashinsight.replay.runner import json_lines

    with part.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in json_lines(done))
