"""One machine as its sockets see it: identity, current reading, commands."""

import math
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Protocol

from hashinsight.facts.models import MinerModel
from hashinsight.sim.commands import Command, Refusal
from hashinsight.sim.plan import Pool
from hashinsight.sim.readings import FANS, MODES, NO_FAN, Readings

GHS, MHS = 1_000.0, 1_000_000.0  # in a TH/s


@dataclass(frozen=True, slots=True)
class MachineReading:
    """One machine's row of the readings, in plain Python numbers."""

    at: float
    reachable: bool
    hashing: bool
    hashrate_ths: float
    hashrate_5s_ths: float
    expected_ths: float
    board_ths: list[float]
    board_temp_c: list[float]
    chip_temp_c: list[float]
    board_chips: list[int]
    board_hw_errors: list[int]
    frequency_mhz: float
    fan_rpm: list[int]
    fan_duty: float
    inlet_c: float
    power_w: float
    voltage_v: float
    power_limit_w: float
    mode: int
    accepted: int
    rejected: int
    hw_errors: int
    uptime_sec: int
    pool: int
    error_code: int
    fault_light: bool

    @property
    def mode_name(self) -> str:
        return MODES[self.mode]

    @property
    def fans(self) -> list[int]:
        return [rpm for rpm in self.fan_rpm[:FANS] if rpm != NO_FAN]


_COLUMNS = tuple(field.name for field in fields(MachineReading) if field.name != "at")


class FleetReadings:
    """Readings of the whole fleet at one step. Converted to lists at once: far cheaper than value by value."""

    def __init__(self, readings: Readings) -> None:
        self.at = readings.at
        self.reachable: list[bool] = readings.reachable.tolist()
        self._columns: list[list[Any]] = [getattr(readings, name).tolist() for name in _COLUMNS]
        self._shown: dict[int, MachineReading] = {}

    def of(self, machine: int) -> MachineReading:
        """Cached until the next step: clients send a dozen requests in a row."""
        if machine not in self._shown:
            self._shown[machine] = MachineReading(self.at, *(column[machine] for column in self._columns))
        return self._shown[machine]


def number(value: float, digits: int = 2) -> float:
    """As firmware prints it: an unknown value is 0."""
    return 0.0 if math.isnan(value) else round(value, digits)


def whole(value: float) -> int:
    return 0 if math.isnan(value) else round(value)


def hottest(reading: MachineReading) -> float:
    """Hottest board with a valid sensor: the machine's single temperature."""
    return max((temp for temp in reading.board_temp_c if 0 < temp < 255), default=0.0)  # noqa: PLR2004 - the sentinels


def mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


class Driver(Protocol):
    """Advances the world behind the sockets."""

    @property
    def answers(self) -> dict[int, dict[tuple[str, str], bytes]]:
        """Answers rendered since the last step, by machine; cleared at every step."""

    def reading(self, no: int) -> MachineReading: ...

    def pools(self, no: int) -> tuple[Pool, ...]: ...

    async def execute(self, no: int, command: Command) -> Refusal | None: ...

    def execute_later(self, no: int, command: Command, delay_sec: float) -> None: ...


@dataclass(frozen=True)
class Identity:
    no: int
    machine_id: str
    model: MinerModel
    reported_model: str  # the model name that it reports; a firmware update may change it
    firmware: str
    serial: str
    mac: str
    address: str
    chips: int  # fitted on a board

    @cached_property
    def version(self) -> str:
        """The firmware version as the machine reports it: the number without a name before it."""
        return re.sub(r"^(?:[A-Za-z]++ )++", "", self.firmware)


@dataclass
class Machine:
    """`memory` is what a firmware keeps between requests: sessions, tokens, incomplete pool lists."""

    identity: Identity
    driver: Driver
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def reading(self) -> MachineReading:
        return self.driver.reading(self.identity.no)

    @property
    def pools(self) -> tuple[Pool, ...]:
        return self.driver.pools(self.identity.no)

    async def execute(self, command: Command) -> Refusal | None:
        return await self.driver.execute(self.identity.no, command)

    def rendered(self, key: tuple[str, str], render: Callable[[], bytes]) -> bytes:
        """Readings change only with a step, so an answer is rendered once per step."""
        known = self.driver.answers.setdefault(self.identity.no, {})
        if key not in known:
            known[key] = render()
        return known[key]

    def forget(self) -> None:
        """Drops rendered answers after a command that changed something outside the readings."""
        self.driver.answers.pop(self.identity.no, None)


Dialect = Callable[[Machine, bytes], Coroutine[Any, Any, bytes]]
