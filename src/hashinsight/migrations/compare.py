"""What the drift check looks at: our own tables, not their partitions, which are made while running."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, text


def is_ours(connection: Connection) -> Callable[[Any, str | None, str, bool, Any], bool]:
    partitions = set(connection.execute(text("select relname from pg_class where relispartition")).scalars())

    def judge(_thing: Any, name: str | None, kind: str, _reflected: bool, _other: Any) -> bool:  # noqa: FBT001
        return not (kind == "table" and (name in partitions or name == "alembic_version"))

    return judge
