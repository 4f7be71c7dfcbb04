"""Machines that are moved or retired while commands are under way, and polls that cannot see where they come from."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.leases import LeasedCommand, LeaseHolder, poll
from hashinsight.commands.service.requests import _resolve
from hashinsight.commands.service.targets import arbitrate_targets, select_targets
from hashinsight.identity.scope import Reach
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import NotFound
from hashinsight.kit.ids import new_id
from tests.commands.command_site import VAULT, CommandSite, command_request

FAN: dict[str, Any] = {"params": {"speed": 60}}
Polled = Callable[[CommandSite, LeaseHolder], Awaitable[list[LeasedCommand]]]


def _move(fleet: CommandSite, miner_no: int, site_id: int) -> None:
    """As the inventory does it: the machine, and a row of its history at the new site."""
    fleet.write("update miners set site_id = %s, zone_id = null where miner_no = %s", site_id, miner_no)
    fleet.write(
        "insert into miner_changes (id, tenant_id, site_id, miner_no, at, field, old, new, cause)"
        " values (%s, %s, %s, %s, %s, 'site', 'site-1', 'site-2', 'operator')",
        *(new_id(), fleet.tenant, site_id, miner_no, fleet.now),
    )


async def _poll(fleet: CommandSite, holder: LeaseHolder) -> list[LeasedCommand]:
    """As the route does it, in a transaction that the lease itself enters."""
    entering = Context(tenant=str(fleet.tenant), sites=(holder.site_id,), by_index=True)
    async with fleet.database.hot() as session:
        leased, _ = await poll(session, VAULT, holder, entering=entering, now=fleet.now)
    return leased


@pytest.mark.parametrize("polled", [_poll, CommandSite.lease])
async def test_a_machine_that_came_with_a_lease_does_not_silence_its_new_site(
    fleet: CommandSite, polled: Polled
) -> None:
    """The lease of the old site is not seen by polls of the new one; the index refuses, and the rest goes out."""
    fleet.add_machines(100, 103, site_id=2)
    there = fleet.collector("there", site_id=2)
    await fleet.make_command("set_fan", 1, **FAN)
    first = await fleet.lease_one()
    _move(fleet, 1, 2)
    fleet.pass_time(1)
    await fleet.request("set_frequency", 1, site=2, params={"frequency": 500}, priority="safety")
    await fleet.request("set_fan", 100, 101, 102, 103, site=2, **FAN)
    assert [command.miner_no for command in await polled(fleet, there)] == [100, 101, 102, 103]
    await fleet.ack_one(first.dispatch_id)
    assert [command.miner_no for command in await fleet.lease(there)] == [1]


@pytest.mark.parametrize("what", ["zone_id = 2", "site_id = 2, zone_id = null", "state = 'retired'"])
async def test_a_machine_that_changes_under_a_request_is_refused(fleet: CommandSite, what: str) -> None:
    """Between the look at it and its lock: who may command it there is another question now."""
    zone = fleet.person("ann", Reach(zones=(1,)))
    async with fleet.session() as session:
        resolved = await _resolve(session, VAULT, zone, command_request("set_fan", 1, 3, **FAN))
        selected = await select_targets(session, resolved)
        fleet.write(f"update miners set {what} where miner_no = 1")
        arbitrated = await arbitrate_targets(session, resolved, selected, lock=True, now=fleet.now)
    assert list(arbitrated.accepted) == [3]
    assert [(refusal.miner_id, refusal.error_code) for refusal in arbitrated.refused] == [("m1", "MINER_MOVED")]


async def test_a_retired_machine_is_called_retired(fleet: CommandSite) -> None:
    fleet.write("update miners set state = 'retired' where miner_no = 1")
    with pytest.raises(NotFound) as error:
        await fleet.request("set_fan", 1, **FAN)
    assert error.value.error_code == "MINER_RETIRED"


async def test_issued_at_is_the_time_of_the_lease_after_an_approval(fleet: CommandSite) -> None:
    """A collector that counts the TTL from `issued_at` would else refuse it as stale."""
    command_id = await fleet.make_command("reboot_device", 1, ttl_sec=60)
    fleet.pass_time(3600)
    await fleet.approve(DecisionTarget(command_id), fleet.person("olga"))
    fleet.pass_time(5)
    leased = await fleet.lease_one()
    assert (leased.expires_at - leased.issued_at).total_seconds() == leased.ttl_sec
