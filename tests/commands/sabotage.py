"""Safeguards cut out of the program, one function each, for tests that show who notices.

The statements are the real ones with a guard cut out of their text. A cut that does not fit any more fails by itself.
"""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import TextClause, text

from hashinsight.commands import acks
from hashinsight.commands.queries import acks as ack_queries
from hashinsight.commands.queries import approvals, lease_sql, leases

ALIVE = "coalesce(c.expires_at, '-infinity') > :now"


def cut(statement: TextClause, *cuts: tuple[str, str]) -> TextClause:
    words = statement.text
    for old, new in cuts:
        assert old in words, f"the statement has no {old!r} any more: sabotage it elsewhere"
        words = words.replace(old, new)
    return text(words)


def _cut_lease(patch: pytest.MonkeyPatch, *cuts: tuple[str, str]) -> None:
    for name in ("LEASE", "CAPPED_LEASE"):
        patch.setattr(leases, name, cut(getattr(leases, name), *cuts))


def remove_fence(patch: pytest.MonkeyPatch) -> None:
    """An ack moves whatever dispatch the command has now."""
    guard = "and c.dispatch_id = given.dispatch_id "
    patch.setattr(ack_queries, "_MOVE", cut(ack_queries._MOVE, (guard, "")))
    fence: Callable[..., str | None] = acks._fence

    def no_fence(facts: acks.DispatchFacts, ack: Any, dispatch_id: Any, *who: Any) -> str | None:
        return fence(facts._replace(newest=dispatch_id), ack, dispatch_id, *who)

    patch.setattr(acks, "_fence", no_fence)


def take_taken_machines(patch: pytest.MonkeyPatch) -> None:
    """Nothing looks whether the machine is taken, or whether another goes first."""
    _cut_lease(patch, ("(not c.is_control or not exists (", "(true or not exists ("))


def hand_out_unapproved(patch: pytest.MonkeyPatch) -> None:
    unapproved = ("c.approval_state <> 'required'", "true")
    never_expires = (ALIVE, "coalesce(c.expires_at, 'infinity') > :now")
    _cut_lease(patch, unapproved, never_expires)


def let_requesters_approve(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(approvals, "_DECIDE", cut(approvals._DECIDE, (":by_requester or not :is_approved", "true")))


def forget_the_ttl(patch: pytest.MonkeyPatch) -> None:
    _cut_lease(patch, (ALIVE, "true"))


def forget_the_rate(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(leases, "_USED", cut(leases._USED, ("at > :since", "false")))


def forget_the_cap(patch: pytest.MonkeyPatch) -> None:
    fits = ("down_before + nth_down <= :cap)", "true)")
    room = ("least(r.room, greatest(0, cast(:cap as int) - b.down))", "r.room")
    patch.setattr(leases, "CAPPED_LEASE", cut(lease_sql.CAPPED_LEASE, fits, room))
