"""SQL that several queries share: rows packed into one parameter, the heads of inserts, the scope of commands."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Table, and_, exists, select

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.queries.entries import INSERT_AUDIT_LOG
from hashinsight.commands.models import COMMANDS
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.queries.tables import GroupMember, Miner

# only if the last note is old: an upsert alone would lock the row, and a device's polls would queue up behind it
NOTE_DEVICE = """
    insert into command_devices (tenant_id, site_id, collector_id, device, last_seen_at)
    select :tenant_id, :site_id, :collector_id, coalesce(cast(:device as text), ''), :now
    where not exists (
        select from command_devices
        where collector_id = :collector_id
            and device = coalesce(cast(:device as text), '')
            and last_seen_at > :stale
    )
    on conflict (collector_id, device) do update
    set last_seen_at = greatest(command_devices.last_seen_at, excluded.last_seen_at)
"""


def pack_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Many rows as one parameter: a statement for 500 commands has the same text and plan as for one."""
    return msgspec.json.encode(rows).decode()


def unpack_rows(parameter: str, **columns: str) -> str:
    """For `from`: the packed parameter as a table `given` with these columns.

    As jsonb: reading plain json builds a hash table per row.
    """
    typed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    return f"jsonb_to_recordset(cast(:{parameter} as jsonb)) as given ({typed})"


def pack_ids(ids: Iterable[object]) -> str:
    """Ids as the text of an array: faster than the driver's adaption of each."""
    return f"{{{','.join(map(str, ids))}}}"


def ready(alias: str) -> str:
    """Queued and approved, as the index has it."""
    return f"{alias}.state = 'queued' and {alias}.approval_state <> 'required'"


def insert_history(source: str, *, event: str, old_state: str, new_state: str, **values: str) -> str:
    """An insert with one row of history per row of `source`; all values are SQL."""
    columns = {
        "command_id": "command_id",
        "n": "moves",
        "tenant_id": "tenant_id",
        "site_id": "site_id",
        "at": ":now",
        "event": event,
        "old_state": old_state,
        "new_state": new_state,
        "actor_kind": ":actor_kind",
        "actor_id": ":actor_id",
        "message": "null",
        "details": "null",
        "execution_time_ms": "null",
        **values,
    }
    listed = ", ".join(columns.values())
    return f"insert into command_history ({', '.join(columns)}) select {listed} from {source}"  # noqa: S608 - our own words


def insert_audit(source: str, action: Action, *, before: str, after: str, reason: str = "null") -> str:
    """An insert with one audit entry per row of `source`, which has `entry_id`; all values are SQL."""
    values = (
        *("entry_id", ":now", "tenant_id", ":actor_kind", ":actor_id", f"'{action.value}'", "'command'"),
        *("command_id::text", before, after, reason, ":request_id", ":address"),
    )
    return f"{INSERT_AUDIT_LOG} select {', '.join(values)} from {source}"  # noqa: S608 - our own words


def actor_values(actor: Actor) -> dict[str, str | None]:
    return {"actor_kind": actor.kind.value, "actor_id": actor.id}


def audit_values(actor: Actor) -> dict[str, str | None]:
    """For statements that insert their audit entries themselves."""
    return {**actor_values(actor), "request_id": actor.request_id, "address": actor.address}


def zone_of(table: Table | Any) -> Any:
    """A command goes with its machine to another zone, until it is archived: then it stays in the zone of that time."""
    if table is not COMMANDS:
        return table.c.zone_id
    is_here = and_(Miner.miner_no == table.c.miner_no, Miner.site_id == table.c.site_id)
    return select(Miner.zone_id).where(is_here).scalar_subquery()


def commands_within(scope: Scope, table: Table | Any = COMMANDS) -> ColumnElement[bool]:
    """Commands of a scope: by site, by zone (`zone_of`), or by a group that the machine is in."""

    def in_groups(groups: Sequence[int]) -> ColumnElement[bool]:
        return exists(
            select(GroupMember.miner_no).where(
                GroupMember.miner_no == table.c.miner_no, GroupMember.group_id.in_(groups)
            )
        )

    columns = Columns(table.c.tenant_id, site=table.c.site_id, zone=zone_of(table), in_groups=in_groups)
    return within(scope, columns)
