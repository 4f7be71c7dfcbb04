"""`hashinsight sim frames`: days of simulated telemetry, written to a file in seconds."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from hashinsight.cli.context import JsonOption
from hashinsight.cli.output import print_result
from hashinsight.cli.sim.context import (
    MachinesOption,
    ScenarioArgument,
    SeedOption,
    get_scenario,
    simulator_errors,
)
from hashinsight.kit.errors import OperatorError

FIRST_DAY = "2026-01-01T00:00:00"


def frames(
    scenario: ScenarioArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", dir_okay=False, help="Output file, .parquet or .csv.")],
    *,
    days: Annotated[float | None, typer.Option(min=0.01, max=3650, help="Default: the scenario's.")] = None,
    machines: MachinesOption = None,
    cadence: Annotated[int, typer.Option(min=1, max=86_400, metavar="SECONDS", help="Time between two samples.")] = 300,
    seed: SeedOption = None,
    start: Annotated[datetime | None, typer.Option(help=f"Start time, UTC. Default: {FIRST_DAY}.")] = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Also write the injected faults to this file.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write telemetry as collectors would have sent it, without sockets, and optionally the injected faults."""
    with simulator_errors():
        from hashinsight.sim.frame_files import FORMS, write_frames
        from hashinsight.sim.frames import Run, Shape

        for file in (out, labels):
            if file is not None and (file.suffix not in FORMS or not file.parent.is_dir()):
                raise OperatorError(
                    f"{file} cannot be written: give a {' or '.join(FORMS)} file in a folder that exists."
                )
        if labels is not None and labels.resolve() == out.resolve():
            raise OperatorError("--labels and --out are the same file: give --labels another one.")
        chosen = get_scenario(scenario, machines)
        began = (datetime.fromisoformat(FIRST_DAY) if start is None else start).replace(tzinfo=UTC).timestamp()
        length = chosen.days if days is None else days
        used_seed = chosen.seed if seed is None else seed
        simulation = Run(chosen, seed=used_seed, start=began, days=length, shape=Shape(cadence))
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("simulating", total=chosen.machines * length * 86_400 / cadence)
            rows = write_frames(simulation.frames(), out, wrote=lambda more: bar.advance(task, more))
        answer: dict[str, object] = {"file": str(out), "rows": rows, "machines": chosen.machines, "days": length}
        if labels is not None:
            truth = simulation.labels()
            write_frames(iter([truth]), labels, wrote=lambda _: None)
            answer |= {"labels_file": str(labels), "labels": truth.height}
    text = f"{rows:,} rows in {out}"
    if labels is not None:
        text += f"; {answer['labels']} episodes in {labels}"
    print_result(answer | {"seed": used_seed}, text, as_json=json)
