"""The size of the machine, as far as this process may use it."""

import os
import shutil
from pathlib import Path

import psutil

_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def memory_mb() -> int:
    """The machine's memory, or the container's limit."""
    total = psutil.virtual_memory().total
    for path in _CGROUP_LIMITS:
        try:
            total = min(total, int(path.read_text()))
        except (OSError, ValueError):
            continue
    return int(total // 2**20)


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shm_mb() -> int:
    """Shared memory; a system without /dev/shm has no such limit."""
    folder = Path("/dev/shm")  # noqa: S108 - only its size is read
    return shutil.disk_usage(folder).total // 2**20 if folder.is_dir() else 1024
