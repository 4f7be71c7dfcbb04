"""Alembic's entry: runs migrations on the given connection, each in its own transaction."""

from alembic import context

from hashinsight.migrations.runner import own_tables_only

connection = context.config.attributes["connection"]
ours = own_tables_only(connection)
connection.rollback()  # reading the revision began a transaction; each migration begins and commits its own
context.configure(
    connection=connection,
    target_metadata=context.config.attributes.get("metadata"),
    transaction_per_migration=True,
    compare_type=True,
    compare_server_default=True,
    include_object=ours,
)
with context.begin_transaction():
    context.run_migrations()
