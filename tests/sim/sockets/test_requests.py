"""Requests in every form, and answers that never break."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashinsight.sim.commands import SetPools
from hashinsight.sim.driver import dialect_of
from hashinsight.sim.sockets.requests import is_complete
from tests.sim.sockets.manual_driver import BY_NAME, ManualDriver, machine, readings

KINDS = [
    ("Antminer S19j Pro", "LuxOS 2024.5.1"),
    ("Antminer S19 Pro", "Antminer stock 2024.03"),
    ("Whatsminer M50S", "Whatsminer 20240312.10.Rel"),
    ("Avalon A1366", "Avalon 24031301"),
]
each_kind = pytest.mark.parametrize(("model", "firmware"), KINDS, ids=[name.split()[0] + fw[:5] for name, fw in KINDS])


def response_of(model: str, firmware: str, raw: bytes, driver: ManualDriver | None = None) -> bytes:
    answering = machine(driver or ManualDriver(readings(1)), 0, BY_NAME[model], firmware)
    return asyncio.run(dialect_of(answering.identity.model, firmware)(answering, raw))


def answer(model: str, firmware: str, raw: bytes) -> dict[str, Any]:
    text = response_of(model, firmware, raw)
    assert text.endswith(b"\0")
    body = json.loads(text[:-1])
    assert isinstance(body, dict)
    return body


@each_kind
def test_every_make_answers_summary_and_pools_in_the_json_form(model: str, firmware: str) -> None:
    summary = answer(model, firmware, b'{"command":"summary"}')["SUMMARY"][0]
    assert summary["Elapsed"] == 86_400
    assert summary["Accepted"] == 1234
    pools = answer(model, firmware, b'{"command":"pools","parameter":""}\n')["POOLS"]
    assert [pool["URL"] for pool in pools] == ["stratum+tcp://one.example:3333", "stratum+tcp://two.example:3333"]
    assert [pool["Stratum Active"] for pool in pools] == [True, False]


@each_kind
def test_every_make_answers_the_plain_form_with_fields_parted_by_commas(model: str, firmware: str) -> None:
    text = response_of(model, firmware, b"summary").decode()
    assert text.startswith("STATUS=S,")
    assert "|SUMMARY,Elapsed=86400," in text
    assert text.endswith("|\0")


@each_kind
def test_a_joined_answer_is_made_of_the_answers_to_each_command_which_are_rendered_once_a_step(
    model: str, firmware: str
) -> None:
    driver = ManualDriver(readings(1))
    both = json.loads(response_of(model, firmware, b'{"command":"summary+pools"}', driver)[:-1])
    kept = {command: json.loads(answer[:-1]) for (command, _), answer in driver.answers[0].items()}
    assert both == {"summary": [kept["summary"]], "pools": [kept["pools"]], "id": 1}
    assert json.loads(response_of(model, firmware, b'{"command":"pools"}', driver)[:-1]) == kept["pools"]


@each_kind
def test_joined_commands_are_answered_together_each_under_its_name(model: str, firmware: str) -> None:
    both = answer(model, firmware, b'{"command":"summary+pools"}')
    assert both["summary"][0]["SUMMARY"][0]["Accepted"] == 1234
    assert len(both["pools"][0]["POOLS"]) == 2


@each_kind
@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"command":"nonsense"}', 14),
        (b"nonsense|1,2", 14),
        (b'{"command":"summary"', 23),
        (b"[1,2]", 23),
        (b"[" * 60_000, 23),
        (b'{"command":5}', None),
        (b'{"other":"x"}', None),
    ],
)
def test_an_unknown_request_is_refused_with_the_makers_code(
    model: str, firmware: str, raw: bytes, code: int | None
) -> None:
    text = response_of(model, firmware, raw)
    if text.startswith(b"STATUS="):
        assert b"STATUS=E," in text
        assert f"Code={code},".encode() in text
        return
    body = json.loads(text[:-1])
    state = body["STATUS"][0] if isinstance(body["STATUS"], list) else body
    assert state["STATUS"] == "E"
    assert state["Code"] == code or (code is None and state["Code"] in (14, 24))


@each_kind
@given(raw=st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
@settings(max_examples=60, deadline=None)
def test_garbage_is_always_answered(model: str, firmware: str, raw: bytes) -> None:
    assert response_of(model, firmware, raw).endswith(b"\0")


COMMANDS = ("addpool", "switchpool", "removepool", "curtail", "logon", "healthchipget", "voltageget", "ledset")
MORE = ("powertargetset", "profileset", "ascset", "setpool", "update_pools", "set_led", "adjust_power_limit", "enc")


@each_kind
@given(command=st.sampled_from(COMMANDS + MORE), parameter=st.text(max_size=60) | st.integers() | st.lists(st.text()))
@settings(max_examples=80, deadline=None)
def test_any_parameter_of_any_command_is_answered(model: str, firmware: str, command: str, parameter: Any) -> None:
    given_fields = {"command": command, "parameter": parameter, "data": parameter, "enc": 1}
    body = json.loads(response_of(model, firmware, json.dumps(given_fields).encode())[:-1])
    assert "STATUS" in body


HOSTILE = ("9" * 5000, "²", "-1", "1e9", "\ud800", "nan", "\0", "٣")
LUX, AVALON = KINDS[0], KINDS[3]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize(
    ("kind", "command", "parameter"),
    [
        (LUX, "powertargetset", "{session},power={text}"),
        (LUX, "curtail", "{text}"),
        (LUX, "switchpool", "{text}"),
        (LUX, "removepool", "{text}"),
        (LUX, "addgroup", "one,{text}"),
        (LUX, "healthchipget", "{text}"),
        (AVALON, "ascset", "0,softoff,1:{text}"),
        (AVALON, "setpool", "root,root,{text},stratum+tcp://a.example:1,me,x"),
    ],
)
def test_insane_numbers_and_texts_are_answered_too(
    kind: tuple[str, str], command: str, parameter: str, text: str
) -> None:
    answering = machine(ManualDriver(readings(1)), 0, BY_NAME[kind[0]], kind[1])
    speak = dialect_of(answering.identity.model, kind[1])
    session = ""
    if "session" in parameter:
        opened = json.loads(asyncio.run(speak(answering, b'{"command":"logon"}'))[:-1])
        session = opened["SESSION"][0]["SessionID"]
    request = {"command": command, "parameter": parameter.format(text=text, session=session)}
    body = json.loads(asyncio.run(speak(answering, json.dumps(request).encode()))[:-1])
    assert body["STATUS"][0]["STATUS"] == ("S" if command == "addgroup" else "E")


def test_half_a_character_in_a_pool_breaks_no_answer() -> None:
    driver = ManualDriver(readings(1))
    answering = machine(driver, 0, BY_NAME[LUX[0]], LUX[1])
    speak = dialect_of(answering.identity.model, LUX[1])
    asyncio.run(speak(answering, json.dumps({"command": "addpool", "parameter": "\ud800,me"}).encode()))
    (_, act) = driver.commands[-1]
    assert isinstance(act, SetPools)
    assert act.pools[-1].url == "?"


@pytest.mark.parametrize(
    ("raw", "complete"),
    [
        (b"", False),
        (b"  \n", False),
        (b'{"command":"sum', False),
        (b'{"command":"x","parameter":"}', False),
        (b'{"command":"x"}', True),
        (b'{"command":"x"}\n', True),
        (b'{"command":"x"\0', True),
        (b"summary", True),
    ],
)
def test_a_request_is_complete_when_its_own_form_is(raw: bytes, complete: bool) -> None:  # noqa: FBT001
    assert is_complete(raw) is complete


def test_a_value_unknown_to_the_machine_is_reported_as_zero() -> None:
    driver = ManualDriver(readings(1))
    driver.show(driver.shown, power_w=driver.shown.power_w * float("nan"))
    for model, firmware in KINDS:
        for command in ("summary", "stats", "power", "devs"):
            assert b"NaN" not in response_of(model, firmware, json.dumps({"command": command}).encode(), driver)
