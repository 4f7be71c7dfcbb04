"""`hashinsight sim frames`: days of a fleet in seconds, as a file."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from hashinsight.cli.acting import say
from hashinsight.cli.sim.acting import JsonOption, MachinesOption, ScenarioArgument, SeedOption, get_scenario, refusing
from hashinsight.kit.errors import OperatorError

FIRST_DAY = "2026-01-01T00:00:00"


def frames(
    scenario: ScenarioArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", dir_okay=False, help="Ends with .parquet or .csv.")],
    *,
    days: Annotated[float | None, typer.Option(min=0.01, max=3650, help="Else the scenario's own.")] = None,
    machines: MachinesOption = None,
    cadence: Annotated[int, typer.Option(min=1, max=86_400, metavar="SECONDS", help="Between two rows.")] = 300,
    seed: SeedOption = None,
    start: Annotated[datetime | None, typer.Option(help=f"UTC; else {FIRST_DAY}, so that a seed says it all.")] = None,
    labels: Annotated[Path | None, typer.Option(metavar="FILE", dir_okay=False, help="The truth, too.")] = None,
    json: JsonOption = False,
) -> None:
    """Write what collectors would have sent, without sockets, and the truth beside it."""
    with refusing():
        from hashinsight.sim.frame_files import FORMS, write_frames
        from hashinsight.sim.frames import Run, Shape

        for file in (out, labels):
            if file is not None and (file.suffix not in FORMS or not file.parent.is_dir()):
                raise OperatorError(
                    f"{file} cannot be written: name a {' or '.join(FORMS)} file in a folder that exists."
                )
        if labels is not None and labels.resolve() == out.resolve():
            raise OperatorError(f"{out} cannot hold both: give --labels a file of its own.")
        chosen = get_scenario(scenario, machines)
        began = (datetime.fromisoformat(FIRST_DAY) if start is None else start).replace(tzinfo=UTC).timestamp()
        length = chosen.days if days is None else days
        used_seed = chosen.seed if seed is None else seed
        played = Run(chosen, seed=used_seed, start=began, days=length, shape=Shape(cadence))
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("simulating", total=chosen.machines * length * 86_400 / cadence)
            rows = write_frames(played.frames(), out, wrote=lambda more: bar.advance(task, more))
        told: dict[str, object] = {"file": str(out), "rows": rows, "machines": chosen.machines, "days": length}
        if labels is not None:
            truth = played.labels()
            write_frames(iter([truth]), labels, wrote=lambda _: None)
            told |= {"labels_file": str(labels), "labels": truth.height}
    said = f"{rows:,} rows in {out}"
    say(told | {"seed": used_seed}, f"{said}; {told['labels']} episodes in {labels}" if labels else said, as_json=json)
