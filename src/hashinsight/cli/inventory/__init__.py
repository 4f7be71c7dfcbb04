"""`hashinsight site | zone | miner | group …`: the inventory from the machine itself, as the system.

Server packages are imported inside the commands, so that the shell starts without them.
"""

from hashinsight.cli.inventory.groups import group_app
from hashinsight.cli.inventory.miners import miner_app
from hashinsight.cli.inventory.places import site_app, zone_app

__all__ = ["group_app", "miner_app", "site_app", "zone_app"]
