"""Long jobs, run by name from an allow list. RQ carries the id; arguments, progress and result are in PostgreSQL.

A job whose worker dies is run again from the start, so its work must be repeatable. Nothing from Redis is executed: an
id that is not in the table, or a name that is not allowed here, does nothing.
"""
