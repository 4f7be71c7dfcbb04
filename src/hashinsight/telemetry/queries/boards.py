"""What the boards of each machine hash by its newest sample, where a sample lists them."""

import asyncio

import polars as pl
from psycopg import sql

from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database

# only numbers in TH/s: what a board calls otherwise may be in another unit
_BOARDS = """
select miner_no, jsonb_path_query_array(boards, '$[*].hashrate_ths ? (@.type() == "number")')::text as board_ths
from telemetry_live where site_id = {} and jsonb_typeof(boards) = 'array'
"""


async def boards_frame(database: Database, context: Context, site_id: int) -> pl.DataFrame:
    """`miner_no, board_ths`: a list a machine."""
    found = await database.frame(context, sql.SQL(_BOARDS).format(sql.Literal(site_id)))
    lists = await asyncio.to_thread(_lists, found["board_ths"])
    return pl.DataFrame({"miner_no": found["miner_no"], "board_ths": lists})


def _lists(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.String).str.json_decode(pl.List(pl.Float64))
