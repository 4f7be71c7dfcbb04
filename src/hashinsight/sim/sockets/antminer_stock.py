"""Antminer stock firmware: port 4028 is read-only (commands go through its web page)."""

from functools import partial

from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets import requests
from hashinsight.sim.sockets.cgminer import Body, Firmware
from hashinsight.sim.sockets.luxos_boards import board_figures, rates
from hashinsight.sim.sockets.machine import GHS, Machine, number, whole
from hashinsight.sim.sockets.requests import CommandSet

_FIRMWARE = Firmware("cgminer 1.0.0")


def _about(machine: Machine) -> Body:
    firmware = machine.identity.version
    return {"BMMiner": "1.0.0", "Miner": firmware, "CompileTime": firmware, "Type": machine.identity.reported_model}


def version(machine: Machine, _: str) -> Body:
    return _FIRMWARE.reply(machine, 22, "BMMiner versions", "VERSION", [{"API": "3.1", **_about(machine)}])


def summary(machine: Machine, _: str) -> Body:
    reading = machine.reading
    row = {"Elapsed": reading.uptime_sec, **rates(reading), "Accepted": reading.accepted, "Rejected": reading.rejected}
    row |= {"Hardware Errors": reading.hw_errors, "Stale": 0, "Found Blocks": 0}
    return _FIRMWARE.reply(machine, 11, "Summary", "SUMMARY", [row])


def stats(machine: Machine, _: str) -> Body:
    reading = machine.reading
    boards = board_figures(reading)
    for no, temp in enumerate(reading.chip_temp_c, 1):
        boards[f"temp_chip{no}"] = "-".join([str(whole(temp))] * 4)
    fans = {f"fan{no}": rpm for no, rpm in enumerate(reading.fans, 1)}
    rest = {"STATS": 0, "ID": "BC50", "Elapsed": reading.uptime_sec, **rates(reading), "miner_count": BOARDS}
    rest |= {"frequency": whole(reading.frequency_mhz), "fan_num": len(fans), **fans, **boards}
    rest |= {"total_rateideal": number(reading.expected_ths * GHS), "rate_unit": "GH"}
    return _FIRMWARE.reply(machine, 70, "BMMiner stats", "STATS", [_about(machine), rest])


COMMANDS = CommandSet(
    reads={"version": version, "summary": summary, "stats": stats, "pools": _FIRMWARE.pools},
    writes={},
    fail=_FIRMWARE.fail,
)
answer = partial(requests.answer, COMMANDS)
