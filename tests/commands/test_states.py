"""The table of moves, the database's own checks and the drawing say the same."""

import itertools
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from hashinsight.commands.models import COMMANDS
from hashinsight.commands.states import (
    FINAL,
    LEASED,
    MOVES,
    OPEN,
    Approval,
    Event,
    Priority,
    State,
    ends_in,
    state_diagram,
)
from hashinsight.kit.ids import new_id
from hashinsight.wire.commands import PRIORITY_CLASSES
from tests.commands.command_site import NOON, CommandSite

_INSERT = """
insert into commands (command_id, tenant_id, site_id, miner_no, miner_id, batch_id, command_type, is_control, params,
    asks, priority, priority_number, urgency, emergency, ttl_sec, expires_at, approval_state, approval_until,
    created_by_kind, created_at, created_reason, state, moves, attempt, max_retries, retry_backoff_sec,
    next_attempt_at, dispatch_id, lease_owner, lease_until, finished_at, superseded_by, updated_at)
values (%(id)s, %(id)s, 1, %(miner_no)s, 'm', %(id)s, 'set_fan', %(is_control)s, '{}', '', 'safety', 5, %(urgency)s,
    false, %(ttl)s, %(expires_at)s, %(approval)s, null, 'user', %(now)s, '', %(state)s, 1, %(attempt)s, 3, 15, %(now)s,
    %(dispatch_id)s, %(owner)s, %(lease_until)s, %(finished_at)s, %(by)s, %(now)s)
"""


def row(state: State, miner_no: int = 1, **more: object) -> dict[str, object]:
    """As it must be in that state."""
    leased, final = state in LEASED, state in FINAL
    return {
        "id": new_id(),
        "miner_no": miner_no,
        "is_control": True,
        "urgency": 35,
        "ttl": 900,
        "approval": "none",
        "state": state.value,
        "now": NOON,
        "expires_at": NOON,
        "attempt": 1,
        "dispatch_id": new_id() if leased else None,
        "owner": new_id() if leased else None,
        "lease_until": NOON if leased else None,
        "finished_at": NOON if final else None,
        "by": new_id() if state is State.SUPERSEDED else None,
        **more,
    }


def refused(url: str, values: dict[str, object]) -> str | None:
    """The name of the constraint that refuses this row; None when it is taken."""
    with psycopg.connect(url) as connection:
        try:
            connection.execute(_INSERT, values)
        except errors.IntegrityError as error:
            return str(error.diag.constraint_name)
        finally:
            connection.rollback()
    return None


def test_every_state_has_a_possible_row_and_the_impossible_ones_are_refused(
    fleet: CommandSite, superuser_url: str
) -> None:
    assert fleet.now == NOON
    for state in State:
        assert refused(superuser_url, row(state)) is None, state
    wrong = [
        (row(State.DISPATCHED, lease_until=None, owner=None), "ck_commands_leased"),
        (row(State.RUNNING, owner=None), "ck_commands_lease_owner"),
        (row(State.RUNNING, dispatch_id=None), "ck_commands_fenced"),
        (row(State.QUEUED, lease_until=NOON, owner=new_id(), dispatch_id=new_id()), "ck_commands_leased"),
        (row(State.SUCCEEDED, finished_at=None), "ck_commands_finished"),
        (row(State.QUEUED, finished_at=NOON), "ck_commands_finished"),
        (row(State.SUPERSEDED, by=None), "ck_commands_superseded"),
        (row(State.DISPATCHED, attempt=0), "ck_commands_tried"),
        (row(State.QUEUED, ttl=4), "ck_commands_ttl"),
        (row(State.QUEUED, ttl=604_801), "ck_commands_ttl"),
        (row(State.QUEUED, urgency=34), "ck_commands_urgency"),
        (row(State.QUEUED, expires_at=None), "ck_commands_expires"),
        (row(State.QUEUED, approval="maybe"), "ck_commands_approval_state"),
    ]
    for values, constraint in wrong:
        assert refused(superuser_url, values) == constraint


def test_unapproved_commands_are_never_leased(fleet: CommandSite, superuser_url: str) -> None:
    assert fleet.now == NOON
    on_its_way = {State.DISPATCHED, State.RUNNING, State.SUCCEEDED, State.FAILED}
    for state in State:
        unapproved = refused(superuser_url, row(state, approval=Approval.REQUIRED.value))
        assert (unapproved == "ck_commands_unapproved") == (state in on_its_way)
        rejected = refused(superuser_url, row(state, approval=Approval.REJECTED.value))
        assert (rejected == "ck_commands_rejected") == (state is not State.CANCELED)


def test_a_machine_has_one_leased_control_command(fleet: CommandSite, superuser_url: str) -> None:
    assert fleet.now == NOON
    with psycopg.connect(superuser_url) as connection:
        connection.execute(_INSERT, row(State.DISPATCHED))
        connection.execute(_INSERT, row(State.DISPATCHED, miner_no=2))
        connection.execute(_INSERT, row(State.RUNNING, is_control=False))
        connection.execute(_INSERT, row(State.QUEUED))
        with pytest.raises(errors.UniqueViolation) as error:
            connection.execute(_INSERT, row(State.RUNNING))
        assert error.value.diag.constraint_name == "uq_commands_active"
        connection.rollback()


def test_no_move_begins_in_a_final_state_and_every_state_is_reached() -> None:
    assert set(MOVES) == set(Event)
    assert not {state for move in MOVES.values() for state in move.begins} & set(FINAL)
    assert {move.ends for move in MOVES.values()} - {None} == set(State)
    for event, state in itertools.product(Event, State):
        if state in MOVES[event].begins:
            assert ends_in(event, state) in State
        else:
            with pytest.raises(ValueError, match="cannot be"):
                ends_in(event, state)
    assert set(OPEN) | set(FINAL) == set(State)


def test_the_classes_are_those_of_the_wire() -> None:
    assert tuple(Priority) == PRIORITY_CLASSES


def test_the_drawing_in_the_documents_is_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "commands.md"
    assert state_diagram() in page.read_text()


def test_both_tables_have_the_same_columns() -> None:
    from hashinsight.commands.models import DONE

    assert [(c.name, str(c.type)) for c in COMMANDS.columns] == [(c.name, str(c.type)) for c in DONE.columns]
