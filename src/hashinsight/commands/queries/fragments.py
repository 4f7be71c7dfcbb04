"""Many rows as one parameter: a statement for 500 commands is the same text, and the same plan, as for one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Table, exists, select

from hashinsight.audit.actions import Actor
from hashinsight.commands.models import COMMANDS
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.queries.tables import GroupMember


def packed(rows: Sequence[Mapping[str, Any]]) -> str:
    return msgspec.json.encode(rows).decode()


def listed_ids(ids: Iterable[object]) -> str:
    """Ids as the text of an array: the driver would look at each to find out what it is."""
    return f"{{{','.join(map(str, ids))}}}"


def rows_of(parameter: str, **columns: str) -> str:
    """What stands behind `from`: the packed parameter, as columns of these types.

    By way of jsonb: reading plain json makes a hash table of each row.
    """
    typed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    return f"jsonb_to_recordset(cast(:{parameter} as jsonb)) as given ({typed})"


def who(actor: Actor) -> dict[str, str | None]:
    return {"actor_kind": actor.kind.value, "actor_id": actor.id}


def whence(actor: Actor) -> dict[str, str | None]:
    """Beside who: for the statements that write their audit entries as well."""
    return {**who(actor), "request_id": actor.request_id, "address": actor.address}


# the head of every insert into the history, in the order of what follows it
TOLD = (
    "insert into command_history (command_id, n, tenant_id, site_id, at, event, old_state, new_state,"
    " actor_kind, actor_id, message, details, execution_time_ms)"
)


def commands_within(scope: Scope, table: Table | Any = COMMANDS) -> ColumnElement[bool]:
    def in_groups(groups: Sequence[int]) -> ColumnElement[bool]:
        return exists(
            select(GroupMember.miner_no).where(
                GroupMember.miner_no == table.c.miner_no, GroupMember.group_id.in_(groups)
            )
        )

    columns = Columns(table.c.tenant_id, site=table.c.site_id, zone=table.c.zone_id, in_groups=in_groups)
    return within(scope, columns)
