"""What commands have to do with each other: supersession and repetition. Pure."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from uuid import UUID

from hashinsight.commands.checker.findings import Finding, Name, found
from hashinsight.commands.checker.rows import Move, Part, Story
from hashinsight.commands.states import LEASED, Event, Priority

_RETURNS = (Event.RETRIED, Event.LEASE_LOST)
_RANKS = {priority.value: rank for rank, priority in enumerate(Priority)}


def check_successors(part: Part) -> Iterator[Finding]:
    """Both ends of one tell of it, at one time and of one machine; what is leased only emergencies take."""
    for story in part:
        for move in story.of(Event.SUPERSEDED):
            named = move.says("superseded_by")
            by = part.stories.get(UUID(named)) if named else None
            if str(story.command.superseded_by) != str(named):
                yield _broken(story, f"the row says {story.command.superseded_by}, the history {named}")
            if by is None:
                if part.covers(move.at):
                    yield _broken(story, f"its successor {named} does not exist")
                continue
            came_back = _came_back(story, move)
            is_of_its_time = by.command.created_at <= move.at if came_back else by.command.created_at == move.at
            if by.command.miner_no != story.command.miner_no or not is_of_its_time:
                yield _broken(story, f"{named} is of another machine or time")
            if not came_back and str(story.id) not in _displaced(by):
                yield _broken(story, f"{named} does not tell that it superseded this one")
            yield from _outranked(story, by, is_leased=move.old_state in LEASED)
        if story.command.superseded_by is not None and not story.of(Event.SUPERSEDED):
            yield _broken(story, "the row names a successor, and no move made it one")


def _came_back(story: Story, move: Move) -> bool:
    """At that moment, to a queue where its successor was before it: that one was made when it could not displace it."""
    before = next((one for one in story.moves if one.n == move.n - 1), None)
    return before is not None and before.event in _RETURNS and before.at == move.at


def check_predecessors(part: Part) -> Iterator[Finding]:
    for story in part:
        for named in _displaced(story):
            old = part.stories.get(UUID(named))
            if old is None:
                if part.covers(story.command.created_at):
                    yield _broken(story, f"it superseded {named}, which does not exist")
            elif old.command.superseded_by != story.id:
                yield _broken(story, f"it superseded {named}, which tells nothing of it")


def _outranked(old: Story, new: Story, *, is_leased: bool) -> Iterator[Finding]:
    """By class, or as a safety emergency; and only the latter where a collector is at it."""
    interrupts = new.command.emergency and new.command.priority == Priority.SAFETY.value
    if not interrupts and (is_leased or _RANKS[new.command.priority] <= _RANKS[old.command.priority]):
        message, priorities = "superseded by what does not outrank it", [old.command.priority, new.command.priority]
        yield found(Name.INTERRUPTED, old.id, message, by=new.id, priorities=priorities)


def _displaced(story: Story) -> list[str]:
    return [one for move in story.of(Event.CREATED) for one in move.says("superseded") or ()]


def check_repeated(part: Part) -> Iterator[Finding]:
    """One command a machine for one requester's dedupe key while its window lasts. The windows are in the record."""
    made: dict[tuple[str, int, str, str | None], list[Story]] = defaultdict(list)
    for story in part:
        command = story.command
        if command.dedupe_key is not None:
            by = (command.created_by_kind, command.created_by) if command.person is None else ("user", command.person)
            made[command.dedupe_key, command.miner_no, *by].append(story)
    for (key, miner_no, *_), stories in made.items():
        stories.sort(key=lambda story: story.command.created_at)
        for first, second in pairwise(stories):
            until = first.dedupe_until
            if until is not None and second.command.created_at < until:
                yield found(
                    Name.DEDUPE_BROKEN,
                    second.id,
                    "made again inside the window of its key",
                    dedupe_key=key,
                    miner_no=miner_no,
                    first=first.id,
                    until=until,
                )


def _broken(story: Story, message: str) -> Finding:
    return Finding(Name.SUPERSESSION_BROKEN, message, story.id)
