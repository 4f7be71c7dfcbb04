"""`bench sim`: two weeks of 2,000 machines as frames, and 2,000 machines on sockets at 200 requests a second.

The limit of the first is the drawing and writing of as many values, of the second a bare server on the same addresses.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from hashinsight.bench.report import Result

MACHINES, DAYS, CADENCE_SEC = 2000, 14, 300
RATE, SECONDS = 200, 15
_HASHINSIGHT = [sys.executable, "-m", "hashinsight"]
_BARE = [sys.executable, "-m", "hashinsight.bench.sim_limits"]


async def measure() -> Result:
    return await asyncio.to_thread(_measure)


def _measure() -> Result:
    with tempfile.TemporaryDirectory(prefix="hi-bench-") as folder:
        out = Path(folder)
        size = ["--machines", str(MACHINES), "--days", str(DAYS), "--cadence", str(CADENCE_SEC)]
        command = [*_HASHINSIGHT, "sim", "frames", "ordinary", *size, "--json", "--out", str(out / "frames.parquet")]
        frames_sec, frames_mb, said = _timed(command)
        rows = int(json.loads(said)["rows"])
        limit_sec, _, _ = _timed([*_BARE, "write", str(rows), str(out / "bare.parquet")])
    sockets = _sockets()
    return Result(
        name="sim",
        figure=round(frames_sec, 2),
        unit=f"s for frames of {MACHINES:,} machines over {DAYS} days at {CADENCE_SEC // 60} min",
        limit=round(limit_sec, 2),
        ratio=round(limit_sec / frames_sec, 3),
        detail={"rows": rows, "rows_per_sec": round(rows / frames_sec), "peak_mb": round(frames_mb), **sockets},
    )


def _timed(command: list[str]) -> tuple[float, float, bytes]:
    """Seconds, peak megabytes and output of a program; Python's own start is included, as a person waits for it."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None  # noqa: S101 - for the type checker
        said = child.stdout.read()
        _, state, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(state)
    if child.returncode:
        raise RuntimeError(f"{command} ended with {child.returncode}")
    return time.perf_counter() - began, used.ru_maxrss / 1024, said


def _sockets() -> dict[str, float]:
    run = [*_HASHINSIGHT, "sim", "run", "quiet", "--machines", str(MACHINES), "--luxos", "--json"]
    with _serving(run) as (child, ready):
        now = json.loads(ready)
        net = str(now["net"])
        addresses = [f"{net}.{no // 250}.{no % 250 + 1}" for no in range(MACHINES)]
        idle = _idle(child)
        ours, asked = _loaded(child, addresses)
        memory = child.memory_info().rss / 1e6
        child.terminate()
    with _serving([*_BARE, "answer", str(round(asked["mean_bytes"])), *addresses]) as (child, _):
        bare, _ = _loaded(child, addresses)
        child.terminate()
    return {
        "requests_per_sec": round(asked["per_sec"], 1),
        "requests_failed": asked["failed"],
        "request_p50_ms": round(asked["p50_ms"], 2),
        "request_p99_ms": round(asked["p99_ms"], 2),
        "cores": round(ours, 4),
        "cores_without_requests": round(idle, 4),
        "cpu_sec_per_1000_requests": round(ours * SECONDS / asked["answered"] * 1000, 3),
        "bare_cpu_sec_per_1000_requests": round(bare * SECONDS / asked["answered"] * 1000, 3),
        "sockets_mb": round(memory),
    }


@contextmanager
def _serving(command: list[str]) -> Iterator[tuple[psutil.Process, str]]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None  # noqa: S101 - for the type checker
        try:
            yield psutil.Process(child.pid), child.stdout.readline()
        finally:
            child.terminate()


def _loaded(child: psutil.Process, addresses: list[str]) -> tuple[float, dict[str, float]]:
    """Cores that the server used while a client in another process asked it."""
    before = _cpu(child)
    command = [*_BARE, "ask", str(RATE), str(SECONDS), *addresses]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return (_cpu(child) - before) / SECONDS, json.loads(said)


def _idle(child: psutil.Process) -> float:
    before = _cpu(child)
    time.sleep(SECONDS)
    return (_cpu(child) - before) / SECONDS


def _cpu(child: psutil.Process) -> float:
    spent = child.cpu_times()
    return float(spent.user + spent.system)
