"""The disk guard: refuses telemetry before the disk is full, so that the database never fails."""

import os
import shutil
import time
from pathlib import Path

from hashinsight.kit.errors import OperatorError

_LOOK_EVERY_SECONDS = 2.0


def free_mb(folder: Path) -> int:
    """Free space at the folder, or where it will be created."""
    while not os.path.exists(folder):  # noqa: PTH110 - Path.exists raises without access to a parent
        folder = folder.parent
    return shutil.disk_usage(folder).free // 2**20


def check_free_space(folder: Path, reserve_mb: int) -> None:
    free = free_mb(folder)
    if free < reserve_mb // 4:
        raise OperatorError(
            f"the disk of {folder} is nearly full: {free} MB free, {reserve_mb // 4} MB needed to start "
            "(a quarter of HASHINSIGHT_DISK_RESERVE_MB); free some space or choose another HASHINSIGHT_DATA_DIR."
        )


class DiskGuard:
    """Whether there is room for more telemetry; checks the disk at most every two seconds."""

    def __init__(self, folder: Path, reserve_mb: int) -> None:
        self._folder = folder
        self.reserve_mb = reserve_mb
        self._free = 0
        self._looked = float("-inf")

    def free_mb(self) -> int:
        if time.monotonic() - self._looked > _LOOK_EVERY_SECONDS:
            self._free = free_mb(self._folder)
            self._looked = time.monotonic()
        return self._free

    def has_room(self) -> bool:
        return self.free_mb() >= self.reserve_mb
