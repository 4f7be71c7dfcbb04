"""The inventory from the machine itself, as the system: `hashinsight site`, `zone`, `rack`, `node`, `miner` and more.

Server packages are imported inside the commands, so that the shell starts without them.
"""

from hashinsight.cli.inventory.groups import group_app
from hashinsight.cli.inventory.layout import node_app, rack_app
from hashinsight.cli.inventory.maintenance import maintenance_app
from hashinsight.cli.inventory.one_miner import miner_app
from hashinsight.cli.inventory.places import site_app, zone_app
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
