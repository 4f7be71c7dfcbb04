"""How a scope narrows problems: by the site and zone of their machine, or by a group that it is in.

A problem of a collector has no machine: it is for those who hold its whole site.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, exists, select

from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.models import GroupMember
from hashinsight.problems.models import EVENTS


def problems_within(scope: Scope, table: Any = EVENTS) -> ColumnElement[bool]:
    def in_groups(groups: Sequence[int]) -> ColumnElement[bool]:
        member = GroupMember
        return exists(select(member.miner_no).where(member.miner_no == table.c.miner_no, member.group_id.in_(groups)))

    return within(scope, Columns(table.c.tenant_id, site=table.c.site_id, zone=table.c.zone_id, in_groups=in_groups))
