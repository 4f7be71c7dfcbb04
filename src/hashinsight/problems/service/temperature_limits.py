"""Temperature limits of a site's machines, as the cycle resolves them: so that a map colours by the same limits."""

import asyncio
from dataclasses import asdict
from datetime import datetime
from typing import Any

import polars as pl

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import places
from hashinsight.inventory.service.settings import read_settings
from hashinsight.kit.db.database import Database
from hashinsight.problems.config import Config, resolve
from hashinsight.problems.live_frames import LIMITS_BY, limits_frame
from hashinsight.problems.settings import config_of
from hashinsight.telemetry.queries import live_frame, sensors_frame


async def list_temperature_limits(
    database: Database, scope: Scope, site: str | int, *, now: datetime
) -> dict[str, Any]:
    """`limits` are the few distinct ones, of both kinds of sensor; `columns.limit` says which each machine has."""
    context = scope.context(read_only=True)
    async with database.reading(context) as session:
        place = await places.get_site(session, scope, site)
        settings = (await read_settings(session, scope.tenant_id)).settings
    live, sensors = await asyncio.gather(
        live_frame(database, scope, as_of=now, site_id=place.id, only=LIMITS_BY),
        sensors_frame(database, context, place.id),
    )
    config = config_of(settings, site_id=place.id, site_code=place.code, interval_sec=Config().interval_sec)
    return {"site_id": place.id, **await asyncio.to_thread(_resolved, live, sensors, config)}


def _resolved(live: pl.DataFrame, sensors: pl.DataFrame, config: Config) -> dict[str, Any]:
    frame = limits_frame(live, sensors)
    of_frame = resolve(config, frame)
    distinct = list(dict.fromkeys(of_frame.heat))
    number_of_kind = [distinct.index(heat) for heat in of_frame.heat]
    return {
        "limits": [asdict(heat.main) | {"other": asdict(heat.other)} for heat in distinct],
        "columns": {
            "miner_no": frame.miner_no.tolist(),
            "limit": [number_of_kind[kind] for kind in of_frame.kind.tolist()],
        },
    }
