"""One machine on loopback under a real collector with protection on, and a clock for its pauses and holds."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.protection import protector
from hashinsight.edge.settings import Protection
from tests.edge.makes.unit import Unit
from tests.edge.simulated_site import RecordingSink, running_site, site_settings, until

LUXOS = "Antminer S19k Pro, LuxOS"  # it reports its board, which must stop at 70 °C
STOCK = "Antminer S19, stock"
STOPPED, NOT_STOPPED, COOL = "Stopped: too hot", "Too hot: could not be stopped", "Cooled down"
STARTED, NOT_STARTED = "Started again after it cooled down", "Cooled down: could not be started again"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """For protection's pauses and holds; stop tries and confirming readings follow each other at once."""
    monkeypatch.setattr(protector, "REST_SEC", 0.05)
    monkeypatch.setattr(protector, "CONFIRM_SEC", 0.05)
    return Clock()


@asynccontextmanager
async def protected_machine(
    folder: Path,
    unit: Unit,
    clock: Callable[[], float],
    protection: Protection | None = None,
    store: RecordingSink | None = None,
) -> AsyncIterator[tuple[LocalSite, RecordingSink]]:
    """Polled every second. `store`: from the previous run of the collector."""
    settings = site_settings(
        folder, [unit.address], identity="address", interval_sec=1, protection=protection or Protection()
    )
    async with running_site(settings, store) as (local_site, sink):
        local_site.executor._confirm_sec = 3.0
        local_site.protector._clock = clock
        await until(lambda: local_site.counts().online == 1, "the machine")
        yield local_site, sink


async def read_twice(local_site: LocalSite) -> None:
    """Whatever a reading triggers has started and finished."""
    reads = local_site.counts().reads + 2
    await until(lambda: local_site.counts().reads >= reads and not local_site.protector._acting, "two readings")


def heat(unit: Unit, temp_c: float) -> None:
    """All boards, as a failing fan does."""
    for board in unit.boards:
        board.pcb_c = [temp_c] * len(board.pcb_c)


def count_stops(unit: Unit) -> int:
    return unit.queries.count("curtail")
