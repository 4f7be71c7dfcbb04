"""A scratch installation for one benchmark: servers as in production, fsync and all, in a folder that then goes."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from hashinsight.kit.children import Supervisor
from hashinsight.kit.connections import admin_address, open_database
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.account import service_account
from hashinsight.kit.embedded.binaries import locate
from hashinsight.kit.embedded.servers import data_folder, start_servers
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings
from hashinsight.migrations import upgrade


class Scratch:
    def __init__(self, settings: Settings, database: Database, psql: Path) -> None:
        self.folder = settings.data_dir
        self.database = database
        sockets = admin_address(settings)[0].libpq
        self.psql = [str(psql), "--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-d", sockets]
        self.pgbench = [str(psql.with_name("pgbench")), "--no-vacuum", sockets]
        self.vault = Vault(load_secret_key(settings))


@asynccontextmanager
async def scratch() -> AsyncIterator[Scratch]:
    path = Path(tempfile.mkdtemp(prefix="hi-bench-"))
    settings = Settings(data_dir=path, disk_reserve_mb=64)
    supervisor = Supervisor()
    try:
        async with data_folder(settings) as folder:
            try:
                await start_servers(supervisor, settings, folder, say=lambda _: None)
                address, login = admin_address(settings)
                await upgrade(address, login=login)
                database = open_database(settings, "bench")
                programs = locate(service_account(settings.service_user), path).postgres_bin
                yield Scratch(settings, database, programs / "psql")
                await database.dispose()
            finally:
                await supervisor.stop()
    finally:
        shutil.rmtree(path, ignore_errors=True)
