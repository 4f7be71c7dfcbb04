"""The fans of a machine: which it has, and whether it is one that needs none. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from hashinsight.edge.makes import Make
from hashinsight.edge.normalising_numbers import number
from hashinsight.facts.temperatures import SensorKind, find_limits, reported_limits

Record = Mapping[str, Any]


def speeds_of(data: Mapping[str, Any], told: Iterable[Any], make: Make, flags: list[str]) -> list[int] | None:
    """The library leaves out a fan that stands. A machine in water or oil has none, whatever its connectors say."""
    if not make.has_fans or data.get("expected_fans") == 0:
        return None
    said = [rpm for fan in told if isinstance(fan, dict) and (rpm := fan.get("rpm")) is not None]
    speeds = [round(rpm) for value in said if (rpm := number(value, most=1e5)) is not None]
    if len(speeds) < len(said):
        flags.append("fan_sensor_broken")
    return speeds or None


def are_missed(record: Record) -> bool:
    """Whether fans that nobody ever saw turning should: the machine hashes and is hot.

    In oil it hashes and stays cool, also after each reboot. In air it is too hot two minutes after its fans stopped.
    """
    return record.get("state") == "running" and bool(record.get("hashrate_ths")) and not _is_cool(record)


def _is_cool(record: Record) -> bool:
    """Below where its kind is too hot; who says no temperature proves nothing."""
    known = {kind: record.get(f"temp_{kind.value}_max") for kind in SensorKind}
    told = {kind: temp_c for kind, temp_c in known.items() if temp_c is not None}
    return bool(told) and all(temp_c < _warn_c(record, kind) for kind, temp_c in told.items())


def _warn_c(record: Record, kind: SensorKind) -> float:
    limits = find_limits(
        record.get("model"), kind, firmware=record.get("firmware"), reported=reported_limits(record, kind)
    )
    return limits.warn_c
