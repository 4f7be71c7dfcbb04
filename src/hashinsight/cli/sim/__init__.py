"""`hashinsight sim …`: a simulated fleet with known faults, on sockets or as files."""

import typer

from hashinsight.cli.sim.control import act, end, episodes, inject, kinds, machines, orders, status, stop
from hashinsight.cli.sim.fleet import run, scenarios
from hashinsight.cli.sim.frames import frames

sim_app = typer.Typer(
    help="Simulated fleets: run one, inject faults, inspect machines, write files.",
    no_args_is_help=True,
)
for command in (run, scenarios, frames, status, machines, kinds, inject, end, episodes, act, orders, stop):
    sim_app.command()(command)
