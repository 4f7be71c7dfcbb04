"""The scope's predicate for each table of inventory: the one place that names the columns."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, exists, or_, select, true
from sqlalchemy.orm import aliased

from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.models import Group, GroupMember, Miner, Node, Rack, Site, Zone


def in_groups(groups: Sequence[int]) -> ColumnElement[bool]:
    member = aliased(GroupMember)  # an alias, so that a query over members can use this too
    return exists(select(member.miner_no).where(member.miner_no == Miner.miner_no, member.group_id.in_(groups)))


def miners_within(scope: Scope) -> ColumnElement[bool]:
    """The machines in scope: used by every list, count, export and action on machines."""
    return within(scope, Columns(Miner.tenant_id, site=Miner.site_id, zone=Miner.zone_id, in_groups=in_groups))


def zones_within(scope: Scope) -> ColumnElement[bool]:
    return within(scope, Columns(Zone.tenant_id, site=Zone.site_id, zone=Zone.id))


def racks_within(scope: Scope) -> ColumnElement[bool]:
    return within(scope, Columns(Rack.tenant_id, site=Rack.site_id, zone=Rack.zone_id))


def nodes_within(scope: Scope) -> ColumnElement[bool]:
    return within(scope, Columns(Node.tenant_id, site=Node.site_id))


def visible_sites(scope: Scope) -> ColumnElement[bool]:
    """Also a site of which only a zone or some machines are in scope: the caller sees its name."""
    inside = true() if scope.sites is None else Site.id.in_(scope.sites)
    return (Site.tenant_id == scope.tenant_id) & inside


def visible_groups(scope: Scope) -> ColumnElement[bool]:
    """Granted groups, and groups that a machine in scope is in."""
    own = Group.tenant_id == scope.tenant_id
    if scope.is_whole:
        return own
    shared = exists(
        select(GroupMember.miner_no)
        .join(Miner, Miner.miner_no == GroupMember.miner_no)
        .where(GroupMember.group_id == Group.id, miners_within(scope))
    )
    return own & or_(Group.id.in_(scope.groups), shared)
