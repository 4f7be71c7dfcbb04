"""`hashinsight sim …`: a fleet with the truth attached, on sockets or as frames."""

import typer

from hashinsight.cli.sim.asks import act, end, episodes, inject, kinds, machines, orders, status, stop
from hashinsight.cli.sim.frames import frames
from hashinsight.cli.sim.runs import run, scenarios

sim_app = typer.Typer(
    help="Simulated fleets: run, inject, end, act, status, machines, episodes, orders, kinds, scenarios, frames, stop.",
    no_args_is_help=True,
)
for command in (run, scenarios, frames, status, machines, kinds, inject, end, episodes, act, orders, stop):
    sim_app.command()(command)
