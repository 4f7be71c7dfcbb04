"""A day without a fault has no findings; every guarantee that is broken by one changed row is found by its name."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from hashinsight.commands import checker
from hashinsight.commands.checker import FindingName, Lease, StoryGroup, Timeline, check_rates
from hashinsight.commands.service.checker import check_history
from hashinsight.commands.states import Event, State
from hashinsight.kit.ids import new_id
from tests.commands.checker.recorded_day import Day, Spoiled
from tests.commands.command_site import NOON, CommandSite

DAY = timedelta(days=1)


@pytest.fixture
async def day(fleet: CommandSite) -> Day:
    made = Day(fleet)
    await made.live()
    return made


def _dispatch(day: Spoiled, name: str, n: int) -> str:
    (move,) = (move for move in day.story(name).moves if move.n == n)
    return str(move.dispatch_id)


def _other_approver(day: Spoiled) -> None:
    day.command("canceled", created_by="olga")


def _approver_behind_a_key(day: Spoiled) -> None:
    day.command("canceled", created_by_kind="api_key", created_by=str(new_id()), person="olga")


def _other_device(day: Spoiled) -> None:
    day.details("tried", 6, device="d1")
    day.details("tried", 7, device="d2")


def _share(day: Spoiled) -> None:
    day.details("open", 2, dispatch_id=_dispatch(day, "leave", 2))


def _two_active(day: Spoiled) -> None:
    """The second one's lease, recorded before the first one let go."""
    end = day.story("tried").moves[-1].recorded_at
    day.move("repeated", 2, recorded_at=end - timedelta(milliseconds=1))


def _never_let_go(day: Spoiled) -> None:
    story = day.story("tried")
    day.without("tried", moves=story.moves[:-1])


def _unapproved(day: Spoiled) -> None:
    story = day.story("canceled")
    day.without("canceled", moves=tuple(move for move in story.moves if move.event is not Event.APPROVED))


def _nobody_asked(day: Spoiled) -> None:
    day.command("leave", approval_state="none")
    day.without("leave", entries=())


def _after_cancel(day: Spoiled) -> None:
    day.move("canceled", 5, event=Event.LEASE_LOST, new_state=State.QUEUED)
    day.add_move("canceled", event=Event.LEASED, old_state=State.QUEUED, new_state=State.DISPATCHED)


def _drop_created(day: Spoiled) -> None:
    day.without("open", entries=())


def _extra_entry(day: Spoiled) -> None:
    entries = day.story("open").entries
    day.without("open", entries=(*entries, msgspec.structs.replace(entries[-1], at=NOON - DAY)))


def _both_tables(day: Spoiled) -> None:
    row = day.story("tried").command
    day.without("tried", rows=(row, msgspec.structs.replace(row, hot=False)))


def _no_successor(day: Spoiled) -> None:
    day.details("displaced", 2, superseded_by=str(new_id()))


def _not_known_to_it(day: Spoiled) -> None:
    day.details("emergency", 1, superseded=[])


def _names_a_stranger(day: Spoiled) -> None:
    day.details("open", 1, superseded=[str(day.story("expired").id)])


def _calls(method: str, *arguments: Any, **changed: Any) -> Callable[[Spoiled], None]:
    return lambda day: getattr(day, method)(*arguments, **changed)


# numbers of moves: tried = created, leased, lease_lost, leased, retried, leased, started, succeeded
SPOILS: list[tuple[FindingName, Callable[[Spoiled], None]]] = [
    (FindingName.ILLEGAL_MOVE, _calls("move", "tried", 7, event=Event.LEASE_LOST)),
    (FindingName.ILLEGAL_MOVE, _calls("move", "tried", 4, old_state=State.RUNNING)),
    (FindingName.HISTORY_GAP, _calls("command", "open", moves=3)),
    (FindingName.HISTORY_GAP, _calls("move", "tried", 5, n=9)),
    (FindingName.FINAL_LEFT, _calls("add_move", "expired", event=Event.LEASED, new_state=State.DISPATCHED)),
    (FindingName.ROW_DIFFERS, _calls("command", "tried", state=State.FAILED)),
    (FindingName.ROW_DIFFERS, _calls("command", "tried", finished_at=NOON)),
    (FindingName.ROW_DIFFERS, _calls("command", "open", hot=False)),
    (FindingName.IN_TWO_TABLES, _both_tables),
    (FindingName.TWO_ACTIVE, _two_active),
    (FindingName.TWO_ACTIVE, _never_let_go),
    (FindingName.DISPATCH_SHARED, _share),
    (FindingName.DISPATCH_REUSED, lambda day: day.details("tried", 6, dispatch_id=_dispatch(day, "tried", 2))),
    (FindingName.DISPATCH_CHANGED, lambda day: day.details("tried", 4, dispatch_id=str(new_id()))),
    (FindingName.STALE_ACK, lambda day: day.details("tried", 8, dispatch_id=_dispatch(day, "tried", 2))),
    (FindingName.ACKED_TWICE, lambda day: day.details("tried", 8, dispatch_id=_dispatch(day, "tried", 5))),
    (FindingName.FOREIGN_ACK, _calls("move", "tried", 8, actor_id=str(new_id()))),
    (FindingName.FOREIGN_ACK, lambda day: day.move("tried", 5, actor_id=day.story("tried").moves[1].actor_id)),
    (FindingName.FOREIGN_ACK, _other_device),
    (FindingName.ATTEMPT_DIFFERS, _calls("command", "tried", attempt=2)),
    (FindingName.ATTEMPT_DIFFERS, _calls("attempt", "tried", deliveries=1)),
    (FindingName.ATTEMPT_DIFFERS, _calls("attempt", "tried", result="succeeded")),
    (FindingName.ATTEMPT_DIFFERS, _calls("without", "open", attempts=())),
    (FindingName.TOO_MANY_ATTEMPTS, _calls("command", "tried", max_retries=1)),
    (FindingName.LEASED_AFTER_EXPIRY, _calls("move", "open", 2, at=NOON + DAY)),
    (FindingName.EXTENDED_AFTER_EXPIRY, lambda day: day.details("extended", 2, expired_at=str(NOON))),
    (FindingName.LEASED_AFTER_CANCEL, _after_cancel),
    (FindingName.LEASED_BEFORE_BACKOFF, lambda day: day.details("tried", 5, next_attempt_at=str(NOON + DAY))),
    (FindingName.LEASED_UNAPPROVED, _unapproved),
    (FindingName.LEASED_UNAPPROVED, _calls("without", "leave", approvals=())),
    (FindingName.LEASED_UNAPPROVED, _nobody_asked),
    (FindingName.APPROVED_BY_REQUESTER, _other_approver),
    (FindingName.APPROVED_BY_REQUESTER, _approver_behind_a_key),
    (FindingName.APPROVED_TOO_LATE, _calls("command", "canceled", approval_until=NOON)),
    (FindingName.APPROVAL_UNRECORDED, _calls("without", "rejected", approvals=())),
    (FindingName.SUPERSESSION_BROKEN, _no_successor),
    (FindingName.SUPERSESSION_BROKEN, _not_known_to_it),
    (FindingName.SUPERSESSION_BROKEN, _names_a_stranger),
    (FindingName.SUPERSESSION_BROKEN, lambda day: day.command("tried", superseded_by=day.story("open").id)),
    (FindingName.INTERRUPTED, _calls("command", "emergency", emergency=False)),
    (FindingName.INTERRUPTED, _calls("command", "displaced", priority="compliance")),
    (FindingName.DEDUPE_BROKEN, _calls("command", "repeated", created_at=NOON + timedelta(seconds=59))),
    (FindingName.MOVE_UNAUDITED, _drop_created),
    (FindingName.ENTRY_WITHOUT_MOVE, _extra_entry),
]
ELSEWHERE = {FindingName.COMMAND_LOST, FindingName.RATE_EXCEEDED, FindingName.CAP_EXCEEDED}


async def test_a_day_without_a_fault_has_no_findings(day: Day) -> None:
    examined = await check_history(day.fleet.database, day.fleet.tenant)
    assert examined.findings == []
    assert (examined.commands, examined.machines, examined.open, examined.notes) == (11, 8, 2, [])
    moves = [move for story in await day.part() for move in story.moves]
    assert {move.event for move in moves} == set(Event), "the day has every kind of move"


def test_every_guarantee_is_broken_here_once() -> None:
    assert {name for name, _ in SPOILS} | ELSEWHERE == set(FindingName)


async def test_each_spoiled_record_has_its_finding(day: Day) -> None:
    """And none of the checks could be left out unseen."""
    part = await day.part()
    blind, idle = [], set(checker.CHECKS)
    for number, (name, spoil) in enumerate(SPOILS):
        spoiled = Spoiled(part, day.named)
        spoil(spoiled)
        assert spoiled.part != part
        seeing = [check for check in checker.CHECKS if name in {finding.name for finding in check(spoiled.part)}]
        idle -= set(seeing)
        if not seeing:
            blind.append((number, name))
    assert blind == []
    assert idle == set()


async def test_a_range_excludes_commands_outside_it(day: Day) -> None:
    """Those at its edges are told without findings: half of a story is not a broken one."""
    fleet = day.fleet
    whole = (await check_history(fleet.database, fleet.tenant)).commands
    seen = []
    for seconds in range(0, 600, 30):
        cut = NOON + timedelta(seconds=seconds)
        late = await check_history(fleet.database, fleet.tenant, since=cut)
        early = await check_history(fleet.database, fleet.tenant, until=cut)
        assert late.findings == early.findings == []
        seen.append((late.commands, early.commands))
    assert seen[0] == (whole, 0)
    assert seen[-1][0] < whole


async def test_a_deleted_command_is_found_by_the_audit_log(day: Day) -> None:
    day.fleet.write("delete from commands where command_id = %s", day.named["expired"])
    (finding,) = (await check_history(day.fleet.database, day.fleet.tenant)).findings
    assert (finding.name, finding.command_id) == (FindingName.COMMAND_LOST, day.named["expired"])


async def test_self_approval_is_no_finding_while_it_was_allowed(day: Day) -> None:
    spoiled = Spoiled(await day.part(), day.named)
    _other_approver(spoiled)
    for allowed, names in ((True, set()), (False, {FindingName.APPROVED_BY_REQUESTER})):
        part: StoryGroup = replace(spoiled.part, by_requester=Timeline(not allowed, [(NOON - DAY, allowed)]))
        assert {finding.name for finding in checker.check(part)} == names


def _handed(*seconds: float) -> Iterator[Lease]:
    return (Lease(new_id(), 1, "reboot_device", NOON + timedelta(seconds=second)) for second in seconds)


@pytest.mark.parametrize(
    ("seconds", "changes", "count"),
    [
        ((0, 1, 299), [], 1),
        ((0, 1, 300), [], 0),
        ((299, 0, 1, 298), [], 2),
        ((0, 1, 2), [(NOON, 3)], 0),
        ((400, 401, 402), [(NOON, 3), (NOON + timedelta(seconds=10), 2)], 1),
        ((0, 0, 0), [], 1),
    ],
)
def test_rates_hold_in_every_window(seconds: tuple[float, ...], changes: list[tuple[Any, int]], count: int) -> None:
    limits = {"reboot_device": Timeline(2, changes)}
    assert len(list(check_rates(_handed(*seconds), limits))) == count
