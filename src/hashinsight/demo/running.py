"""The demo: a simulated fleet in real time whose telemetry arrives by HTTP, as any site's does."""

import asyncio
import json
import time
from dataclasses import dataclass

import httpx
import structlog

from hashinsight.demo.settling import may_settle, settle
from hashinsight.demo.telling import batches
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Refusal
from hashinsight.sim.columns import Dressing
from hashinsight.sim.scenario import from_library
from hashinsight.sim.world import World

log = structlog.get_logger(__name__)

_EVERY_SECONDS = 60.0
_SEED = 7


@dataclass(frozen=True)
class _Line:
    """One site's way to the cloud."""

    client: httpx.AsyncClient
    token: str

    async def send(self, body: bytes) -> None:
        headers = {"X-Collector-Key": self.token, "Content-Type": "application/octet-stream"}
        answer = await self.client.post("/api/edge/v1/telemetry/batch", content=body, headers=headers)
        answer.raise_for_status()

    async def beat(self, machines: int) -> None:
        said = {"status": "online", "version": "demo", "miners_total": machines, "miners_online": machines}
        headers = {"X-Collector-Key": self.token, "Content-Type": "application/json"}
        (await self.client.post("/api/edge/v1/heartbeat", content=json.dumps(said), headers=headers)).raise_for_status()


async def run_demo(database: Database, url: str, machines: int, stop: asyncio.Event) -> None:
    async with database.transaction(job_context()) as session:
        if not await may_settle(session):
            raise Refusal("the demo does not join a fleet of your own: set HASHINSIGHT_DEMO_MINERS=0.")
    scenario = from_library("demo").resized(machines)
    world = await asyncio.to_thread(World, scenario, seed=_SEED, start=time.time())
    async with database.transaction(job_context()) as session:
        tokens = await settle(session, world.fleet, now=system_clock())
    async with httpx.AsyncClient(base_url=url, timeout=30, trust_env=False) as client:
        lines = {site: _Line(client, token) for site, token in tokens.items()}
        dressing = Dressing(world)
        log.info("demo_started", machines=world.fleet.n, sites=sorted(lines))
        while not stop.is_set():
            began = time.monotonic()
            await asyncio.to_thread(world.advance, time.time())
            await _tell(lines, await asyncio.to_thread(batches, world, dressing))
            try:
                await asyncio.wait_for(stop.wait(), max(0.0, _EVERY_SECONDS - (time.monotonic() - began)))
            except TimeoutError:
                continue


async def _tell(lines: dict[str, _Line], told: dict[str, list[bytes]]) -> None:
    """A minute that could not be told is lost, as with a collector that keeps no spool; the next one is tried."""
    for site, bodies in told.items():
        try:
            await lines[site].beat(len(bodies))
            for body in bodies:
                await lines[site].send(body)
        except httpx.HTTPError as error:
            log.warning("demo_not_heard", site=site, error=str(error))
