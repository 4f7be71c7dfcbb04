"""The live view on its way down: as the migrations before made it."""

import psycopg
from alembic import command
from alembic.script import ScriptDirectory

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.migrations.runner import config, run_as_owner

CHANGED = "0027"
FIRST_MADE = "0021"  # before the migration that makes the whole view anew


async def test_downgrading_restores_the_previous_live_view(admin_of_test: DatabaseAddress, superuser_url: str) -> None:
    def definition() -> str:
        with psycopg.connect(superuser_url) as connection:
            (row,) = connection.execute("select pg_get_viewdef('miner_telemetry_live'::regclass)").fetchall()
        return str(row[0])

    before = ScriptDirectory.from_config(config()).get_revision(CHANGED).down_revision
    assert isinstance(before, str)
    newest = definition()
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), before))
    restored = definition()
    assert restored != newest
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), FIRST_MADE))
    await run_as_owner(admin_of_test, lambda connection: command.upgrade(config(connection), before))
    assert definition() == restored
