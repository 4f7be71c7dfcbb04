"""Telemetry as people read it: of a machine that has just been heard."""

from datetime import timedelta

from hashinsight.kit.db.context import job_context
from hashinsight.telemetry.service import rollups
from tests.isolation.requests import Ask, example, plain
from tests.isolation.world import EDGE, World, bearer

_LIVE = "/api/v1/telemetry/live"
_HISTORY = "/api/v1/telemetry/history"

plain(f"GET {_LIVE}")
plain(f"GET {_LIVE}", right_now="true")
plain(f"GET {_LIVE}", format="csv")


async def _heard(world: World, mark: str) -> str:
    """A marked machine with a marked word in its telemetry, in every layer that is rolled up by now."""
    miner = await world.miner(mark)
    _, token = await world.collector(mark)
    now = world.people.clock()
    samples = [
        {"miner_id": miner, "ts": (now - timedelta(seconds=ago)).isoformat(), "error_message": f"{mark}-said"}
        for ago in (900, 10)
    ]
    await world.make(f"{EDGE}/telemetry/batch", samples, bearer(token))
    async with world.database.transaction(job_context()) as session:
        await rollups.roll_up_live(session, now=now)
        await rollups.roll_up_five_minutes(session, now=now)
    return miner


def _hours(world: World, hours: int = 2) -> dict[str, str]:
    now = world.people.clock()
    return {"start": (now - timedelta(hours=hours)).isoformat(), "end": now.isoformat()}


@example(f"GET {_LIVE}")
async def live_of_a_site(world: World, mark: str) -> Ask:
    await _heard(world, mark)
    return Ask(query={"site_id": world.site})


@example(f"GET {_LIVE}")
async def live_of_a_machine(world: World, mark: str) -> Ask:
    return Ask(query={"miner_id": await _heard(world, mark), "right_now": "true"})


@example(f"GET {_LIVE}")
async def live_of_a_machine_at_its_site(world: World, mark: str) -> Ask:
    return Ask(query={"site_id": world.site, "miner_id": await _heard(world, mark), "format": "csv"})


@example(f"GET {_HISTORY}")
async def history_of_a_site(world: World, mark: str) -> Ask:
    await _heard(world, mark)
    return Ask(query={"site_id": world.site, "limit": "1000", **_hours(world)})


@example(f"GET {_HISTORY}")
async def samples_of_a_machine(world: World, mark: str) -> Ask:
    miner = await _heard(world, mark)
    return Ask(query={"site_id": world.site, "miner_id": miner, "resolution": "raw", **_hours(world)})


@example(f"GET {_HISTORY}")
async def file_of_a_site(world: World, mark: str) -> Ask:
    await _heard(world, mark)
    return Ask(query={"site_id": world.site, "resolution": "raw", "format": "csv", **_hours(world)})


_CELLS, _TREND, _SITES = (f"/api/v1/telemetry/{name}" for name in ("cells", "trend", "sites"))

plain(f"GET {_SITES}")


@example(f"GET {_CELLS}")
async def cells_of_a_site(world: World, mark: str) -> Ask:
    await _heard(world, mark)
    return Ask(query={"site_id": world.site})


@example(f"GET {_CELLS}")
async def cells_of_a_moment(world: World, mark: str) -> Ask:
    await _heard(world, mark)
    return Ask(query={"site_id": world.site, "at": (world.people.clock() - timedelta(seconds=900)).isoformat()})


@example(f"GET {_TREND}")
async def trend_of_a_site(world: World, mark: str) -> Ask:
    await _heard(world, mark)
    return Ask(query={"site_id": world.site})


@example(f"GET {_TREND}")
async def trend_of_every_site(world: World, mark: str) -> Ask:
    await _heard(world, mark)
    return Ask()
