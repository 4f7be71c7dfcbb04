"""Reads machines of every make with a real reader and its child, as polling does."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.reader import Reader
from hashinsight.edge.readings.record import Record, make_record
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.makes.unit import Unit

TIMEOUT_SEC = 20.0  # a busy machine takes its time


@dataclass
class Read:
    unit: Unit
    record: Record


def read_all(change: Callable[[Unit], None], names: Iterable[str] = NAMES, *, times: int = 1) -> dict[str, Read]:
    """One sample of each after `change`; with `times` the last of that many."""
    return asyncio.run(_read_all(change, tuple(names), times))


async def _read_all(change: Callable[[Unit], None], names: tuple[str, ...], times: int) -> dict[str, Read]:
    with machines_of(*names) as units:
        for unit in units:
            change(unit)
        async with Reader() as reader:
            for _ in range(times):
                records = await asyncio.gather(*(_record(reader, unit) for unit in units))
    return {name: Read(unit, record) for name, unit, record in zip(names, units, records, strict=True)}


async def _record(reader: Reader, unit: Unit) -> Record:
    try:
        answers = await reader.read(unit.address, timeout_sec=TIMEOUT_SEC)
    except MachineError as problem:
        return {"online": False, "error_type": problem.kind}
    return make_record(answers, miner_id=unit.address, at=datetime.now(UTC))
