"""The life of one command: legal moves without gaps, one final state, and a row that says the same. Pure."""

from collections.abc import Iterator
from itertools import pairwise

from hashinsight.commands.checker.findings import Finding, Name, found
from hashinsight.commands.checker.rows import Move, Part, Story, is_final
from hashinsight.commands.states import MOVES, Event, State


def check_moves(part: Part) -> Iterator[Finding]:
    """Every move is in the table, begins where the last one ended, and nothing leaves a final state."""
    for story in part:
        state: State | None = None
        for move in story.moves:
            if move.old_state != state:
                yield _at(Name.ILLEGAL_MOVE, story, move, f"it was {state}, and the move begins in {move.old_state}")
            if state is not None and is_final(state):
                yield _at(Name.FINAL_LEFT, story, move, f"{state} is final, and was left by {move.event}")
            elif not _is_legal(move):
                yield _at(Name.ILLEGAL_MOVE, story, move, f"{move.old_state} → {move.new_state} by {move.event}")
            state = move.new_state


def _is_legal(move: Move) -> bool:
    allowed = MOVES[move.event]
    if move.event is Event.CREATED:
        return move.old_state is None and move.new_state is State.QUEUED
    ends = allowed.ends or move.old_state
    return move.old_state in allowed.begins and move.new_state == ends


def check_numbers(part: Part) -> Iterator[Finding]:
    """Numbered from one without a gap, as many as the row counts."""
    for story in part:
        numbers = [move.n for move in story.moves]
        if numbers != list(range(1, len(numbers) + 1)):
            yield found(Name.HISTORY_GAP, story.id, "moves are missing or doubled", numbers=numbers)
        elif story.command.moves != len(numbers):
            counted = "the row counts other moves than there are"
            yield found(Name.HISTORY_GAP, story.id, counted, moves=story.command.moves, history=len(numbers))


def check_rows(part: Part) -> Iterator[Finding]:
    """One row, in one table, in the state of its last move; finished when that is final, and at its time."""
    for story in part:
        if len(story.rows) > 1:
            yield Finding(Name.IN_TWO_TABLES, "it is in the hot table and among the finished", story.id)
        for row in story.rows:
            last = story.moves[-1] if story.moves else None
            if last is None or row.state != last.new_state:
                state = None if last is None else last.new_state
                message = "the row's state is not the last move's"
                yield found(Name.ROW_DIFFERS, story.id, message, row=row.state, last_move=state)
            elif is_final(row.state) != (row.finished_at is not None) or (row.finished_at or last.at) != last.at:
                message = "the row's end is not the last move's"
                yield found(Name.ROW_DIFFERS, story.id, message, finished_at=row.finished_at, last_move=last.at)
            if not row.hot and not is_final(row.state):
                yield Finding(Name.ROW_DIFFERS, f"{row.state}, and put away as finished", story.id)


def check_machines(part: Part) -> Iterator[Finding]:
    """One at a time: what held a machine let go, by the database's own clock, before the next one was leased.

    The clock is read inside the statements, after the lease won its place in the unique index and before the release
    was committed: so a right order is never taken for a wrong one. A second lease in the instant between such a
    release and its commit is not seen; two that stood side by side in committed rows for longer are.
    """
    machines: dict[int, list[tuple[Move, Move | None]]] = {}
    for story in part:
        if story.command.is_control:
            machines.setdefault(story.command.miner_no, []).extend(story.held())
    for miner_no, spans in machines.items():
        spans.sort(key=lambda span: span[0].recorded_at)
        for (_, end), (begin, _) in pairwise(_widened(spans)):
            if end is None or end.recorded_at > begin.recorded_at:
                yield found(
                    Name.TWO_ACTIVE,
                    begin.command_id,
                    "leased while another had the machine",
                    miner_no=miner_no,
                    leased_at=begin.recorded_at,
                    held_by=None if end is None else end.command_id,
                    held_until=None if end is None else end.recorded_at,
                )


def _widened(spans: list[tuple[Move, Move | None]]) -> Iterator[tuple[Move, Move | None]]:
    """With the latest end so far: a long hold is compared with all that begin inside it."""
    latest: Move | None = None
    open_ended = False
    for begin, end in spans:
        if end is None or open_ended:
            open_ended = True
        elif latest is None or end.recorded_at > latest.recorded_at:
            latest = end
        yield begin, None if open_ended else latest


def _at(name: Name, story: Story, move: Move, message: str) -> Finding:
    return found(name, story.id, message, n=move.n, event=move.event, at=move.at)
