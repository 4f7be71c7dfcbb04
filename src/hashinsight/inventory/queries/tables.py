"""The inventory's tables for other domains' queries: to join and to filter by, never to write."""

from hashinsight.inventory.models import Group, GroupMember, Miner, Rack, Site, Suppression, Zone

__all__ = ["Group", "GroupMember", "Miner", "Rack", "Site", "Suppression", "Zone"]
