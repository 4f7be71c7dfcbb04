"""A benchmark's result: the figure, the limit measured in the same run, and their ratio."""

import json
import platform
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from hashinsight import __version__
from hashinsight.kit.embedded import machine


@dataclass(frozen=True)
class Result:
    """`limit` is what bare tools reach on the same rows, in the figure's unit; a `ratio` of 1 means we match it."""

    name: str
    figure: float
    unit: str
    limit: float
    ratio: float
    detail: dict[str, float]


def as_json(result: Result) -> str:
    return json.dumps({**asdict(result), "machine": _machine(), "commit": _commit()})


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def _machine() -> str:
    return (
        f"{platform.machine()}, {machine.cores()} cores, {machine.memory_mb() // 1024} GB, {platform.python_version()}"
    )


def _commit() -> str:
    """The checkout's commit, or the version of an installed package."""
    git = shutil.which("git")
    if git is not None:
        command = [git, "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            return result.stdout.strip()
    return __version__
