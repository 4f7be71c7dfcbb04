"""`bench edge`: machines an edge collector reads per second, CPU per read, and memory after ten minutes.

Simulator, collector and its child each run in their own process. The limit is `pyasic_rs` alone on the same machines;
only reads by `pyasic_rs` count. The steady part runs for BENCH_EDGE_MINUTES (10).
"""

import asyncio
import json
import os
import subprocess
import sys

from hashinsight.bench.report import Result
from hashinsight.bench.simulator import running_simulator

MACHINES, AT_ONCE, ROUNDS, INTERVAL_SEC = 2000, 100, 3, 60
MINUTES = float(os.environ.get("BENCH_EDGE_MINUTES", "10"))
_READS = [sys.executable, "-m", "hashinsight.bench.edge_reads"]


async def measure() -> Result:
    return await asyncio.to_thread(_measure)


def _measure() -> Result:
    with running_simulator(MACHINES) as (sim, net):
        bare = _run([*_READS, "bare", net, str(MACHINES), str(AT_ONCE), str(ROUNDS)])
        ours = _run([*_READS, "burst", net, str(MACHINES), str(AT_ONCE), str(ROUNDS)])
        before = sum(sim.cpu_times()[:2])
        steady = _run([*_READS, "steady", net, str(MACHINES), str(INTERVAL_SEC), str(MINUTES * 60)])
        sim_cores = (sum(sim.cpu_times()[:2]) - before) / steady.pop("seconds")
    return Result(
        name="edge",
        figure=round(ours["by_pyasic_rs"] / ours["seconds"], 1),
        unit="machines/s read by pyasic_rs, as records, through one child",
        limit=round(bare["by_pyasic_rs"] / bare["seconds"], 1),
        ratio=round(ours["by_pyasic_rs"] / ours["seconds"] / (bare["by_pyasic_rs"] / bare["seconds"]), 3),
        detail={
            "machines": MACHINES,
            "not_read_by_pyasic_rs": ours["others"],
            "cpu_ms_per_machine": round(steady["cpu_ms_a_read"], 3),
            "peak_rss_mb": round(max(steady["settled_mb"], steady["held_mb"]), 1),
            "edge_cpu_ms_a_read": round(ours["edge_cpu_ms"], 3),
            "child_cpu_ms_a_read": round(ours["child_cpu_ms"], 3),
            "library_alone_cpu_ms_a_read": round(bare["edge_cpu_ms"], 3),
            **{f"steady_{name}": round(value, 3) for name, value in steady.items()},
            "steady_simulator_cores": round(sim_cores, 3),
        },
    )


def _run(command: list[str]) -> dict[str, float]:
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    figures: dict[str, float] = json.loads(output)
    return figures
