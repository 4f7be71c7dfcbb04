"""Access to PostgreSQL: roles, context, transactions, bulk writes, Arrow reads."""
