"""The hottest chip and board of each machine by its newest sample, and its own limits: of who names a sensor."""

import polars as pl
from psycopg import sql

from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.states import Flags

# beside the live columns, not among them: few firmwares name a sensor, and each column costs as machines are many
_SENSORS = """
select miner_no, temp_chip_max_c, temp_board_max_c, temp_limits
from telemetry_live where site_id = {site} and flags & {named} <> 0
"""
_SCHEMA: dict[str, type[pl.DataType]] = {
    "miner_no": pl.Int32,
    "temp_chip_max_c": pl.Float32,
    "temp_board_max_c": pl.Float32,
    "temp_limits": pl.String,
}


async def sensors_frame(database: Database, context: Context, site_id: int) -> pl.DataFrame:
    named = int(Flags.CHIP_SENSOR | Flags.BOARD_SENSOR)
    query = sql.SQL(_SENSORS).format(site=sql.Literal(site_id), named=sql.Literal(named))
    return (await database.frame(context, query)).cast(pl.Schema(_SCHEMA))
