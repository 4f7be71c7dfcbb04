"""Long jobs, run by name from an allow list. RQ carries the id; arguments, progress and result are in PostgreSQL.

A job whose worker dies runs again from the start, so its work must give the same when repeated. What comes out of Redis
is never executed: an id that is not in the table, or whose name is not allowed here, does nothing.
"""
