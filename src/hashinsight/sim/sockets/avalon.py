"""Avalon (cgminer with Canaan's additions on port 4028). Its boards are reported in one long bracketed text."""

import time
from functools import partial

from hashinsight.sim.commands import Command, FaultLight, Pause, Refusal, Restart, Resume, SetMode, SetPools
from hashinsight.sim.plan import Pool
from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets import requests
from hashinsight.sim.sockets.cgminer import Body, Firmware
from hashinsight.sim.sockets.machine import GHS, MHS, Machine, hottest, mean, number, whole
from hashinsight.sim.sockets.requests import CommandSet, Request, RequestError, whole_number

_FIRMWARE = Firmware("cgminer 4.11.1")
MAX_DELAY_SEC = 3600.0
MODES_BY_NUMBER = {"0": "eco", "1": "normal", "2": "perf"}
_NUMBERS = {name: no for no, name in MODES_BY_NUMBER.items()}


def _number(machine: Machine) -> str:
    return machine.identity.reported_model.split()[-1].removeprefix("A")


def version(machine: Machine, _: str) -> Body:
    row = {
        "CGMiner": "4.11.1",
        "API": "3.7",
        "PROD": f"AvalonMiner {_number(machine)}",
        "MODEL": _number(machine),
        "HWTYPE": "MM4v1_X3",
        "SWTYPE": "MM319",
        "VERSION": machine.identity.version,
        "LVERSION": machine.identity.version,
        "DNA": machine.identity.serial,
        "MAC": machine.identity.mac.replace(":", "").lower(),
        "UPAPI": "2",
    }
    return _FIRMWARE.reply(machine, 22, "CGMiner versions", "VERSION", [row])


def _rates(machine: Machine) -> Body:
    average, now = number(machine.reading.hashrate_ths * MHS), number(machine.reading.hashrate_5s_ths * MHS)
    return {"MHS av": average, "MHS 5s": now, "MHS 1m": average, "MHS 5m": average, "MHS 15m": average}


def _counts(machine: Machine) -> Body:
    reading = machine.reading
    return {"Accepted": reading.accepted, "Rejected": reading.rejected, "Hardware Errors": reading.hw_errors}


def summary(machine: Machine, _: str) -> Body:
    row = {"Elapsed": machine.reading.uptime_sec, **_rates(machine), "Found Blocks": 0, **_counts(machine)}
    return _FIRMWARE.reply(machine, 11, "Summary", "SUMMARY", [row | {"Stale": 0, "Discarded": 0}])


def devs(machine: Machine, _: str) -> Body:
    reading = machine.reading
    row = {"ASC": 0, "Name": "AVA10", "ID": 0, "Enabled": "Y", "Status": "Alive", "Temperature": hottest(reading)}
    return _FIRMWARE.reply(machine, 9, "1 ASC(s)", "DEVS", [{**row, **_rates(machine), **_counts(machine)}])


def _listed(values: list[float]) -> str:
    return " ".join(str(whole(value)) for value in values)


def _bracketed(machine: Machine) -> str:
    reading = machine.reading
    fitted = machine.identity.chips
    fields: dict[str, object] = {
        "Ver": f"{_number(machine)}-{machine.identity.version}",
        "DNA": machine.identity.serial,
        "SYSTEMSTATU": f"Work: {'In Work' if reading.hashing else 'In Idle'}, Hash Board: {BOARDS}",
        "Elapsed": reading.uptime_sec,
        "HW": reading.hw_errors,
        "ITemp": whole(reading.inlet_c),
        "TMax": whole(max(reading.chip_temp_c)),
        "TAvg": whole(mean(reading.board_temp_c)),
        **{f"Fan{no}": rpm for no, rpm in enumerate(reading.fans, 1)},
        "FanR": f"{round(number(reading.fan_duty, 3) * 100)}%",
        "PS": f"0 1215 {whole(reading.voltage_v * 100)} 0 {whole(reading.power_w)} 0 {whole(reading.power_limit_w)}",
        "GHSspd": number(reading.hashrate_5s_ths * GHS),
        "GHSmm": number(reading.expected_ths * GHS),
        "GHSavg": number(reading.hashrate_ths * GHS),
        "Freq": number(reading.frequency_mhz),
        "Led": int(reading.fault_light),
        "MGHS": " ".join(str(number(ths * GHS)) for ths in reading.board_ths),
        "MTmax": _listed(reading.chip_temp_c),
        "MTavg": _listed(reading.board_temp_c),
        "MVavg": " ".join(str(number(reading.voltage_v * 100, 1)) for _ in range(BOARDS)),
        "SoftOFF": int(not reading.hashing),
        "ECMM": reading.error_code,
        "WORKMODE": _NUMBERS[reading.mode_name],
    }
    for no in range(BOARDS):
        working = reading.board_chips[no]
        fields[f"PVT_T{no}"] = " ".join([str(whole(reading.chip_temp_c[no]))] * working + ["0"] * (fitted - working))
        fields[f"MW{no}"] = " ".join(["1000"] * working + ["0"] * (fitted - working))
    return " ".join(f"{name}[{value}]" for name, value in fields.items())


def stats(machine: Machine, _: str) -> Body:
    row = {"STATS": 0, "ID": "AVA100", "Elapsed": machine.reading.uptime_sec, "Calls": 0, "Wait": 0.0}
    row |= {"MM ID0": _bracketed(machine), "MM Count": 1, "Smart Speed": 1}
    return _FIRMWARE.reply(machine, 70, "CGMiner stats", "STATS", [row])


async def ascset(machine: Machine, request: Request) -> Body:
    """`0,name,value…`: the single write command of an Avalon."""
    device, name, value, *rest = (*request.parameter.split(",", 3), "", "", "")[:4]
    if device.strip() != "0":
        raise RequestError(106, f"Invalid ASC id {device[:20]} - range is 0 - 0")
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
    raise RequestError(120, f"ASC 0 set failed: unknown option: {name[:40]}")


def _at(machine: Machine, command: Command, value: str) -> Body:
    """`1:TIME`: at this time of the wall clock, as the firmware has it."""
    stamp = whole_number(value.partition(":")[2])
    if stamp is None:
        raise RequestError(120, "ASC 0 set failed: time is missing")
    delay = min(max(stamp - time.time(), 0.0), MAX_DELAY_SEC)
    machine.driver.execute_later(machine.identity.no, command, delay)
    return _FIRMWARE.done(machine, 119, "ASC 0 set OK")


async def _set(machine: Machine, command: Command, code: int = 119, text: str = "ASC 0 set OK") -> Body:
    refused = await machine.execute(command)
    if isinstance(refused, Refusal):
        raise RequestError(120, f"ASC 0 set failed: {refused.reason}")
    return _FIRMWARE.done(machine, code, text)


async def restart(machine: Machine, _: Request) -> Body:
    await _set(machine, Restart(whole=False))
    return {"STATUS": "RESTART"}


async def setpool(machine: Machine, request: Request) -> Body:
    """`user,password,number,address,worker,password of the worker`."""
    parts = [part.strip() for part in request.parameter.split(",")]
    if len(parts) < 5 or parts[2] not in ("0", "1", "2") or not all(parts[3:5]):  # noqa: PLR2004
        raise RequestError(53, f"Invalid setpool details: '{request.parameter[:100]}'")
    known = list(machine.pools)
    known[int(parts[2]) : int(parts[2]) + 1] = [Pool(parts[3], parts[4], (*parts[5:6], "x")[0] or "x")]
    return await _set(machine, SetPools(tuple(known)), 55, f"Set pool {parts[2]}: '{parts[3]}'")


COMMANDS = CommandSet(
    reads={
        "version": version,
        "summary": summary,
        "devs": devs,
        "edevs": devs,
        "pools": _FIRMWARE.pools,
        "stats": stats,
        "estats": stats,
        "litestats": stats,
    },
    writes={"ascset": ascset, "restart": restart, "setpool": setpool},
    fail=_FIRMWARE.fail,
)
answer = partial(requests.answer, COMMANDS)
