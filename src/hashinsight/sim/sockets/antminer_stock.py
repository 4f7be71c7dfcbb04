"""Antminer stock firmware: port 4028 is read-only (commands go through its web page)."""

from functools import partial

from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets import cgminer, requests
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.luxos_boards import GHS, board_figures, rates
from hashinsight.sim.sockets.machine import Machine, number, whole
from hashinsight.sim.sockets.requests import CommandSet


def _state(machine: Machine, letter: str, code: int, text: str) -> Body:
    return cgminer.status(letter, code, text, "cgminer 1.0.0", machine.reading.at)


def _reply(machine: Machine, code: int, text: str, section: str, rows: list[Body]) -> Body:
    return cgminer.body(section, rows, _state(machine, "S", code, text))


def fail(machine: Machine, code: int, text: str) -> Body:
    return cgminer.status_only(_state(machine, "E", code, text))


def _about(machine: Machine) -> Body:
    firmware = machine.identity.version
    return {"BMMiner": "1.0.0", "Miner": firmware, "CompileTime": firmware, "Type": machine.identity.reported_model}


def version(machine: Machine, _: str) -> Body:
    return _reply(machine, 22, "BMMiner versions", "VERSION", [{"API": "3.1", **_about(machine)}])


def summary(machine: Machine, _: str) -> Body:
    reading = machine.reading
    row = {"Elapsed": reading.uptime_sec, **rates(reading), "Accepted": reading.accepted, "Rejected": reading.rejected}
    row |= {"Hardware Errors": reading.hw_errors, "Stale": 0, "Found Blocks": 0}
    return _reply(machine, 11, "Summary", "SUMMARY", [row])


def stats(machine: Machine, _: str) -> Body:
    reading = machine.reading
    boards = board_figures(reading)
    for no, temp in enumerate(reading.chip_temp_c, 1):
        boards[f"temp_chip{no}"] = "-".join([str(whole(temp))] * 4)
    fans = {f"fan{no}": rpm for no, rpm in enumerate(reading.fans, 1)}
    rest = {"STATS": 0, "ID": "BC50", "Elapsed": reading.uptime_sec, **rates(reading), "miner_count": BOARDS}
    rest |= {"frequency": whole(reading.frequency_mhz), "fan_num": len(fans), **fans, **boards}
    rest |= {"total_rateideal": number(reading.expected_ths * GHS), "rate_unit": "GH"}
    return _reply(machine, 70, "BMMiner stats", "STATS", [_about(machine), rest])


def pools(machine: Machine, _: str) -> Body:
    rows = cgminer.pool_rows(machine.pools, machine.reading)
    return _reply(machine, 7, f"{len(rows)} Pool(s)", "POOLS", rows)


COMMANDS = CommandSet(
    reads={"version": version, "summary": summary, "stats": stats, "pools": pools}, writes={}, fail=fail
)
answer = partial(requests.answer, COMMANDS)
