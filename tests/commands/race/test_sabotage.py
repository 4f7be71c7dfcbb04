"""Builds with one safeguard taken out, at work in the same race: the checker names what each of them did."""

from collections.abc import Callable

import pytest

from hashinsight.commands.checker import FindingName
from hashinsight.commands.service.checker import check_history
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.database import Database
from tests.commands import sabotage as cutting
from tests.commands.race.actors import REBOOTS, TYPES, Actors, Types
from tests.commands.race.shared_clock import SharedClockSite
from tests.commands.slow_poll import slip_in

MOST_TRIES = 8


ACTIVE = "drop index uq_commands_active"
UNAPPROVED = "alter table commands drop constraint ck_commands_unapproved"
# what they ask for in the race: of all types, a race in two asks for fewer reboots than their rate, and shows nothing
SABOTAGE: list[tuple[Callable[[pytest.MonkeyPatch], None], str | None, tuple[Types, FindingName]]] = [
    (cutting.remove_fence, None, (TYPES, FindingName.STALE_ACK)),
    (cutting.lease_taken_machines, ACTIVE, (TYPES, FindingName.TWO_ACTIVE)),
    (cutting.lease_unapproved, UNAPPROVED, (TYPES, FindingName.LEASED_UNAPPROVED)),
    (cutting.let_requesters_approve, None, (TYPES, FindingName.APPROVED_BY_REQUESTER)),
    (cutting.ignore_the_ttl, None, (TYPES, FindingName.LEASED_AFTER_EXPIRY)),
    (cutting.ignore_the_rate, None, (REBOOTS, FindingName.RATE_EXCEEDED)),
]


@pytest.mark.parametrize(
    ("sabotage", "behind_it", "asking"), SABOTAGE, ids=[sabotage.__name__ for sabotage, *_ in SABOTAGE]
)
async def test_a_build_without_a_safeguard_is_caught(
    fleet: SharedClockSite,
    monkeypatch: pytest.MonkeyPatch,
    sabotage: Callable[[pytest.MonkeyPatch], None],
    behind_it: str | None,
    asking: tuple[Types, FindingName],
) -> None:
    """By what it did in a race, not by what it is: some races more are run when one brought nothing to light."""
    types, name = asking
    sabotage(monkeypatch)
    if behind_it is not None:
        fleet.write(behind_it)
    for seed in range(MOST_TRIES):
        await Actors(fleet, f"sabotage {seed}", types).everybody(25)
        names = {finding.name for finding in (await check_history(fleet.database, fleet.tenant)).findings}
        if name in names:
            break
    assert name in names


@pytest.mark.parametrize(
    ("behind_it", "expected"), [(None, set()), (ACTIVE, {FindingName.TWO_ACTIVE})], ids=["with", "without"]
)
async def test_the_unique_index_alone_taken_away_is_caught(
    fleet: SharedClockSite,
    address: DatabaseAddress,
    superuser_url: str,
    behind_it: str | None,
    expected: set[FindingName],
) -> None:
    """All else in place: it alone stands between two polls of which one looked too early."""
    if behind_it is not None:
        fleet.write(behind_it)
    leased = await slip_in(fleet, address, superuser_url)
    assert len(leased) == len(expected)
    assert await _findings(fleet.database, fleet) == expected


async def test_no_finding_while_the_rate_is_kept(fleet: SharedClockSite) -> None:
    """The race that shows a build without the rate, run with it."""
    actors = Actors(fleet, "sabotage 0", REBOOTS)
    await actors.everybody(25)
    assert actors.did["leased"] > 0
    assert await _findings(fleet.database, fleet) == set()


@pytest.mark.parametrize("with_history", [False, True])
async def test_a_final_state_that_is_overwritten_is_caught(fleet: SharedClockSite, *, with_history: bool) -> None:
    """By a hand in the database, which either forgets the history or writes it, too."""
    command_id = await fleet.make_command("set_fan", 1, params={"speed": 10})
    await fleet.ack_one((await fleet.lease_one()).dispatch_id)
    assert await _findings(fleet.database, fleet) == set()
    fleet.write("update commands set state = 'failed' where command_id = %s", command_id)
    if with_history:
        fleet.write(
            "insert into command_history (command_id, n, tenant_id, site_id, at, event, old_state, new_state,"
            " actor_kind, actor_id, details) select command_id, 4, tenant_id, site_id, at, 'failed', 'succeeded',"
            " 'failed', actor_kind, actor_id, details from command_history where command_id = %s and n = 3",
            command_id,
        )
        fleet.write("update commands set moves = 4 where command_id = %s", command_id)
        assert await _findings(fleet.database, fleet) == {
            FindingName.FINAL_LEFT,
            FindingName.ACKED_TWICE,
            FindingName.MOVE_UNAUDITED,
        } | {FindingName.ATTEMPT_DIFFERS}
    else:
        assert await _findings(fleet.database, fleet) == {FindingName.ROW_DIFFERS}


async def _findings(database: Database, fleet: SharedClockSite) -> set[FindingName]:
    return {finding.name for finding in (await check_history(database, fleet.tenant)).findings}
