"""`hashinsight replay FILE`: what the registry would have found in a file of telemetry."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from hashinsight.cli.acting import need_server, say
from hashinsight.kit.errors import OperatorError

if TYPE_CHECKING:
    from polars import DataFrame

    from hashinsight.replay.runner import ReplayResult

_LINES = ".jsonl"
_TOLD = ("opened_ts", "miner_id", "issue_code", "severity", "status", "resolved_ts", "recurrence_count")


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Parquet or CSV, see docs/replay.md.")],
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the events there: .jsonl, .parquet or .csv.")
    ] = None,
    moves: Annotated[
        Path | None, typer.Option("--moves", metavar="FILE", help="Write when each opened, came back and ended.")
    ] = None,
    pool: Annotated[list[str] | None, typer.Option("--pool", help="Allowed pools; without any, all are.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")] = False,
) -> None:
    """Run the registry's own cycle over a file, in memory, and say which problems it would have opened."""
    need_server()
    from hashinsight.problems.config import Config
    from hashinsight.replay.files import UnreadableFile
    from hashinsight.replay.runner import replay as drive

    _refuse_targets(file, out, moves)
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
    told = {"cycles": done.cycles, "machines": done.machines, "interval_sec": done.interval_sec}
    if json:
        say(told | {"events": events.to_dicts()}, "", as_json=True)
        return
    for row in events.select(_TOLD).iter_rows():
        typer.echo("  ".join("-" if value is None else str(value) for value in row))
    typer.echo(f"{events.height} events of {done.machines} machines in {done.cycles} cycles.")


def _refuse_targets(file: Path, out: Path | None, moves: Path | None) -> None:
    """Before the work, which may be long."""
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
            raise OperatorError(f"{target} cannot be written: its folder is not writable for you.")
    named = [one.resolve() for one in (file, out, moves) if one is not None]
    if len(set(named)) < len(named):
        raise OperatorError("The files to read and to write must have different names: one would overwrite the other.")


def _write(done: "ReplayResult", told: "list[tuple[Path, DataFrame]]") -> None:
    """All of them or none: each is written beside its place first."""
    parts = [(target.with_name(f".{target.name}.part"), target) for target, _ in told]
    try:
        for (part, target), (_, frame) in zip(parts, told, strict=True):
            if target.suffix == _LINES:
                _write_lines(done, part)
            else:
                frame.write_csv(part) if target.suffix == ".csv" else frame.write_parquet(part)
        for part, target in parts:
            part.replace(target)
    except OSError as problem:
        raise OperatorError(f"The answer cannot be written: {problem.strerror or problem}.") from None
    finally:
        for part, _ in parts:
            part.unlink(missing_ok=True)


def _write_lines(done: "ReplayResult", part: Path) -> None:
    from hashinsight.replay.runner import json_lines

    with part.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in json_lines(done))
