"""Whatsminer (btminer API 2 on port 4028), read commands."""

from datetime import UTC, datetime

from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets import cgminer
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.machine import GHS, MHS, Identity, Machine, hottest, mean, number, whole

POWER_MODES = {"eco": "Low", "normal": "Normal", "perf": "High"}
# the hardware version after the model name, by chips per board
_VERSIONS = {
    "Whatsminer M30S++": {215: "M30S++_VE30", 225: "M30S++_VE40", 235: "M30S++_VE50"},
    "Whatsminer M50S": {135: "M50S_VH20", 148: "M50S_VH40", 156: "M50S_VH30"},
    "Whatsminer M60S": {215: "M60S_VK10", 225: "M60S_VK40", 235: "M60S_VK20", 245: "M60S_VK30"},
}
_CHIP_SPREAD_C = 12.0  # from a board's coolest chip to its hottest


def model_name(identity: Identity) -> str:
    """The version with the nearest chip count; a model that is not listed has none."""
    known = _VERSIONS.get(identity.reported_model)
    if known is None:
        return identity.reported_model.removeprefix("Whatsminer ")
    return known[min(known, key=lambda chips: abs(chips - identity.chips))]


def message(machine: Machine, text: object, *, letter: str = "S", code: int = 131) -> Body:
    """The form of every answer that is not cgminer's."""
    return {"STATUS": letter, "When": int(machine.reading.at), "Code": code, "Msg": text, "Description": ""}


def _table(machine: Machine, section: str, rows: list[Body], text: str) -> Body:
    return cgminer.body(section, rows, {"STATUS": "S", "When": int(machine.reading.at), "Msg": text})


def _rates(ths: float, now_ths: float) -> Body:
    average, now = number(ths * MHS), number(now_ths * MHS)
    return {"MHS av": average, "MHS 5s": now, "MHS 1m": average, "MHS 5m": average, "MHS 15m": average, "HS RT": now}


def summary(machine: Machine, _: str) -> Body:
    reading = machine.reading
    fan_in, fan_out = (*reading.fans, 0, 0)[:2]
    row = {
        "Elapsed": reading.uptime_sec,
        **_rates(reading.hashrate_ths, reading.hashrate_5s_ths),
        "Accepted": reading.accepted,
        "Rejected": reading.rejected,
        "Total MH": 0,
        "Temperature": number(hottest(reading)),
        "freq_avg": whole(reading.frequency_mhz),
        "Fan Speed In": fan_in,
        "Fan Speed Out": fan_out,
        "Power": whole(reading.power_w),
        "Power Rate": number(reading.power_w / reading.hashrate_ths) if reading.hashrate_ths > 0 else 0.0,
        "Pool Rejected%": 0.0,
        "Pool Stale%": 0.0,
        "Last getwork": 0,
        "Uptime": reading.uptime_sec,
        "Hash Stable": reading.hashing,
        "Target Freq": whole(reading.frequency_mhz),
        "Target MHS": whole(reading.expected_ths * MHS),
        "Env Temp": number(reading.inlet_c),
        "Power Mode": POWER_MODES[reading.mode_name],
        "Factory GHS": whole(machine.identity.model.rated_ths * GHS),
        "Power Limit": whole(reading.power_limit_w),
        "Chip Temp Min": number(min(reading.chip_temp_c) - _CHIP_SPREAD_C),
        "Chip Temp Max": number(max(reading.chip_temp_c)),
        "Chip Temp Avg": number(mean(reading.chip_temp_c) - _CHIP_SPREAD_C / 2),
        "Debug": "",
        "Btminer Fast Boot": "disable",
        "Error Code Count": 1 if reading.error_code else 0,
    }
    return _table(machine, "SUMMARY", [row], "Summary")


def devs(machine: Machine, _: str) -> Body:
    reading = machine.reading
    rows = [
        {
            "ASC": no,
            "Slot": no,
            "Enabled": "Y",
            "Status": "Alive" if reading.board_chips[no] else "Dead",
            "Temperature": number(reading.board_temp_c[no]),
            "Chip Frequency": whole(reading.frequency_mhz),
            "Frequency": whole(reading.frequency_mhz),
            **_rates(reading.board_ths[no], reading.board_ths[no]),
            "Accepted": reading.accepted // BOARDS,
            "Rejected": reading.rejected // BOARDS,
            "Hardware Errors": reading.board_hw_errors[no],
            "Last Valid Work": int(reading.at),
            "Upfreq Complete": int(reading.hashing),
            "Effective Chips": reading.board_chips[no],
            "PCB SN": f"{machine.identity.serial}B{no}",
            "Chip Temp Min": number(reading.chip_temp_c[no] - _CHIP_SPREAD_C),
            "Chip Temp Max": number(reading.chip_temp_c[no]),
            "Chip Temp Avg": number(reading.chip_temp_c[no] - _CHIP_SPREAD_C / 2),
            "Factory GHS": whole(machine.identity.model.rated_ths * GHS / BOARDS),
        }
        for no in range(BOARDS)
    ]
    return _table(machine, "DEVS", rows, f"{BOARDS} ASC(s)")


def devdetails(machine: Machine, _: str) -> Body:
    name = model_name(machine.identity)
    rows = [
        {"DEVDETAILS": no, "Name": "SM", "ID": no, "Driver": "bitmicro", "Kernel": "", "Model": name}
        for no in range(BOARDS)
    ]
    return _table(machine, "DEVDETAILS", rows, "Device Details")


def pools(machine: Machine, _: str) -> Body:
    rows = cgminer.pool_rows(machine.pools, machine.reading)
    return _table(machine, "POOLS", rows, f"{len(rows)} Pool(s)")


def get_version(machine: Machine, _: str) -> Body:
    text = {"api_ver": "2.0.5", "fw_ver": machine.identity.version, "platform": "H6OS", "chip": "K10"}
    return message(machine, text)


def get_miner_info(machine: Machine, _: str) -> Body:
    text = {
        "ip": machine.identity.address,
        "proto": "dhcp",
        "netmask": "255.255.0.0",
        "dns": "",
        "mac": machine.identity.mac,
        "hostname": machine.identity.machine_id,
        "ledstat": "manual" if machine.reading.fault_light else "auto",
        "minersn": machine.identity.serial,
    }
    return message(machine, text)


def get_psu(machine: Machine, _: str) -> Body:
    reading = machine.reading
    volts = reading.voltage_v
    text = {
        "name": "P222B",
        "hw_version": "A.00",
        "sw_version": "20220606.02",
        "model": "P222B",
        "iin": str(whole(1000 * reading.power_w / 230)),
        "vin": "23000",
        "vout": str(whole(volts * 100)),
        "fan_speed": "6720" if reading.hashing else "0",
        "serial_no": f"{machine.identity.serial}P",
        "vendor": "7",
    }
    return message(machine, text)


def get_error_code(machine: Machine, _: str) -> Body:
    reading = machine.reading
    since = datetime.fromtimestamp(reading.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return message(machine, {"error_code": [{str(reading.error_code): since}] if reading.error_code else []})


def status(machine: Machine, _: str) -> Body:
    reading = machine.reading
    text = {
        "btmineroff": str(not reading.hashing).lower(),
        "mineroff": str(not reading.hashing).lower(),
        "Firmware Version": machine.identity.version,
        "power_mode": POWER_MODES[reading.mode_name].lower(),
        "power_limit_set": str(whole(reading.power_limit_w)),
        "hash_percent": "100%",
    }
    return message(machine, text)


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
