"""What collectors call, naming their site and without."""

from hashinsight.wire.times import write_time
from tests.isolation.requests import Ask, example
from tests.isolation.world import ADMIN, EDGE, LEGACY, World, bearer


@example(f"POST {EDGE}/register")
async def register(world: World, mark: str) -> Ask:
    _, code = await world.collector(mark, "enrolment_code")
    return Ask(body={"enrolment_code": code}, headers={})


@example(f"POST {EDGE}/heartbeat")
async def beat(world: World, mark: str) -> Ask:
    _, token = await world.collector(mark)
    return Ask(body={"version": f"{mark}-version"}, headers=bearer(token))


@example(f"POST {EDGE}/heartbeat")
async def beat_of_a_site(world: World, mark: str) -> Ask:
    _, token = await world.collector(mark)
    return Ask(body={}, more={"X-Site-Id": world.site}, headers=bearer(token))


@example(f"POST {EDGE}/events")
async def events(world: World, mark: str) -> Ask:
    _, token = await world.collector(mark)
    reported = {"kind": "spoken", "title": "spoken", "miner_id": await world.miner(mark)}
    return Ask(body={"events": [reported]}, more={"X-Site-Id": world.site}, headers=bearer(token), by_words=True)


@example(f"GET {EDGE}/config")
async def config(world: World, mark: str) -> Ask:
    collector_id, token = await world.collector(mark)
    config_id = await world.config_for(mark, collector_id)
    await world.make(f"{ADMIN}/collector-configs/{config_id}/activate", None)
    return Ask(headers=bearer(token))


@example(f"GET {EDGE}/config")
async def config_of_a_site(world: World, mark: str) -> Ask:
    ask = await config(world, mark)
    return Ask(query={"site_id": world.site}, headers=ask.headers)


@example(f"POST {EDGE}/config/applied")
async def applied(world: World, mark: str) -> Ask:
    collector_id, token = await world.collector(mark)
    await world.config_for(mark, collector_id)
    return Ask(body={"version": f"{mark}-version"}, headers=bearer(token), by_words=True)


@example(f"POST {EDGE}/telemetry/batch")
@example(f"POST {LEGACY}/upload")
async def upload(world: World, mark: str) -> Ask:
    _, token = await world.collector(mark)
    sample = {"miner_id": await world.miner(mark), "ts": write_time(world.people.clock()), "hashrate_ths": 100}
    return Ask(body=[sample], more={"X-Site-Id": world.site}, headers=bearer(token), by_words=True)


@example(f"POST {EDGE}/telemetry/batch")
async def upload_an_envelope(world: World, mark: str) -> Ask:
    """Said inside: the token's site decides, and this one is not another's."""
    _, token = await world.collector(mark)
    sample = {"miner_id": await world.miner(mark), "ts": write_time(world.people.clock())}
    body = {"site_id": world.site, "zone_id": f"{mark}-zonecode", "records": [sample]}
    return Ask(body=body, headers=bearer(token), by_words=True)
