"""How a scope narrows commands: by the site and zone that a command was for, or by a group that its machine is in."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Table, exists, select

from hashinsight.commands.models import COMMANDS
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.models import GroupMember


def commands_within(scope: Scope, table: Table | Any = COMMANDS) -> ColumnElement[bool]:
    def in_groups(groups: Sequence[int]) -> ColumnElement[bool]:
        return exists(
            select(GroupMember.miner_no).where(
                GroupMember.miner_no == table.c.miner_no, GroupMember.group_id.in_(groups)
            )
        )

    columns = Columns(table.c.tenant_id, site=table.c.site_id, zone=table.c.zone_id, in_groups=in_groups)
    return within(scope, columns)
