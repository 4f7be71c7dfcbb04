"""Parameters that are in PostgreSQL's binary form already; their type is what the statement makes of them."""

from psycopg.adapt import Dumper
from psycopg.pq import Format

from hashinsight.kit.db.binary import Raw


class RawDumper(Dumper):
    format = Format.BINARY
    oid = 0

    def dump(self, obj: Raw) -> bytes:
        return obj
