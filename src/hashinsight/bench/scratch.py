"""A throwaway installation for one benchmark: servers as in production, with fsync, in a temporary folder."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

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

_SETTLE_SECONDS = 120


class Scratch:
    def __init__(self, settings: Settings, database: Database, psql: Path) -> None:
        self.folder = settings.data_dir
        self.database = database
        sockets = admin_address(settings)[0].libpq
        self.psql = [str(psql), "--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-d", sockets]
        self.pgbench = [str(psql.with_name("pgbench")), "--no-vacuum", sockets]
        self.vault = Vault(load_secret_key(settings))

    def run_psql(self, *arguments: str) -> str:
        return subprocess.run([*self.psql, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def postgres_processor_sec(self) -> float:
        """Processor time of the scratch PostgreSQL so far."""
        servers = [child for child in psutil.Process().children() if child.name() == "postgres"]
        return sum(map(processor_sec, servers))

    def settle(self) -> None:
        """Vacuum, checkpoint and wait for autovacuum: after a bulk load they would slow down what is measured."""
        self.run_psql("-c", "vacuum analyze", "-c", "checkpoint")
        workers = "select count(*) from pg_stat_activity where backend_type = 'autovacuum worker'"
        for _ in range(_SETTLE_SECONDS):
            if self.run_psql("-At", "-c", workers).strip() == "0":
                return
            time.sleep(1)


def processor_sec(process: psutil.Process) -> float:
    """Processor time of a process and its descendants, also of those that have ended."""
    times = [member.cpu_times() for member in (process, *process.children(recursive=True))]
    return sum(t.user + t.system + t.children_user + t.children_system for t in times)


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
