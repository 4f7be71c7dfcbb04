"""A site with a collector that sends telemetry over HTTP, and what the database then holds."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import psycopg

from hashinsight.telemetry.service.registration import RegistrationLimits
from tests.people import People


class SiteWithCollector:
    def __init__(self, api: httpx.AsyncClient, people: People, superuser_url: str) -> None:
        self.api = api
        self.people = people
        self.owner: dict[str, str] = {}
        self.collector: dict[str, str] = {}
        self.site_id = 0
        self._url = superuser_url
        self.now = datetime.now(UTC).replace(microsecond=0)

    async def open(self, code: str = "tx-1", tenant: str = "a") -> None:
        self.owner = await self.people.headers("Owner", tenant)
        made = await self.api.post("/api/admin/v1/sites", json={"code": code, "name": code}, headers=self.owner)
        self.site_id = made.json()["id"]
        self.collector = await self.add_collector("north", code)

    async def add_collector(self, name: str, site: str, **more: Any) -> dict[str, str]:
        body = {"site_id": site, "name": name, **more}
        made = await self.api.post("/api/admin/v1/collectors", json=body, headers=self.owner)
        assert made.status_code == 201, made.text
        return {"X-Collector-Key": made.json()["token"]}

    def may_register(self, machines: int) -> None:
        """As the settings would set it: so many in one call, and in a day."""
        lookup = self.api.app.state.store.machines  # type: ignore[attr-defined] # the fixture's
        lookup.limits = RegistrationLimits(per_call=machines, per_day=machines, first_day=0)

    def at(self, seconds: float) -> str:
        return (self.now + timedelta(seconds=seconds)).isoformat()

    async def send(self, samples: Any, *, zipped: bool = False, **headers: str) -> httpx.Response:
        body = json.dumps(samples).encode()
        content = gzip.compress(body) if zipped else body
        return await self.api.post(
            "/api/edge/v1/telemetry/batch", content=content, headers={**self.collector, **headers}
        )

    async def post(
        self,
        samples: Any,
        *,
        path: str = "/api/edge/v1/telemetry/batch",
        zipped: bool = False,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        """Samples, or the bytes of a body as they are."""
        body = samples if isinstance(samples, bytes) else json.dumps(samples).encode()
        content = gzip.compress(body) if zipped else body
        return await self.api.post(path, content=content, headers={**self.collector, **(headers or {})})

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._url) as connection:
            return connection.execute(query.encode()).fetchall()
