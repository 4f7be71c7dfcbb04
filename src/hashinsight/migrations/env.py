"""Alembic's entry: runs the migrations on the connection that it is handed, each in its own transaction."""

from alembic import context

from hashinsight.migrations.compare import is_ours

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=context.config.attributes.get("metadata"),
    transaction_per_migration=True,
    compare_type=True,
    compare_server_default=True,
    include_object=is_ours(connection),
)
connection.rollback()  # the look at the partitions began a transaction; each migration begins its own
with context.begin_transaction():
    context.run_migrations()
