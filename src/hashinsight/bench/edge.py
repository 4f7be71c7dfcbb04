"""`bench edge`: how many machines an edge reads in a second, what one costs, and what it holds after ten minutes.

The simulator, the edge and its child are processes of their own. The limit is the library alone, in a program that
reads the same machines and does nothing with what it gets. Only what `pyasic_rs` read counts. The long part takes
BENCH_EDGE_MINUTES (10).
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from hashinsight.bench.report import Result

MACHINES, AT_ONCE, ROUNDS, INTERVAL_SEC = 2000, 100, 3, 60
MINUTES = float(os.environ.get("BENCH_EDGE_MINUTES", "10"))
_SIM = [sys.executable, "-m", "hashinsight", "sim", "run", "quiet", "--machines", str(MACHINES), "--luxos", "--json"]
_READS = [sys.executable, "-m", "hashinsight.bench.edge_reads"]


async def measure() -> Result:
    return await asyncio.to_thread(_measure)


def _measure() -> Result:
    with _serving(_SIM) as (sim, ready):
        net = str(ready["net"])
        bare = _said([*_READS, "bare", net, str(MACHINES), str(AT_ONCE), str(ROUNDS)])
        ours = _said([*_READS, "burst", net, str(MACHINES), str(AT_ONCE), str(ROUNDS)])
        before = sum(sim.cpu_times()[:2])
        steady = _said([*_READS, "steady", net, str(MACHINES), str(INTERVAL_SEC), str(MINUTES * 60)])
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
            "edge_cpu_ms_a_read": round(ours["edge_cpu_ms"], 3),
            "child_cpu_ms_a_read": round(ours["child_cpu_ms"], 3),
            "library_alone_cpu_ms_a_read": round(bare["edge_cpu_ms"], 3),
            **{f"steady_{name}": round(value, 3) for name, value in steady.items()},
            "steady_simulator_cores": round(sim_cores, 3),
        },
    )


def _said(command: list[str]) -> dict[str, float]:
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


@contextmanager
def _serving(command: list[str]) -> Iterator[tuple[psutil.Process, dict[str, Any]]]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None  # noqa: S101 - for the type checker
        try:
            yield psutil.Process(child.pid), json.loads(child.stdout.readline())
        finally:
            child.terminate()
