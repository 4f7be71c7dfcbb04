"""Whatsminer (btminer API 2 on port 4028), what it tells."""

from datetime import UTC, datetime

from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets import cgminer
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.machine import Identity, Machine
from hashinsight.sim.sockets.screen import hottest, mean, number, whole

MHS = 1_000_000.0  # in a TH/s
GHS = 1_000.0
POWER_MODES = {"eco": "Low", "normal": "Normal", "perf": "High"}
# the hardware version that a Whatsminer says behind its name, by the chips of a board
_VERSIONS = {
    "Whatsminer M30S++": {215: "M30S++_VE30", 225: "M30S++_VE40", 235: "M30S++_VE50"},
    "Whatsminer M50S": {135: "M50S_VH20", 148: "M50S_VH40", 156: "M50S_VH30"},
    "Whatsminer M60S": {215: "M60S_VK10", 225: "M60S_VK40", 235: "M60S_VK20", 245: "M60S_VK30"},
}
_CHIP_SPREAD_C = 12.0  # from a board's coolest chip to its hottest


def model_name(who: Identity) -> str:
    """The version whose boards come nearest; a model that is not listed says its bare name."""
    known = _VERSIONS.get(who.model_said)
    if known is None:
        return who.model_said.removeprefix("Whatsminer ")
    return known[min(known, key=lambda chips: abs(chips - who.chips))]


def message(machine: Machine, said: object, *, letter: str = "S", code: int = 131) -> Body:
    """The form of every answer that is not cgminer's."""
    return {"STATUS": letter, "When": int(machine.screen.at), "Code": code, "Msg": said, "Description": ""}


def _table(machine: Machine, section: str, rows: list[Body], said: str) -> Body:
    return cgminer.body(section, rows, {"STATUS": "S", "When": int(machine.screen.at), "Msg": said})


def _rates(ths: float, now_ths: float) -> Body:
    average, now = number(ths * MHS), number(now_ths * MHS)
    return {"MHS av": average, "MHS 5s": now, "MHS 1m": average, "MHS 5m": average, "MHS 15m": average, "HS RT": now}


def summary(machine: Machine, _: str) -> Body:
    screen = machine.screen
    fan_in, fan_out = (*screen.fans, 0, 0)[:2]
    row = {
        "Elapsed": screen.uptime_sec,
        **_rates(screen.hashrate_ths, screen.hashrate_5s_ths),
        "Accepted": screen.accepted,
        "Rejected": screen.rejected,
        "Total MH": 0,
        "Temperature": number(hottest(screen)),
        "freq_avg": whole(screen.frequency_mhz),
        "Fan Speed In": fan_in,
        "Fan Speed Out": fan_out,
        "Power": whole(screen.power_w),
        "Power Rate": number(screen.power_w / screen.hashrate_ths) if screen.hashrate_ths > 0 else 0.0,
        "Pool Rejected%": 0.0,
        "Pool Stale%": 0.0,
        "Last getwork": 0,
        "Uptime": screen.uptime_sec,
        "Hash Stable": screen.hashing,
        "Target Freq": whole(screen.frequency_mhz),
        "Target MHS": whole(screen.expected_ths * MHS),
        "Env Temp": number(screen.inlet_c),
        "Power Mode": POWER_MODES[screen.mode_name],
        "Factory GHS": whole(machine.who.model.rated_ths * GHS),
        "Power Limit": whole(screen.power_limit_w),
        "Chip Temp Min": number(min(screen.chip_temp_c) - _CHIP_SPREAD_C),
        "Chip Temp Max": number(max(screen.chip_temp_c)),
        "Chip Temp Avg": number(mean(screen.chip_temp_c) - _CHIP_SPREAD_C / 2),
        "Debug": "",
        "Btminer Fast Boot": "disable",
        "Error Code Count": 1 if screen.error_code else 0,
    }
    return _table(machine, "SUMMARY", [row], "Summary")


def devs(machine: Machine, _: str) -> Body:
    screen = machine.screen
    rows = [
        {
            "ASC": no,
            "Slot": no,
            "Enabled": "Y",
            "Status": "Alive" if screen.board_chips[no] else "Dead",
            "Temperature": number(screen.board_temp_c[no]),
            "Chip Frequency": whole(screen.frequency_mhz),
            "Frequency": whole(screen.frequency_mhz),
            **_rates(screen.board_ths[no], screen.board_ths[no]),
            "Accepted": screen.accepted // BOARDS,
            "Rejected": screen.rejected // BOARDS,
            "Hardware Errors": screen.board_hw_errors[no],
            "Last Valid Work": int(screen.at),
            "Upfreq Complete": int(screen.hashing),
            "Effective Chips": screen.board_chips[no],
            "PCB SN": f"{machine.who.serial}B{no}",
            "Chip Temp Min": number(screen.chip_temp_c[no] - _CHIP_SPREAD_C),
            "Chip Temp Max": number(screen.chip_temp_c[no]),
            "Chip Temp Avg": number(screen.chip_temp_c[no] - _CHIP_SPREAD_C / 2),
            "Factory GHS": whole(machine.who.model.rated_ths * GHS / BOARDS),
        }
        for no in range(BOARDS)
    ]
    return _table(machine, "DEVS", rows, f"{BOARDS} ASC(s)")


def devdetails(machine: Machine, _: str) -> Body:
    name = model_name(machine.who)
    rows = [
        {"DEVDETAILS": no, "Name": "SM", "ID": no, "Driver": "bitmicro", "Kernel": "", "Model": name}
        for no in range(BOARDS)
    ]
    return _table(machine, "DEVDETAILS", rows, "Device Details")


def pools(machine: Machine, _: str) -> Body:
    rows = cgminer.pool_rows(machine.pools, machine.screen)
    return _table(machine, "POOLS", rows, f"{len(rows)} Pool(s)")


def get_version(machine: Machine, _: str) -> Body:
    said = {"api_ver": "2.0.5", "fw_ver": machine.who.version, "platform": "H6OS", "chip": "K10"}
    return message(machine, said)


def get_miner_info(machine: Machine, _: str) -> Body:
    said = {
        "ip": machine.who.address,
        "proto": "dhcp",
        "netmask": "255.255.0.0",
        "dns": "",
        "mac": machine.who.mac,
        "hostname": machine.who.machine_id,
        "ledstat": "manual" if machine.screen.fault_light else "auto",
        "minersn": machine.who.serial,
    }
    return message(machine, said)


def get_psu(machine: Machine, _: str) -> Body:
    screen = machine.screen
    volts = screen.voltage_v
    said = {
        "name": "P222B",
        "hw_version": "A.00",
        "sw_version": "20220606.02",
        "model": "P222B",
        "iin": str(whole(1000 * screen.power_w / 230)),
        "vin": "23000",
        "vout": str(whole(volts * 100)),
        "fan_speed": "6720" if screen.hashing else "0",
        "serial_no": f"{machine.who.serial}P",
        "vendor": "7",
    }
    return message(machine, said)


def get_error_code(machine: Machine, _: str) -> Body:
    screen = machine.screen
    since = datetime.fromtimestamp(screen.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return message(machine, {"error_code": [{str(screen.error_code): since}] if screen.error_code else []})


def status(machine: Machine, _: str) -> Body:
    screen = machine.screen
    said = {
        "btmineroff": str(not screen.hashing).lower(),
        "mineroff": str(not screen.hashing).lower(),
        "Firmware Version": machine.who.version,
        "power_mode": POWER_MODES[screen.mode_name].lower(),
        "power_limit_set": str(whole(screen.power_limit_w)),
        "hash_percent": "100%",
    }
    return message(machine, said)


READS = {
    "summary": summary,
    "devs": devs,
    "edevs": devs,
    "devdetails": devdetails,
    "pools": pools,
    "get_version": get_version,
    "get_miner_info": get_miner_info,
    "get_psu": get_psu,
    "get_error_code": get_error_code,
    "status": status,
}
