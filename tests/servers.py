"""Starts one PostgreSQL and one Valkey for a whole test run, through our own supervisor, until standard input ends.

Run as a program of its own so that every test process shares them, and so that they go when the run goes, however it
ends. The cluster is the product's, but for fsync: a test run may lose its data, and says so here. Its memory is small
because every clone is preceded by a checkpoint, which walks through all of it. It vacuums and analyses nothing by
itself: whether that came by before a test looks at a plan would depend on how busy the machine is.
"""

import asyncio
import sys
from pathlib import Path

from hashinsight.kit.children import Supervisor
from hashinsight.kit.connections import admin_address
from hashinsight.kit.embedded.servers import data_folder, start_servers
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.settings import Settings
from hashinsight.migrations import upgrade

FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_init_zero": "off",
    "max_wal_size": "512MB",
    "shared_buffers": "128MB",
    "max_connections": "300",
    "autovacuum": "off",
}


async def main(folder: Path) -> None:
    settings = Settings(data_dir=folder, disk_reserve_mb=0, log_level="WARNING")
    configure_logs(settings, "test-servers")
    supervisor = Supervisor()
    async with data_folder(settings) as opened:
        try:
            await start_servers(supervisor, settings, opened, say=lambda _: None, postgres_overrides=FAST)
            address, login = admin_address(settings)
            await upgrade(address, login=login)
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            await asyncio.to_thread(sys.stdin.read)
        finally:
            await supervisor.stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
