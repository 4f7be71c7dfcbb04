"""Inventory commands: `site`, `zone`, `rack`, `node`, `miner`, `group`, `maintenance`, `tenant-settings`."""

from hashinsight.cli.inventory.groups import group_app
from hashinsight.cli.inventory.maintenance import maintenance_app
from hashinsight.cli.inventory.miners import miner_app
from hashinsight.cli.inventory.places import node_app, rack_app, site_app, zone_app
from hashinsight.cli.inventory.tenant_settings import tenant_settings_app

__all__ = [
    "group_app",
    "maintenance_app",
    "miner_app",
    "node_app",
    "rack_app",
    "site_app",
    "tenant_settings_app",
    "zone_app",
]
