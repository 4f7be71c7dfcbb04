"""LuxOS on Antminers, what it tells of the whole machine: cgminer's commands and its own."""

from hashinsight.facts.temperatures import SensorKind, find_limits
from hashinsight.sim.readings import BOARDS, MODES
from hashinsight.sim.sockets import cgminer
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.luxos_boards import GHS, devs, healthchipget, rates, stats, tell, temps, voltageget
from hashinsight.sim.sockets.machine import Machine
from hashinsight.sim.sockets.screen import hottest, number, whole

PROFILES = {"eco": "-2", "normal": "default", "perf": "+2"}
# rough share of the rated power and hashrate that a profile stands for, for the list of profiles only
_PROFILE_SHARE = {"eco": (0.75, 0.82), "normal": (1.0, 1.0), "perf": (1.12, 1.08)}


def version(machine: Machine, _: str) -> Body:
    row = {
        "API": "3.7",
        "CompileTime": "",
        "LUXminer": machine.who.version,
        "Miner": machine.who.version,
        "Type": machine.who.model_said,
    }
    return tell(machine, 22, "LUXminer versions", "VERSION", [row])


def config(machine: Machine, _: str) -> Body:
    screen = machine.screen
    row = {
        "ASC Count": BOARDS,
        "PGA Count": 0,
        "Pool Count": len(machine.pools),
        "Strategy": "Failover",
        "Log Interval": 0,
        "OS": "LuxOS",
        "ControlBoardType": "AmLogic",
        "CurtailMode": "None" if screen.hashing else "Sleep",
        "DHCP": True,
        "GreenLed": "auto",
        "RedLed": "blink" if screen.fault_light else "auto",
        "Hostname": machine.who.machine_id,
        "IPAddr": machine.who.address,
        "MACAddr": machine.who.mac,
        "Model": machine.who.model_said,
        "Profile": PROFILES[screen.mode_name],
        "PSUHwVersion": "APW12",
        "SerialNumber": machine.who.serial,
        "SystemStatus": "Initialization finished" if screen.hashing else "Idle: Sleep mode",
    }
    return tell(machine, 33, "LUXminer config", "CONFIG", [row])


def summary(machine: Machine, _: str) -> Body:
    screen = machine.screen
    row = {
        "Elapsed": screen.uptime_sec,
        **rates(screen),
        "GHS 30m": number(screen.hashrate_ths * GHS),
        "Found Blocks": 0,
        "Accepted": screen.accepted,
        "Rejected": screen.rejected,
        "Hardware Errors": screen.hw_errors,
        "Utility": round(60 * screen.accepted / max(screen.uptime_sec, 1), 2),
        "Discarded": 0,
        "Stale": 0,
        "Last getwork": int(screen.at),
    }
    return tell(machine, 11, "Summary", "SUMMARY", [row])


def pools(machine: Machine, _: str) -> Body:
    known = () if machine.memory.get("emptied") else machine.pools
    rows = [{**row, "GROUP": 0} for row in cgminer.pool_rows(known, machine.screen)]
    return tell(machine, 7, f"{len(rows)} Pool(s)", "POOLS", rows)


def groups(machine: Machine, _: str) -> Body:
    name, quota = machine.memory.get("group", ("default", 1))
    rows = [] if machine.memory.get("emptied") == "group" else [{"GROUP": 0, "Name": name, "Quota": quota}]
    return tell(machine, 324, "Groups", "GROUPS", rows)


def fans(machine: Machine, _: str) -> Body:
    duty = round(number(machine.screen.fan_duty, 3) * 100)
    rows = [{"FAN": no, "ID": no, "RPM": rpm, "Speed": duty} for no, rpm in enumerate(machine.screen.fans)]
    return tell(machine, 202, f"{len(rows)} Fan(s)", "FANS", rows)


def power(machine: Machine, _: str) -> Body:
    return tell(machine, 322, "Power", "POWER", [{"PSU": True, "Watts": whole(machine.screen.power_w)}])


def profiles(machine: Machine, _: str) -> Body:
    rows = []
    model = machine.who.model
    for step, mode in enumerate(MODES, -1):
        watts, rate = _PROFILE_SHARE[mode]
        rows.append(
            {
                "Profile Name": PROFILES[mode],
                "Watts": round(model.power_w * watts),
                "Hashrate": round(model.rated_ths * rate, 1),
                "Frequency": whole(machine.screen.frequency_mhz),
                "Voltage": number(machine.screen.voltage_v),
                "Step": str(2 * step),
                "IsDynamic": False,
                "IsTuned": True,
            }
        )
    return tell(machine, 323, f"{len(rows)} Profiles", "PROFILES", rows)


def power_target(machine: Machine, _: str) -> Body:
    limit = machine.screen.power_limit_w
    return tell(machine, 370, "Power target", "POWERTARGET", [{"Power": whole(limit), "IsActive": limit == limit}])  # noqa: PLR0124 - NaN is no limit


def tempctrl(machine: Machine, _: str) -> Body:
    limits = find_limits(machine.who.model.name, SensorKind.BOARD, firmware="LuxOS")
    row = {
        "Mode": "Automatic",
        "Target": limits.target_c,
        "Hot": limits.warn_c,
        "Dangerous": limits.critical_c,
        "Average": number(hottest(machine.screen), 1),
    }
    return tell(machine, 200, "Temperature control", "TEMPCTRL", [row])


def events(machine: Machine, _: str) -> Body:
    screen = machine.screen
    rows: list[Body] = []
    if not screen.hashing:
        rows.append({"Code": "SLEEP", "Description": "Miner is not hashing", "ID": 0, "Target": "MINER"})
    if screen.error_code:
        said = f"Failure {screen.error_code}"
        rows.append({"Code": f"FAILURE_{screen.error_code}", "Description": said, "ID": 0, "Target": "MINER"})
    return tell(machine, 357, "Events", "EVENTS", rows)


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
