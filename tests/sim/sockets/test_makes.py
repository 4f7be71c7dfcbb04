"""A plain client reads and commands each make in its own words; what it is told comes from the readings."""

import hashlib
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from hashinsight.sim.commands import FaultLight, Pause, Restart, Resume, SetMode, SetPools, SetPowerLimit
from hashinsight.sim.plan import Pool
from hashinsight.sim.sockets.nets import address_of
from hashinsight.wire.btminer_crypt import NotEncrypted, decrypt, md5_crypt
from tests.sim.sockets.manual_driver import ManualDriver, ask, on_sockets

LUX, WHATS, AVALON, STOCK = range(4)
DEFAULT = "admin"
MAKES = [
    ("Antminer S19j Pro", "LuxOS 2024.5.1"),
    ("Whatsminer M50S", "Whatsminer 20240312.10.Rel"),
    ("Avalon A1366", "Avalon 24031301"),
    ("Antminer S19 Pro", "Antminer stock 2024.03"),
]


@pytest.fixture
def fleet() -> Iterator[tuple[ManualDriver, list[str]]]:
    with on_sockets(MAKES) as (driver, net):
        yield driver, [address_of(net, no) for no in range(len(MAKES))]


def test_a_luxos_antminer_reports_boards_fans_power_and_identity(fleet: tuple[ManualDriver, list[str]]) -> None:
    where = fleet[1][LUX]
    assert ask(where, "version")["VERSION"][0]["Type"] == "Antminer S19j Pro"
    assert [fan["RPM"] for fan in ask(where, "fans")["FANS"]] == [4010, 4020, 4030, 4040]
    assert ask(where, "power")["POWER"][0]["Watts"] == 3050
    stats = ask(where, "stats")["STATS"][1]
    assert [stats[f"chain_rate{n}"] for n in (1, 2, 3)] == [34_000, 34_500, 35_000]
    assert [stats[f"temp_pcb{n}"] for n in (1, 2, 3)] == ["51-51-51-51", "52-52-52-52", "53-53-53-53"]
    chips = ask(where, "healthchipget", "2")["CHIPS"]
    assert sum(chip["Healthy"] == "Y" for chip in chips) == 120
    config = ask(where, "config")["CONFIG"][0]
    assert (config["SerialNumber"], config["MACAddr"], config["RedLed"]) == ("SN00000000", "02:00:00:00:00:00", "auto")


def in_session(where: str, command: str, parameter: str = "") -> dict[str, Any]:
    session = ask(where, "logon")["SESSION"][0]["SessionID"]
    try:
        return ask(where, command, ",".join(part for part in (session, parameter) if part))
    finally:
        ask(where, "logoff", session)


def test_luxos_is_commanded_within_a_session(fleet: tuple[ManualDriver, list[str]]) -> None:
    driver, addresses = fleet
    for command, parameter, act in (
        ("curtail", "sleep", Pause()),
        ("curtail", "wakeup", Resume()),
        ("rebootdevice", "", Restart(whole=True)),
        ("resetminer", "", Restart(whole=False)),
        ("ledset", "red,blink", FaultLight(on=True)),
        ("profileset", "-2", SetMode("eco")),
        ("powertargetset", "power=2800", SetPowerLimit(2800.0)),
    ):
        assert in_session(addresses[LUX], command, parameter)["STATUS"][0]["STATUS"] == "S"
        assert driver.commands[-1] == (LUX, act)


def test_luxos_refuses_commands_without_a_session_and_opens_one_at_a_time(
    fleet: tuple[ManualDriver, list[str]],
) -> None:
    driver, addresses = fleet
    where = addresses[LUX]
    assert ask(where, "curtail", "nobody,sleep")["STATUS"][0]["Code"] == 401
    assert ask(where, "curtail", "")["STATUS"][0]["Msg"] == "Missing parameter: session"
    session = ask(where, "logon")["SESSION"][0]["SessionID"]
    assert ask(where, "logon")["STATUS"][0]["Msg"] == "Another session is active"
    assert ask(where, "session")["SESSION"][0]["SessionID"] == session
    assert ask(where, "curtail", f"{session},dance")["STATUS"][0]["STATUS"] == "E"
    assert driver.commands == []


def test_luxos_pools_are_added_moved_and_removed_by_number(fleet: tuple[ManualDriver, list[str]]) -> None:
    driver, addresses = fleet
    where = addresses[LUX]
    known = driver.pools(0)
    assert ask(where, "addpool", "stratum+tcp://new.example:1,me,pw")["STATUS"][0]["Code"] == 55
    assert driver.commands[-1] == (LUX, SetPools((*known, Pool("stratum+tcp://new.example:1", "me", "pw"))))
    ask(where, "switchpool", "1")
    assert driver.commands[-1] == (LUX, SetPools((known[1], known[0])))
    ask(where, "removepool", "0")
    assert driver.commands[-1] == (LUX, SetPools((known[1],)))
    assert ask(where, "switchpool", "7")["STATUS"][0]["Code"] == 26
    assert ask(where, "addpool", "onlyurl")["STATUS"][0]["Code"] == 52


@pytest.mark.parametrize(
    ("password", "salt", "crypted"),
    [
        ("admin", "BQ5hoXV9", "RxmaDUO33TS7O26yeMHZ81"),
        ("a much longer password than sixteen", "abc", "EDAIEjf1pCmVPLCFnS35z0"),
    ],
)
def test_md5_crypt_equals_openssl(password: str, salt: str, crypted: str) -> None:
    assert md5_crypt(password, salt) == crypted


@pytest.mark.parametrize("sealed", ["", "!!!", "YWJj", "é"])
def test_text_that_was_not_sealed_does_not_open(sealed: str) -> None:
    with pytest.raises(NotEncrypted):
        decrypt("key", sealed)


def crypted(key: str, raw: bytes, *, undo: bool = False) -> bytes:
    """The makers' way, in a client's own words."""
    cipher = Cipher(algorithms.AES256(hashlib.sha256(key.encode()).digest()), modes.ECB())  # noqa: S305 - the maker's choice
    turn = cipher.decryptor() if undo else cipher.encryptor()
    return turn.update(raw + b"\0" * (-len(raw) % 16)) + turn.finalize()


def sealed(where: str, command: str, *, password: str = DEFAULT, **given: Any) -> dict[str, Any]:
    from base64 import b64decode, b64encode

    token = ask(where, "get_token")["Msg"]
    key = md5_crypt(password, token["salt"])
    request = {"command": command, "token": md5_crypt(key + token["time"], token["newsalt"]), **given}
    text = b64encode(crypted(key, json.dumps(request).encode())).decode()
    answer = ask(where, "", enc=1, data=text)
    if "enc" not in answer:
        return answer
    opened = json.loads(crypted(key, b64decode(answer["enc"]), undo=True).rstrip(b"\0"))
    assert isinstance(opened, dict)
    return opened


def test_a_whatsminer_reports_boards_fans_power_and_identity(fleet: tuple[ManualDriver, list[str]]) -> None:
    where = fleet[1][WHATS]
    summary = ask(where, "summary")["SUMMARY"][0]
    assert (summary["Power"], summary["Fan Speed In"], summary["Fan Speed Out"]) == (3050, 4010, 4020)
    assert (summary["HS RT"], summary["Env Temp"], summary["Power Mode"]) == (101_250_000, 24.0, "Normal")
    boards = ask(where, "edevs")["DEVS"]
    assert [board["Effective Chips"] for board in boards] == [126, 125, 120]
    assert [board["Chip Temp Max"] for board in boards] == [66.0, 67.0, 68.0]
    assert ask(where, "get_version")["Msg"]["fw_ver"] == "20240312.10.Rel"
    info = ask(where, "get_miner_info")["Msg"]
    assert (info["minersn"], info["mac"], info["ledstat"]) == ("SN00000001", "02:00:00:00:00:01", "auto")


def test_a_whatsminer_is_commanded_by_sealed_requests(fleet: tuple[ManualDriver, list[str]]) -> None:
    driver, addresses = fleet
    pools = {"pool1": "stratum+tcp://new.example:1", "worker1": "me", "passwd1": "pw", "pool2": "", "pool3": ""}
    orders: list[tuple[str, dict[str, Any], object]] = [
        ("power_off", {"respbefore": "true"}, Pause()),
        ("power_on", {}, Resume()),
        ("reboot", {}, Restart(whole=True)),
        ("restart_btminer", {}, Restart(whole=False)),
        ("update_pools", pools, SetPools((Pool("stratum+tcp://new.example:1", "me", "pw"),))),
        ("set_low_power", {}, SetMode("eco")),
        ("set_power_pct", {"percent": "50"}, SetPowerLimit(1640.0)),
        ("adjust_power_limit", {"power_limit": "3000"}, SetPowerLimit(3000.0)),
        ("set_led", {"param": "auto"}, FaultLight(on=False)),
        ("set_led", {"color": "red", "period": 200, "duration": 100, "start": 0}, FaultLight(on=True)),
    ]
    for command, given, act in orders:
        assert sealed(addresses[WHATS], command, **given)["Msg"] == "API command OK"
        assert driver.commands[-1] == (WHATS, act)


def test_a_whatsminer_refuses_plain_wrongly_sealed_and_impossible_commands(
    fleet: tuple[ManualDriver, list[str]],
) -> None:
    driver, addresses = fleet
    where = addresses[WHATS]
    assert ask(where, "power_off")["Code"] == 45
    assert sealed(where, "power_off", password="guess")["Code"] == 135
    assert ask(where, "", enc=1, data="AAAA")["Code"] == 137
    assert sealed(where, "adjust_power_limit", power_limit="99999")["Code"] == 132
    assert sealed(where, "no_such_thing")["Code"] == 14
    assert driver.commands == []
    driver.refuse = "mining program is not responding"
    answer = sealed(where, "power_on")
    assert (answer["STATUS"], answer["Code"], answer["Msg"]) == ("E", 132, driver.refuse)


def test_an_avalon_reports_and_obeys_ascset(fleet: tuple[ManualDriver, list[str]]) -> None:
    driver, addresses = fleet
    where = addresses[AVALON]
    text = ask(where, "estats")["STATS"][0]["MM ID0"]
    for part in ("MGHS[34000.0 34500.0 35000.0]", "MTmax[66 67 68]", "Fan1[4010]", "PS[0 1215 1370 0 3050 0 3200]"):
        assert part in text
    version = ask(where, "version")["VERSION"][0]
    assert (version["MODEL"], version["DNA"], version["MAC"]) == ("1366", "SN00000002", "020000000002")
    assert ask(where, "ascset", "0,led,1-1")["STATUS"][0]["Msg"] == "ASC 0 set OK"
    ask(where, "ascset", "0,workmode,set,0")
    ask(where, "setpool", "root,root,0,stratum+tcp://new.example:1,me,pw")
    pools = (Pool("stratum+tcp://new.example:1", "me", "pw"), driver.pools(0)[1])
    assert driver.commands == [(AVALON, FaultLight(on=True)), (AVALON, SetMode("eco")), (AVALON, SetPools(pools))]
    assert ask(where, "ascset", "0,dance,1")["STATUS"][0]["Code"] == 120
    assert ask(where, "ascset", "9,led,1-1")["STATUS"][0]["STATUS"] == "E"


def test_an_avalon_stops_at_the_given_time(fleet: tuple[ManualDriver, list[str]]) -> None:
    driver, addresses = fleet
    ask(addresses[AVALON], "ascset", f"0,softoff,1:{int(time.time()) + 60}")
    ((no, command, delay),) = driver.later
    assert (no, command) == (AVALON, Pause())
    assert 55 < delay <= 60


def test_stock_antminer_firmware_reports_and_takes_no_commands(fleet: tuple[ManualDriver, list[str]]) -> None:
    driver, addresses = fleet
    where = addresses[STOCK]
    stats = ask(where, "stats")["STATS"][1]
    assert [stats[f"temp_chip{n}"] for n in (1, 2, 3)] == ["66-66-66-66", "67-67-67-67", "68-68-68-68"]
    assert ask(where, "curtail", "x,sleep")["STATUS"][0]["Msg"] == "Invalid command"
    assert driver.commands == []
