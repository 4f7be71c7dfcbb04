"""`hashinsight migrate`: on the operator's server, on the running embedded one, or on that started for a moment."""

import typer

from hashinsight.kit.connections import admin_address
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
    """Migrate, and say the revision that the database is at now."""
    from hashinsight.migrations import head_revision, upgrade

    address, login = admin_address(settings)
    await reach(address)
    await upgrade(address, login=login)
    return head_revision()


async def _migrate(settings: Settings, draft: str | None) -> None:
    async with servers_for_command(settings, may_begin=True):
        typer.echo(f"the database is at revision {await upgrade_schema(settings)}")
        if draft is not None:
            from hashinsight.cli.tables import all_tables
            from hashinsight.migrations.runner import draft as write_draft

            await write_draft(admin_address(settings)[0], all_tables(), draft)
