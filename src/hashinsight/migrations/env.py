"""Alembic's entry: runs the migrations on the connection that it is handed, each in its own transaction."""

from alembic import context

from hashinsight.migrations.runner import own_tables_only

connection = context.config.attributes["connection"]
ours = own_tables_only(connection)
connection.rollback()  # that look began a transaction; each migration begins and commits its own
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
