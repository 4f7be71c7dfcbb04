"""Safeguards removed from the program, one function each, for tests that show what notices it.

The statements are the real ones with a guard cut out of their text. A cut that no longer fits fails by itself.
"""

import pytest
from sqlalchemy import TextClause, text

from hashinsight.commands import acks
from hashinsight.commands.queries import ack_sql, approvals, lease_sql, leases
from hashinsight.commands.queries import acks as ack_queries
from hashinsight.wire.acks import AckStatus

ALIVE = "coalesce(c.expires_at, '-infinity') > :now"


def cut(statement: TextClause, *cuts: tuple[str, str]) -> TextClause:
    sql = statement.text
    for old, new in cuts:
        assert old in sql, f"the statement has no {old!r} any more: cut it elsewhere"
        sql = sql.replace(old, new)
    return text(sql)


def _cut_lease(patch: pytest.MonkeyPatch, *cuts: tuple[str, str]) -> None:
    for name in ("LEASE", "CAPPED_LEASE"):
        patch.setattr(leases, name, cut(getattr(leases, name), *cuts))


def remove_fence(patch: pytest.MonkeyPatch) -> None:
    """An ack moves whatever dispatch the command has now."""
    guard = "and c.dispatch_id = acked.dispatch_id\n"
    patch.setattr(ack_queries, "MOVE_ACKED", cut(ack_sql.MOVE_ACKED, (guard, "\n")))
    check_fence = acks.check_fence

    def check_as_newest(facts: acks.DispatchFacts, status: AckStatus) -> str | None:
        return check_fence(facts._replace(is_newest=True), status)

    patch.setattr(acks, "check_fence", check_as_newest)


def lease_taken_machines(patch: pytest.MonkeyPatch) -> None:
    """Nothing checks whether the machine is taken, or whether another command goes first."""
    _cut_lease(patch, ("(not c.is_control or not exists (", "(true or not exists ("))


def lease_unapproved(patch: pytest.MonkeyPatch) -> None:
    unapproved = ("c.approval_state <> 'required'", "true")
    never_expires = (ALIVE, "coalesce(c.expires_at, 'infinity') > :now")
    _cut_lease(patch, unapproved, never_expires)


def let_requesters_approve(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(approvals, "_DECIDE", cut(approvals._DECIDE, (":by_requester or not :is_approved", "true")))


def ignore_the_ttl(patch: pytest.MonkeyPatch) -> None:
    _cut_lease(patch, (ALIVE, "true"))


def ignore_the_rate(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(leases, "_USED_RATES", cut(leases._USED_RATES, ("at > :since", "false")))


def ignore_the_cap(patch: pytest.MonkeyPatch) -> None:
    fits = ("down_before + nth_down <= :cap)", "true)")
    room = ("least(r.room, greatest(0, cast(:cap as int) - counted.down))", "r.room")
    patch.setattr(leases, "CAPPED_LEASE", cut(lease_sql.CAPPED_LEASE, fits, room))
