"""Antminers with the maker's own firmware: port 4028 tells, and takes no orders (those go by its web page)."""

from functools import partial

from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets import answering, cgminer
from hashinsight.sim.sockets.answering import Words
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.luxos_boards import GHS, board_figures, rates
from hashinsight.sim.sockets.machine import Machine
from hashinsight.sim.sockets.screen import number, whole


def _state(machine: Machine, letter: str, code: int, said: str) -> Body:
    return cgminer.status(letter, code, said, "cgminer 1.0.0", machine.screen.at)


def _tell(machine: Machine, code: int, said: str, section: str, rows: list[Body]) -> Body:
    return cgminer.body(section, rows, _state(machine, "S", code, said))


def fail(machine: Machine, code: int, said: str) -> Body:
    return cgminer.alone(_state(machine, "E", code, said))


def _about(machine: Machine) -> Body:
    firmware = machine.who.version
    return {"BMMiner": "1.0.0", "Miner": firmware, "CompileTime": firmware, "Type": machine.who.model_said}


def version(machine: Machine, _: str) -> Body:
    return _tell(machine, 22, "BMMiner versions", "VERSION", [{"API": "3.1", **_about(machine)}])


def summary(machine: Machine, _: str) -> Body:
    screen = machine.screen
    row = {"Elapsed": screen.uptime_sec, **rates(screen), "Accepted": screen.accepted, "Rejected": screen.rejected}
    row |= {"Hardware Errors": screen.hw_errors, "Stale": 0, "Found Blocks": 0}
    return _tell(machine, 11, "Summary", "SUMMARY", [row])


def stats(machine: Machine, _: str) -> Body:
    screen = machine.screen
    boards = board_figures(screen)
    for no, temp in enumerate(screen.chip_temp_c, 1):
        boards[f"temp_chip{no}"] = "-".join([str(whole(temp))] * 4)
    fans = {f"fan{no}": rpm for no, rpm in enumerate(screen.fans, 1)}
    rest = {"STATS": 0, "ID": "BC50", "Elapsed": screen.uptime_sec, **rates(screen), "miner_count": BOARDS}
    rest |= {"frequency": whole(screen.frequency_mhz), "fan_num": len(fans), **fans, **boards}
    rest |= {"total_rateideal": number(screen.expected_ths * GHS), "rate_unit": "GH"}
    return _tell(machine, 70, "BMMiner stats", "STATS", [_about(machine), rest])


def pools(machine: Machine, _: str) -> Body:
    rows = cgminer.pool_rows(machine.pools, machine.screen)
    return _tell(machine, 7, f"{len(rows)} Pool(s)", "POOLS", rows)


WORDS = Words(reads={"version": version, "summary": summary, "stats": stats, "pools": pools}, writes={}, fail=fail)
answer = partial(answering.answer, WORDS)
