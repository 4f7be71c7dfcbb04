"""What changed, told as server-sent events by a real server over a real socket."""

import json
import signal
from collections.abc import AsyncIterator

import httpx
import pytest
from redis import Redis

from hashinsight.kit.settings import Settings
from hashinsight.kit.ticks.telling import CHANNEL, Teller
from tests.edge.server import Server
from tests.people import People


@pytest.fixture
async def server(settings: Settings) -> AsyncIterator[Server]:
    url = settings.database_url
    redis = settings.redis_url
    assert url is not None
    assert redis is not None
    made = Server(data_dir=settings.data_dir, database_url=url.get_secret_value(), redis_url=redis.get_secret_value())
    await made.start()
    yield made
    made.stop()


async def test_a_tick_that_was_done_wakes_every_stream_of_those_who_see_its_site(
    server: Server, people: People, redis_url: str
) -> None:
    everybody = await people.headers("Owner")
    async with httpx.AsyncClient(base_url=server.url, timeout=10) as http:
        made = [
            await http.post("/api/admin/v1/sites", json={"code": code, "name": code}, headers=everybody)
            for code in ("tx-1", "tx-2")
        ]
        one, another = (answer.json()["id"] for answer in made)
        nobodys = await people.headers("NOC", sites=[another])
        async with (
            http.stream("GET", "/api/v1/stream", headers=everybody) as wide,
            http.stream("GET", "/api/v1/stream", headers=nobodys) as narrow,
        ):
            heard, other = wide.aiter_lines(), narrow.aiter_lines()
            with Redis.from_url(redis_url) as redis:
                while not redis.pubsub_numsub(CHANNEL)[0][1]:
                    assert (await anext(heard)) is not None
                redis.publish(CHANNEL, "rubbish")
                redis.publish(CHANNEL, json.dumps({"tick": "pulse", "site_id": 0}))
                redis.publish(CHANNEL, json.dumps({"tick": "telemetry_live", "site_id": one}))
            teller = Teller(lambda: Redis.from_url(redis_url))
            await teller.tell("telemetry_5min", 0)
            teller.close()
            told = [await _changed(heard), await _changed(heard)]
            assert told == [{"kind": "telemetry", "site_id": one}, {"kind": "history", "site_id": None}]
            assert await _changed(other) == {"kind": "history", "site_id": None}
            server.stop(signal.SIGTERM)  # waits for the process: an open stream must not hold it up
            assert (await _rest(heard), await _rest(other)) == ([], [])


async def _changed(lines: AsyncIterator[str]) -> object:
    async for line in lines:
        if line == "event: changed":
            return json.loads((await anext(lines)).removeprefix("data: "))
    return None


async def _rest(lines: AsyncIterator[str]) -> list[str]:
    return [line async for line in lines if line]
