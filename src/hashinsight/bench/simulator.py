"""`bench sim`: two weeks of 2,000 machines as frames, and 2,000 machines on sockets at 200 requests/s.

The limits: drawing and writing as many random values, and a bare server on the same addresses.
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
from hashinsight.sim.sockets.nets import address_of, read_net

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
        frames_sec, frames_mb, output = _time_program(command)
        rows = int(json.loads(output)["rows"])
        limit_sec, _, _ = _time_program([*_BARE, "write", str(rows), str(out / "bare.parquet")])
    sockets = _sockets()
    return Result(
        name="sim",
        figure=round(frames_sec, 2),
        unit=f"s for frames of {MACHINES:,} machines over {DAYS} days at {CADENCE_SEC // 60} min",
        limit=round(limit_sec, 2),
        ratio=round(limit_sec / frames_sec, 3),
        detail={"rows": rows, "rows_per_sec": round(rows / frames_sec), "peak_mb": round(frames_mb), **sockets},
    )


def _time_program(command: list[str]) -> tuple[float, float, bytes]:
    """Seconds with Python's start, peak megabytes and output of a program."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None  # noqa: S101 - for the type checker
        output = child.stdout.read()
        _, state, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(state)
    if child.returncode:
        raise RuntimeError(f"{command} exited with {child.returncode}")
    return time.perf_counter() - began, used.ru_maxrss / 1024, output


def _sockets() -> dict[str, float]:
    with running_simulator(MACHINES) as (child, net):
        addresses = [address_of(read_net(net), no) for no in range(MACHINES)]
        idle = _cores_idle(child)
        ours, client = _cores_under_load(child, addresses)
        memory = child.memory_info().rss / 1e6
        child.terminate()
    with _running([*_BARE, "answer", str(round(client["mean_bytes"])), *addresses]) as (child, _):
        bare, _ = _cores_under_load(child, addresses)
        child.terminate()
    return {
        "requests_per_sec": round(client["per_sec"], 1),
        "requests_failed": client["failed"],
        "request_p50_ms": round(client["p50_ms"], 2),
        "request_p99_ms": round(client["p99_ms"], 2),
        "cores": round(ours, 4),
        "cores_without_requests": round(idle, 4),
        "cpu_sec_per_1000_requests": round(ours * SECONDS / client["answered"] * 1000, 3),
        "bare_cpu_sec_per_1000_requests": round(bare * SECONDS / client["answered"] * 1000, 3),
        "sockets_mb": round(memory),
    }


@contextmanager
def running_simulator(machines: int) -> Iterator[tuple[psutil.Process, str]]:
    """Its process and its network, 127.x."""
    command = [*_HASHINSIGHT, "sim", "run", "quiet", "--machines", str(machines), "--luxos", "--json"]
    with _running(command) as (process, ready):
        yield process, str(json.loads(ready)["net"])


@contextmanager
def _running(command: list[str]) -> Iterator[tuple[psutil.Process, str]]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None  # noqa: S101 - for the type checker
        try:
            yield psutil.Process(child.pid), child.stdout.readline()
        finally:
            child.terminate()


def _cores_under_load(child: psutil.Process, addresses: list[str]) -> tuple[float, dict[str, float]]:
    """Cores that the server uses under load from another process, and the client's figures."""
    before = _cpu(child)
    command = [*_BARE, "ask", str(RATE), str(SECONDS), *addresses]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return (_cpu(child) - before) / SECONDS, json.loads(output)


def _cores_idle(child: psutil.Process) -> float:
    before = _cpu(child)
    time.sleep(SECONDS)
    return (_cpu(child) - before) / SECONDS


def _cpu(child: psutil.Process) -> float:
    times = child.cpu_times()
    return float(times.user + times.system)
