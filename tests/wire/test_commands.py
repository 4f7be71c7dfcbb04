"""Commands on the wire: both names, one priority, the site in the collector's form, strict reading."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from typing import Any

import pytest

from hashinsight.wire.commands import (
    PRIORITY_CLASSES,
    TYPES,
    VERBS,
    Command,
    poll_answer,
    read_command,
    wire_priority,
)
from hashinsight.wire.foreign_json import MalformedMessage
from hashinsight.wire.times import find_time, write_time

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
COMMAND = Command(
    command_id="0195508a-0000-7000-8000-00000000000a",
    site_id=3,
    miner_id="B2-R14-03",
    command_type="reboot_device",
    issued_at=NOON,
    expires_at=NOON + timedelta(seconds=900),
    ttl_sec=900,
    lease_until=NOON + timedelta(seconds=180),
)
PASSWORD = {"pool_id": 3, "pool_password": "hunter22"}


def refusal_code(message: Any) -> str:
    with pytest.raises(MalformedMessage) as fault:
        read_command(message)
    return fault.value.code


@pytest.mark.parametrize("command_type", VERBS)
def test_both_names_of_a_command_are_always_sent(command_type: str) -> None:
    message = Command(**{**_fields(), "command_type": command_type}).to_wire()
    assert (message["command_type"], message["command"]) == (command_type, VERBS[command_type])
    assert TYPES[message["command"]] == command_type


def _fields() -> dict[str, Any]:
    return {name: getattr(COMMAND, name) for name in Command.__dataclass_fields__}


@pytest.mark.parametrize("site_id", [3, "3", "tx-midland-1"])
@pytest.mark.parametrize("zone_id", [None, 7, "hall-2"])
def test_a_command_reads_back_as_it_was_sent(site_id: str | int, zone_id: str | int | None) -> None:
    command = Command(
        **{**_fields(), "site_id": site_id, "zone_id": zone_id, "params": PASSWORD, "cloud_sign": {"a": 1}}
    )
    assert read_command(command.to_wire()) == command
    assert ("zone_id" in command.to_wire()) is (zone_id is not None)


def test_the_repr_of_a_command_hides_its_parameters() -> None:
    assert "hunter22" not in repr(Command(**{**_fields(), "params": PASSWORD}))


def test_a_higher_class_comes_before_every_number_of_a_lower_one() -> None:
    ordered = [wire_priority(name, number) for name, number in product(PRIORITY_CLASSES, range(10))]
    assert ordered == sorted(set(ordered)) == list(range(40))
    assert wire_priority("safety", 0) > wire_priority("compliance", 9)


@pytest.mark.parametrize(("name", "number"), [("urgent", 5), ("", 0), ("safety", 10), ("safety", -1), ("SAFETY", 0)])
def test_an_unknown_priority_is_refused(name: str, number: int) -> None:
    with pytest.raises(ValueError, match="priority must be one of"):
        wire_priority(name, number)


def test_legacy_polls_are_answered_in_the_legacy_form() -> None:
    assert poll_answer([]) == {"commands": []}
    assert poll_answer([], legacy=True) == {"success": True, "commands": []}
    assert poll_answer([COMMAND])["commands"] == [COMMAND.to_wire()]


def test_either_name_identifies_the_command() -> None:
    message = COMMAND.to_wire()
    assert read_command({**message, "command": None}).command_type == "reboot_device"
    del message["command_type"]
    assert read_command(message).command_type == "reboot_device"
    assert read_command({**message, "command": "brew_coffee"}).command_type == "brew_coffee"


def test_names_that_do_not_match_are_refused() -> None:
    assert refusal_code({**COMMAND.to_wire(), "command_type": "fault_light"}) == "BAD_COMMAND"


NEEDED = ("command_id", "site_id", "miner_id", "issued_at", "expires_at")


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("junk", [..., None, "", True, [], {}, "a\0b", "x" * 1000, -1, 2**64, float("nan")])
def test_a_command_without_a_required_field_is_refused(name: str, junk: Any) -> None:
    message = COMMAND.to_wire()
    if junk is ...:
        del message[name]
    else:
        message[name] = junk
    assert refusal_code(message) == "BAD_COMMAND"


@pytest.mark.parametrize(
    ("name", "junk"),
    [("params", []), ("params", "x"), ("priority", "high"), ("attempt", True), ("ttl_sec", 1.5), ("zone_id", [])],
)
def test_a_field_of_the_wrong_type_is_refused(name: str, junk: Any) -> None:
    assert refusal_code({**COMMAND.to_wire(), name: junk}) == "BAD_COMMAND"


@pytest.mark.parametrize("message", [None, [], "reboot", 5])
def test_a_command_that_is_not_an_object_is_refused(message: Any) -> None:
    assert refusal_code(message) == "NOT_AN_OBJECT"


def test_times_are_written_in_utc_and_need_a_time_zone() -> None:
    assert write_time(NOON) == "2026-03-01T12:00:00Z"
    assert write_time(NOON.astimezone(timezone(timedelta(hours=-6)))) == "2026-03-01T12:00:00Z"
    assert find_time(write_time(NOON + timedelta(microseconds=5))) == NOON + timedelta(microseconds=5)
    with pytest.raises(ValueError, match="zone"):
        write_time(NOON.replace(tzinfo=None))
