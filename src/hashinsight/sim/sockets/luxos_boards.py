"""LuxOS on Antminers, answers about boards. Temperatures are those of the board, not the chip."""

from hashinsight.sim.readings import BOARDS
from hashinsight.sim.sockets.cgminer import Body, Firmware
from hashinsight.sim.sockets.machine import GHS, MHS, Machine, MachineReading, number, whole
from hashinsight.sim.sockets.requests import RequestError

FIRMWARE = Firmware("LUXminer {version}")
reply = FIRMWARE.reply


def rates(reading: MachineReading) -> Body:
    return {"GHS 5s": number(reading.hashrate_5s_ths * GHS), "GHS av": number(reading.hashrate_ths * GHS)}


def board_figures(reading: MachineReading) -> Body:
    boards: Body = {}
    for no in range(BOARDS):
        n = no + 1
        temp = whole(reading.board_temp_c[no])
        boards |= {
            f"chain_acn{n}": reading.board_chips[no],
            f"chain_rate{n}": number(reading.board_ths[no] * GHS),
            f"chain_rateideal{n}": number(reading.expected_ths * GHS / BOARDS),
            f"chain_hw{n}": reading.board_hw_errors[no],
            f"freq{n}": whole(reading.frequency_mhz),
            f"temp_pcb{n}": "-".join([str(temp)] * 4),
            f"temp_chip{n}": "0-0-0-0",
        }
    return boards


def stats(machine: Machine, _: str) -> Body:
    reading = machine.reading
    fans = {f"fan{no}": rpm for no, rpm in enumerate(reading.fans, 1)}
    identity = machine.identity
    about = {"BMMiner": identity.version, "Miner": identity.version, "Type": identity.reported_model}
    rest = {"STATS": 0, "ID": "BTM_SOC0", "Elapsed": reading.uptime_sec, **rates(reading)}
    rest |= {"miner_count": BOARDS, "fan_num": len(fans), **fans, **board_figures(reading)}
    rest |= {"frequency": whole(reading.frequency_mhz), "total_rate": number(reading.hashrate_ths * GHS)}
    return reply(machine, 70, "LUXminer stats", "STATS", [about, rest])


def devs(machine: Machine, _: str) -> Body:
    reading = machine.reading
    rows = [
        {
            "ASC": no,
            "Board": f"Board {no}",
            "Name": "SM",
            "ID": no,
            "Enabled": "Y",
            "Status": "Alive" if reading.board_chips[no] else "Dead",
            "Connector": f"J{no + 4}",
            "Temperature": number(reading.board_temp_c[no]),
            "MHS 5s": number(reading.board_ths[no] * MHS),
            "MHS av": number(reading.board_ths[no] * MHS),
            "Nominal MHS": number(reading.expected_ths * MHS / BOARDS),
            "Accepted": reading.accepted // BOARDS,
            "Rejected": reading.rejected // BOARDS,
            "Hardware Errors": reading.board_hw_errors[no],
            "Device Elapsed": reading.uptime_sec,
            "SerialNumber": f"{machine.identity.serial}B{no}",
        }
        for no in range(BOARDS)
    ]
    return reply(machine, 9, f"{BOARDS} ASC(s)", "DEVS", rows)


def temps(machine: Machine, _: str) -> Body:
    """Intake corners are cooler than exhaust corners; their mean is the board's temperature."""
    rows = []
    for no, temp in enumerate(machine.reading.board_temp_c):
        spread = 2.0 if 0 < temp < 255 else 0.0  # noqa: PLR2004 - a broken sensor says the same everywhere
        hot, cool = number(temp + spread, 1), number(temp - spread, 1)
        corners = {"TopLeft": hot, "BottomLeft": hot, "TopRight": cool, "BottomRight": cool}
        rows.append({"TEMP": no, "ID": no, "Board": number(temp, 1), "Chip": 0.0, **corners})
    return reply(machine, 201, "Temperatures", "TEMPS", rows)


def _board_of(parameter: str) -> int:
    board = parameter.split(",", maxsplit=1)[0].strip()
    if not board:
        raise RequestError(400, "Missing parameter: board")
    if board not in tuple(str(no) for no in range(BOARDS)):
        raise RequestError(401, f"Invalid parameter: board {board[:20]}")
    return int(board)


def voltageget(machine: Machine, parameter: str) -> Body:
    board = _board_of(parameter)
    row = {"Board": board, "IsRegulated": True, "Voltage": number(machine.reading.voltage_v)}
    return reply(machine, 306, "Voltage", "VOLTAGE", [row])


def healthchipget(machine: Machine, parameter: str) -> Body:
    """Working chips share the board's hashrate; the others are unhealthy."""
    board = _board_of(parameter)
    reading = machine.reading
    working = reading.board_chips[board]
    fitted = max(machine.identity.chips, working)
    each = number(reading.board_ths[board] * GHS / working, 3) if working else 0.0
    freq = whole(reading.frequency_mhz)
    rows = [
        {"Board": board, "Chip": no, "Count": 1, "Frequency": freq, "GHS 1m": each, "GHS 5m": each, "Healthy": "Y"}
        if no < working
        else {"Board": board, "Chip": no, "Count": 1, "Frequency": 0, "GHS 1m": 0.0, "GHS 5m": 0.0, "Healthy": "N"}
        for no in range(fitted)
    ]
    return reply(machine, 309, f"{fitted} Chip(s)", "CHIPS", rows)
