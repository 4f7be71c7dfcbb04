"""A race's fleet, and the process whose children die in it."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.database import Database
from tests.commands.race.shared_clock import SharedClock, SharedClockSite
from tests.installation import HANG_TIMEOUT_SEC


@pytest.fixture(scope="session")
def dying(pytestconfig: pytest.Config) -> Iterator[subprocess.Popen[str]]:
    """One for all races of a test process: loading everything takes a second, forking does not."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.commands.race.killed_processes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=pytestconfig.rootpath,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.stdin.close()
    process.wait(HANG_TIMEOUT_SEC)
    process.stdout.close()


@pytest.fixture
async def fleet(address: DatabaseAddress, superuser_url: str, tmp_path: Path) -> AsyncIterator[SharedClockSite]:
    database = Database(address, pool=16)
    yield await SharedClockSite(database, superuser_url, SharedClock(tmp_path / "clock")).begin()
    await database.dispose()
