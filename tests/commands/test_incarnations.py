"""A device that is started anew gets what its last life held at once, under the same ids, and nobody else loses any."""

import asyncio
from typing import Any

import pytest

from hashinsight.commands.service.checker import check_history
from tests.commands.edge_site import EdgeSite, Headers
from tests.installation import HANG_TIMEOUT_SEC


def life(headers: Headers, number: object, device: str = "box-1") -> Headers:
    return {**headers, "X-Device-ID": device, "X-Device-Incarnation": str(number)}


def ids(commands: list[dict[str, object]]) -> set[str]:
    return {str(command["command_id"]) for command in commands}


async def test_leases_of_the_previous_incarnation_return_at_once_under_the_same_id(edge_site: EdgeSite) -> None:
    command_id, *_ = await edge_site.make_commands("set_fan", 1, 2, 3)
    first = await edge_site.poll_commands(life(edge_site.north, 1))
    assert len(first) == 3
    assert await edge_site.poll_commands(life(edge_site.north, 1)) == [], "the same life holds them"
    again = await edge_site.poll_commands(life(edge_site.north, 2))
    assert ids(again) == ids(first)
    assert {command["attempt"] for command in again} == {2}
    assert edge_site.events(command_id) == ["created", "leased", "lease_lost", "leased"]
    for command in again:
        assert await edge_site.ack(str(command["command_id"]), headers=life(edge_site.north, 2)) == (
            True,
            "succeeded",
            None,
        )
    async with asyncio.timeout(HANG_TIMEOUT_SEC):
        examined = await check_history(edge_site.collector_site.database, edge_site.tenant_id)
    assert examined.ok, examined.findings
    lost = edge_site.rows("select * from audit_log where action = 'command_lease_lost'")
    assert len(lost) == 3


async def test_leases_of_other_devices_and_collectors_stay_where_they_are(edge_site: EdgeSite) -> None:
    await edge_site.make_commands("set_fan", 1, 2, 3)
    (own,) = await edge_site.poll_commands(life(edge_site.north, 1), limit=1)
    (shard,) = await edge_site.poll_commands(life(edge_site.north, 7, "box-2"), limit=1)
    (other,) = await edge_site.poll_commands(life(edge_site.south, 7), limit=1)
    assert ids(await edge_site.poll_commands(life(edge_site.north, 2))) == ids([own])
    for collector, headers in ((shard, life(edge_site.north, 7, "box-2")), (other, life(edge_site.south, 7))):
        assert await edge_site.ack(str(collector["command_id"]), headers=headers) == (True, "succeeded", None)


TOO_LONG = ["9" * 30, *("0" * 19 + "1" + "9" * more for more in (20, 5000))]  # also where it begins like a small one


@pytest.mark.parametrize("incarnation", ["1", "2", "", "0", "-3", "two", "²", *TOO_LONG])
async def test_only_a_newer_incarnation_returns_leases(edge_site: EdgeSite, incarnation: str) -> None:
    """A poll that was on its way when its life ended, a folder that was restored, and what is no number."""
    await edge_site.make_commands("set_fan", 1)
    held = await edge_site.poll_commands(life(edge_site.north, 2))
    assert len(held) == 1
    headers: Any = {**life(edge_site.north, 2), "X-Device-Incarnation": incarnation.encode()}
    assert await edge_site.poll_commands(headers) == []
    assert ids(await edge_site.poll_commands(life(edge_site.north, 3))) == ids(held)


async def test_another_server_process_returns_nothing_to_the_same_incarnation(
    edge_site: EdgeSite,
) -> None:
    await edge_site.make_commands("set_fan", 1)
    assert len(await edge_site.poll_commands(life(edge_site.north, 5))) == 1
    edge_site.collector_site.app.state.met._newest.clear()
    assert await edge_site.poll_commands(life(edge_site.north, 5)) == []


async def test_commands_that_cannot_be_redelivered_keep_their_lease_for_a_late_ack(edge_site: EdgeSite) -> None:
    last, dying = (
        await edge_site.make_commands("set_fan", 1, max_retries=0),
        await edge_site.make_commands("set_fan", 2, ttl_sec=60),
    )
    held = {
        command["miner_id"]: str(command["command_id"])
        for command in await edge_site.poll_commands(life(edge_site.north, 1))
    }
    edge_site.collector_site.at(61)
    assert await edge_site.poll_commands(life(edge_site.north, 2)) == []
    assert {edge_site.command(command)["state"] for command in (*last, *dying)} == {"dispatched"}
    for name in ("m1", "m2"):
        assert await edge_site.ack(held[name], headers=life(edge_site.north, 2)) == (True, "succeeded", None)


async def test_a_late_ack_of_the_previous_incarnation_still_ends_a_returned_command(edge_site: EdgeSite) -> None:
    """It ran before the end; the new life has it in its journal, and says so before or after it is given it again."""
    await edge_site.make_commands("set_fan", 1)
    (held,) = await edge_site.poll_commands(life(edge_site.north, 1))
    (again,) = await edge_site.poll_commands(life(edge_site.north, 2))
    assert again["command_id"] == held["command_id"]
    body = {"status": "skipped", "error_code": "OUTCOME_UNKNOWN"}
    answer = await edge_site.post_ack(str(held["command_id"]), body, headers=life(edge_site.north, 2))
    assert (answer.json()["applied"], answer.json()["state"]) == (True, "failed")
    assert await edge_site.poll_commands(life(edge_site.north, 3)) == []
