"""`hashinsight migrate`: on your own server, or on the embedded one, which is started for it if it is not running."""

import importlib
import pkgutil

import typer
from sqlalchemy import MetaData

import hashinsight
from hashinsight.kit.connections import admin_address
from hashinsight.kit.db.metadata import metadata
from hashinsight.kit.db.server import reach
from hashinsight.kit.embedded.servers import servers_for_command
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.process import run
from hashinsight.kit.settings import Settings, load_settings


def migrate(draft: str | None) -> None:
    settings = load_settings()
    configure_logs(settings, "migrate")
    run(_migrate(settings, draft))


async def upgrade_schema(settings: Settings) -> str:
    """Migrate, and return the revision of the database."""
    from hashinsight.migrations import head_revision, upgrade

    address, login = admin_address(settings)
    await reach(address)
    await upgrade(address, login=login)
    return head_revision()


async def _migrate(settings: Settings, draft: str | None) -> None:
    async with servers_for_command(settings, may_begin=True):
        typer.echo(f"database schema at revision {await upgrade_schema(settings)}")
        if draft is not None:
            from hashinsight.migrations.runner import draft as write_draft

            await write_draft(admin_address(settings)[0], all_tables(), draft)


def all_tables() -> MetaData:
    """Every table of every domain: importing the `models` modules fills the registry."""
    for module in pkgutil.walk_packages(hashinsight.__path__, "hashinsight."):
        if module.name.rsplit(".", 1)[-1] == "models":
            importlib.import_module(module.name)
    return metadata
