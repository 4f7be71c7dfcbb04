"""Avalon (cgminer with Canaan's additions on port 4028). Its boards are told in one long bracketed text."""

import time
from functools import partial

from hashinsight.sim.acts import Act, FaultLight, Pause, Pool, Refused, Restart, Resume, SetMode, SetPools
from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets import answering, cgminer
from hashinsight.sim.sockets.answering import Words
from hashinsight.sim.sockets.asking import Asked, NotUnderstood, whole_number
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.machine import Machine
from hashinsight.sim.sockets.screen import hottest, mean, number, whole

GHS = 1_000.0  # in a TH/s
MHS = 1_000_000.0
MAX_DELAY_SEC = 3600.0
MODES_BY_NUMBER = {"0": "eco", "1": "normal", "2": "perf"}
_NUMBERS = {name: no for no, name in MODES_BY_NUMBER.items()}


def _state(machine: Machine, letter: str, code: int, said: str) -> Body:
    return cgminer.status(letter, code, said, "cgminer 4.11.1", machine.screen.at)


def _tell(machine: Machine, code: int, said: str, section: str, rows: list[Body]) -> Body:
    return cgminer.body(section, rows, _state(machine, "S", code, said))


def fail(machine: Machine, code: int, said: str) -> Body:
    return cgminer.alone(_state(machine, "E", code, said))


def _number(machine: Machine) -> str:
    return machine.who.model_said.split()[-1].removeprefix("A")


def version(machine: Machine, _: str) -> Body:
    row = {
        "CGMiner": "4.11.1",
        "API": "3.7",
        "PROD": f"AvalonMiner {_number(machine)}",
        "MODEL": _number(machine),
        "HWTYPE": "MM4v1_X3",
        "SWTYPE": "MM319",
        "VERSION": machine.who.version,
        "LVERSION": machine.who.version,
        "DNA": machine.who.serial,
        "MAC": machine.who.mac.replace(":", "").lower(),
        "UPAPI": "2",
    }
    return _tell(machine, 22, "CGMiner versions", "VERSION", [row])


def _rates(machine: Machine) -> Body:
    average, now = number(machine.screen.hashrate_ths * MHS), number(machine.screen.hashrate_5s_ths * MHS)
    return {"MHS av": average, "MHS 5s": now, "MHS 1m": average, "MHS 5m": average, "MHS 15m": average}


def _counts(machine: Machine) -> Body:
    screen = machine.screen
    return {"Accepted": screen.accepted, "Rejected": screen.rejected, "Hardware Errors": screen.hw_errors}


def summary(machine: Machine, _: str) -> Body:
    row = {"Elapsed": machine.screen.uptime_sec, **_rates(machine), "Found Blocks": 0, **_counts(machine)}
    return _tell(machine, 11, "Summary", "SUMMARY", [row | {"Stale": 0, "Discarded": 0}])


def devs(machine: Machine, _: str) -> Body:
    screen = machine.screen
    row = {"ASC": 0, "Name": "AVA10", "ID": 0, "Enabled": "Y", "Status": "Alive", "Temperature": hottest(screen)}
    return _tell(machine, 9, "1 ASC(s)", "DEVS", [{**row, **_rates(machine), **_counts(machine)}])


def pools(machine: Machine, _: str) -> Body:
    rows = cgminer.pool_rows(machine.pools, machine.screen)
    return _tell(machine, 7, f"{len(rows)} Pool(s)", "POOLS", rows)


def _listed(values: list[float]) -> str:
    return " ".join(str(whole(value)) for value in values)


def _bracketed(machine: Machine) -> str:
    screen = machine.screen
    fitted = machine.who.chips
    told: dict[str, object] = {
        "Ver": f"{_number(machine)}-{machine.who.version}",
        "DNA": machine.who.serial,
        "SYSTEMSTATU": f"Work: {'In Work' if screen.hashing else 'In Idle'}, Hash Board: {BOARDS}",
        "Elapsed": screen.uptime_sec,
        "HW": screen.hw_errors,
        "ITemp": whole(screen.inlet_c),
        "TMax": whole(max(screen.chip_temp_c)),
        "TAvg": whole(mean(screen.board_temp_c)),
        **{f"Fan{no}": rpm for no, rpm in enumerate(screen.fans, 1)},
        "FanR": f"{round(number(screen.fan_duty, 3) * 100)}%",
        "PS": f"0 1215 {whole(screen.voltage_v * 100)} 0 {whole(screen.power_w)} 0 {whole(screen.power_limit_w)}",
        "GHSspd": number(screen.hashrate_5s_ths * GHS),
        "GHSmm": number(screen.expected_ths * GHS),
        "GHSavg": number(screen.hashrate_ths * GHS),
        "Freq": number(screen.frequency_mhz),
        "Led": int(screen.fault_light),
        "MGHS": " ".join(str(number(ths * GHS)) for ths in screen.board_ths),
        "MTmax": _listed(screen.chip_temp_c),
        "MTavg": _listed(screen.board_temp_c),
        "MVavg": " ".join(str(number(screen.voltage_v * 100, 1)) for _ in range(BOARDS)),
        "SoftOFF": int(not screen.hashing),
        "ECMM": screen.error_code,
        "WORKMODE": _NUMBERS[screen.mode_name],
    }
    for no in range(BOARDS):
        found = screen.board_chips[no]
        told[f"PVT_T{no}"] = " ".join([str(whole(screen.chip_temp_c[no]))] * found + ["0"] * (fitted - found))
        told[f"MW{no}"] = " ".join(["1000"] * found + ["0"] * (fitted - found))
    return " ".join(f"{name}[{value}]" for name, value in told.items())


def stats(machine: Machine, _: str) -> Body:
    row = {"STATS": 0, "ID": "AVA100", "Elapsed": machine.screen.uptime_sec, "Calls": 0, "Wait": 0.0}
    row |= {"MM ID0": _bracketed(machine), "MM Count": 1, "Smart Speed": 1}
    return _tell(machine, 70, "CGMiner stats", "STATS", [row])


async def ascset(machine: Machine, asked: Asked) -> Body:
    """`0,name,value…`: the one command by which an Avalon is told things."""
    device, name, value, *rest = (*asked.parameter.split(",", 3), "", "", "")[:4]
    if device.strip() != "0":
        raise NotUnderstood(106, f"Invalid ASC id {device[:20]} - range is 0 - 0")
    if name == "softoff":
        return _at(machine, Pause(), value)
    if name == "softon":
        return _at(machine, Resume(), value)
    if name == "led" and value in ("1-0", "1-1"):
        return await _set(machine, FaultLight(value == "1-1"))
    if name == "reboot":
        return await _set(machine, Restart(whole=True))
    if name == "workmode" and value == "set" and rest[0] in MODES_BY_NUMBER:
        return await _set(machine, SetMode(MODES_BY_NUMBER[rest[0]]))
    raise NotUnderstood(120, f"ASC 0 set failed: unknown option: {name[:40]}")


def _at(machine: Machine, act: Act, value: str) -> Body:
    """`1:TIME`: at this time of the wall clock, as the firmware has it."""
    stamp = whole_number(value.partition(":")[2])
    if stamp is None:
        raise NotUnderstood(120, "ASC 0 set failed: time is missing")
    delay = min(max(stamp - time.time(), 0.0), MAX_DELAY_SEC)
    machine.driver.act_later(machine.who.no, act, delay)
    return cgminer.alone(_state(machine, "S", 119, "ASC 0 set OK"))


async def _set(machine: Machine, act: Act, code: int = 119, said: str = "ASC 0 set OK") -> Body:
    refused = await machine.act(act)
    if isinstance(refused, Refused):
        raise NotUnderstood(120, f"ASC 0 set failed: {refused.reason}")
    return cgminer.alone(_state(machine, "S", code, said))


async def restart(machine: Machine, _: Asked) -> Body:
    await _set(machine, Restart(whole=False))
    return {"STATUS": "RESTART"}


async def setpool(machine: Machine, asked: Asked) -> Body:
    """`user,password,number,address,worker,password of the worker`."""
    parts = [part.strip() for part in asked.parameter.split(",")]
    if len(parts) < 5 or parts[2] not in ("0", "1", "2") or not all(parts[3:5]):  # noqa: PLR2004
        raise NotUnderstood(53, f"Invalid setpool details: '{asked.parameter[:100]}'")
    known = list(machine.pools)
    known[int(parts[2]) : int(parts[2]) + 1] = [Pool(parts[3], parts[4], (*parts[5:6], "x")[0] or "x")]
    return await _set(machine, SetPools(tuple(known)), 55, f"Set pool {parts[2]}: '{parts[3]}'")


WORDS = Words(
    reads={
        "version": version,
        "summary": summary,
        "devs": devs,
        "edevs": devs,
        "pools": pools,
        "stats": stats,
        "estats": stats,
        "litestats": stats,
    },
    writes={"ascset": ascset, "restart": restart, "setpool": setpool},
    fail=fail,
)
answer = partial(answering.answer, WORDS)
