"""What the registry knows of every problem of a site, read as columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from psycopg import sql

from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.problems.events import ARRAYS, KINDS, Events, keys_of
from hashinsight.problems.frame import Ints


@dataclass(frozen=True)
class Remembered:
    """Events as a cycle takes them, with what names and guards each row; all in one order."""

    events: Events
    problem_id: pl.Series
    version: Ints


async def read_pulse(database: Database, context: Context, site_id: int, *, next_no: int) -> Remembered:
    columns = sql.SQL(", ").join(map(sql.Identifier, ARRAYS))
    query = sql.SQL("select problem_id::text as problem_id, version, {} from problem_pulse where site_id = {}").format(
        columns, sql.Literal(site_id)
    )
    found = await database.frame(context, query, on_main=True)
    order = np.argsort(keys_of(_column(found, "subject"), _column(found, "issue")), kind="stable")
    arrays: dict[str, Any] = {name: _column(found, name)[order] for name in ARRAYS}
    return Remembered(
        Events(**arrays, next_no=next_no),
        found["problem_id"].cast(pl.String).gather(order),
        found["version"].to_numpy()[order].astype(np.int64),
    )


def _column(found: pl.DataFrame, name: str) -> NDArray[Any]:
    return found[name].to_numpy().astype(KINDS[name])
