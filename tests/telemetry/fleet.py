"""A few machines in two zones and a group, with samples that came over HTTP and were rolled up; and who asks."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from fastapi import FastAPI
from pydantic import TypeAdapter

from hashinsight.audit.actions import SYSTEM
from hashinsight.identity.scope import WHOLE_TENANT, Scope, make_scope
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.schemas.live import HistoryAnswer
from hashinsight.telemetry.service import rollups
from tests.telemetry.site_with_collector import SiteWithCollector

LIVE = "/api/v1/telemetry/live"
HISTORY = "/api/v1/telemetry/history"
_HISTORY_MODEL = TypeAdapter(HistoryAnswer)


class Fleet:
    def __init__(self, site: SiteWithCollector) -> None:
        self.site = site
        self.api = site.api
        self.app: FastAPI = site.api.app  # type: ignore[attr-defined] # the fixture's
        self.database: Database = self.app.state.database
        self.set_clock(datetime.now(UTC).replace(microsecond=0))

    def set_clock(self, now: datetime) -> None:
        """People sign in at the same time: a token from later than the application's clock is refused."""
        self.now = now
        self.app.state.clock = self.site.people.clock = lambda: now

    async def pass_time(self, time: timedelta) -> None:
        """The owner signs in again: a session does not last that long."""
        self.set_clock(self.now + time)
        self.site.owner = await self.site.people.headers("Owner")

    def at(self, seconds: float) -> str:
        return (self.now + timedelta(seconds=seconds)).isoformat()

    async def send(self, *samples: Mapping[str, Any]) -> None:
        answer = await self.site.send(list(samples))
        assert answer.json()["accepted"] == len(samples), answer.text

    async def roll(self) -> None:
        steps = (rollups.roll_up_live, rollups.roll_up_five_minutes, rollups.roll_up_hours, rollups.roll_up_days)
        async with self.database.transaction(job_context()) as session:
            for step in steps:
                await step(session, now=self.now)

    async def get(self, path: str, headers: Mapping[str, str] | None = None, **query: Any) -> httpx.Response:
        return await self.api.get(path, params=query, headers=dict(headers or self.site.owner))

    async def ok(self, path: str, headers: Mapping[str, str] | None = None, **query: Any) -> Any:
        answer = await self.get(path, headers, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def live(self, headers: Mapping[str, str] | None = None, **query: Any) -> dict[str, dict[str, Any]]:
        answer = await self.ok(LIVE, headers, **query)
        return {machine["miner_id"]: machine for machine in answer["miners"]}

    async def history(self, headers: Mapping[str, str] | None = None, **query: Any) -> dict[str, list[dict[str, Any]]]:
        """The database writes this answer, so its model is checked here."""
        params = {"site_id": "tx-1", "start": self.at(-7200), "end": self.at(0)} | query
        answer = await self.get(HISTORY, headers, **params)
        assert answer.status_code == 200, answer.text
        _HISTORY_MODEL.validate_json(answer.content, strict=True, extra="forbid")
        return {series["miner_id"]: series["data"] for series in answer.json()["series"]}

    async def load(self, *lines: str) -> None:
        content = "\n".join(["miner_id,model,zone,expected_ths", *lines])
        answer = await self.api.post(
            "/api/admin/v1/miners/import", params={"site_id": "tx-1"}, content=content, headers=self.site.owner
        )
        assert answer.json().get("refused") == 0, answer.text

    async def scope(self) -> Scope:
        return make_scope(await self.site.people.tenant_id("a"), SYSTEM, [WHOLE_TENANT])


def sample(miner_id: str, ts: str, **fields: Any) -> dict[str, Any]:
    return {"miner_id": miner_id, "ts": ts, "status": "online"} | fields
