"""LuxOS on Antminers, answers about the whole machine: cgminer's commands and its own."""

from hashinsight.facts.temperatures import SensorKind, find_limits
from hashinsight.sim.readings import BOARDS, MODES
from hashinsight.sim.sockets import cgminer
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.luxos_boards import devs, healthchipget, rates, reply, stats, temps, voltageget
from hashinsight.sim.sockets.machine import GHS, Machine, hottest, number, whole

PROFILES = {"eco": "-2", "normal": "default", "perf": "+2"}
# rough share of the rated power and hashrate that a profile stands for, for the list of profiles only
_PROFILE_SHARE = {"eco": (0.75, 0.82), "normal": (1.0, 1.0), "perf": (1.12, 1.08)}


def version(machine: Machine, _: str) -> Body:
    row = {
        "API": "3.7",
        "CompileTime": "",
        "LUXminer": machine.identity.version,
        "Miner": machine.identity.version,
        "Type": machine.identity.reported_model,
    }
    return reply(machine, 22, "LUXminer versions", "VERSION", [row])


def config(machine: Machine, _: str) -> Body:
    reading = machine.reading
    row = {
        "ASC Count": BOARDS,
        "PGA Count": 0,
        "Pool Count": len(machine.pools),
        "Strategy": "Failover",
        "Log Interval": 0,
        "OS": "LuxOS",
        "ControlBoardType": "AmLogic",
        "CurtailMode": "None" if reading.hashing else "Sleep",
        "DHCP": True,
        "GreenLed": "auto",
        "RedLed": "blink" if reading.fault_light else "auto",
        "Hostname": machine.identity.machine_id,
        "IPAddr": machine.identity.address,
        "MACAddr": machine.identity.mac,
        "Model": machine.identity.reported_model,
        "Profile": PROFILES[reading.mode_name],
        "PSUHwVersion": "APW12",
        "SerialNumber": machine.identity.serial,
        "SystemStatus": "Initialization finished" if reading.hashing else "Idle: Sleep mode",
    }
    return reply(machine, 33, "LUXminer config", "CONFIG", [row])


def summary(machine: Machine, _: str) -> Body:
    reading = machine.reading
    row = {
        "Elapsed": reading.uptime_sec,
        **rates(reading),
        "GHS 30m": number(reading.hashrate_ths * GHS),
        "Found Blocks": 0,
        "Accepted": reading.accepted,
        "Rejected": reading.rejected,
        "Hardware Errors": reading.hw_errors,
        "Utility": round(60 * reading.accepted / max(reading.uptime_sec, 1), 2),
        "Discarded": 0,
        "Stale": 0,
        "Last getwork": int(reading.at),
    }
    return reply(machine, 11, "Summary", "SUMMARY", [row])


def pools(machine: Machine, _: str) -> Body:
    known = () if machine.memory.get("emptied") else machine.pools
    rows = [{**row, "GROUP": 0} for row in cgminer.pool_rows(known, machine.reading)]
    return reply(machine, 7, f"{len(rows)} Pool(s)", "POOLS", rows)


def groups(machine: Machine, _: str) -> Body:
    name, quota = machine.memory.get("group", ("default", 1))
    rows = [] if machine.memory.get("emptied") == "group" else [{"GROUP": 0, "Name": name, "Quota": quota}]
    return reply(machine, 324, "Groups", "GROUPS", rows)


def fans(machine: Machine, _: str) -> Body:
    duty = round(number(machine.reading.fan_duty, 3) * 100)
    rows = [{"FAN": no, "ID": no, "RPM": rpm, "Speed": duty} for no, rpm in enumerate(machine.reading.fans)]
    return reply(machine, 202, f"{len(rows)} Fan(s)", "FANS", rows)


def power(machine: Machine, _: str) -> Body:
    return reply(machine, 322, "Power", "POWER", [{"PSU": True, "Watts": whole(machine.reading.power_w)}])


def profiles(machine: Machine, _: str) -> Body:
    rows = []
    model = machine.identity.model
    for step, mode in enumerate(MODES, -1):
        watts, rate = _PROFILE_SHARE[mode]
        rows.append(
            {
                "Profile Name": PROFILES[mode],
                "Watts": round(model.power_w * watts),
                "Hashrate": round(model.rated_ths * rate, 1),
                "Frequency": whole(machine.reading.frequency_mhz),
                "Voltage": number(machine.reading.voltage_v),
                "Step": str(2 * step),
                "IsDynamic": False,
                "IsTuned": True,
            }
        )
    return reply(machine, 323, f"{len(rows)} Profiles", "PROFILES", rows)


def power_target(machine: Machine, _: str) -> Body:
    limit = machine.reading.power_limit_w
    return reply(machine, 370, "Power target", "POWERTARGET", [{"Power": whole(limit), "IsActive": limit == limit}])  # noqa: PLR0124 - NaN is no limit


def tempctrl(machine: Machine, _: str) -> Body:
    limits = find_limits(machine.identity.model.name, SensorKind.BOARD, firmware="LuxOS")
    row = {
        "Mode": "Automatic",
        "Target": limits.target_c,
        "Hot": limits.warn_c,
        "Dangerous": limits.critical_c,
        "Average": number(hottest(machine.reading), 1),
    }
    return reply(machine, 200, "Temperature control", "TEMPCTRL", [row])


def events(machine: Machine, _: str) -> Body:
    reading = machine.reading
    rows: list[Body] = []
    if not reading.hashing:
        rows.append({"Code": "SLEEP", "Description": "Miner is not hashing", "ID": 0, "Target": "MINER"})
    if reading.error_code:
        text = f"Failure {reading.error_code}"
        rows.append({"Code": f"FAILURE_{reading.error_code}", "Description": text, "ID": 0, "Target": "MINER"})
    return reply(machine, 357, "Events", "EVENTS", rows)


READS = {
    "version": version,
    "config": config,
    "summary": summary,
    "stats": stats,
    "devs": devs,
    "pools": pools,
    "groups": groups,
    "fans": fans,
    "temps": temps,
    "power": power,
    "profiles": profiles,
    "powertargetget": power_target,
    "tempctrl": tempctrl,
    "events": events,
    "voltageget": voltageget,
    "healthchipget": healthchipget,
}
