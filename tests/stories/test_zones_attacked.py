"""A stolen token of one zone, played out over HTTP: what it forges reaches nobody's machines and nobody's sight."""

import gzip
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI

from hashinsight.inventory.service import refresh_groups
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.service import rollups
from tests.loopback_server import serve_on_loopback
from tests.people import People

ADMIN = "/api/admin/v1"
LIST = "miner_id,model,zone,owner\na1,S19,hall-a,Aurora\na2,S19,hall-a,Aurora\nb1,S21,hall-b,Bo\nb2,S21,hall-b,Bo\n"


class Site:
    """Two halls, the owner over HTTP, and a thief who has the token of hall a."""

    def __init__(self, line: httpx.AsyncClient, app: FastAPI, people: People, database: Database) -> None:
        self.line, self.app, self.people, self.database = line, app, people, database
        self.owner: dict[str, str] = {}
        self.thief: dict[str, str] = {}
        self.rightful: dict[str, str] = {}

    async def open(self) -> None:
        self.owner = await self.people.headers("Owner")
        await self.ok("POST", "/sites", json={"code": "TX1", "name": "Texas"})
        await self.ok("POST", "/miners/import?site_id=tx1", content=LIST)
        for hall in ("a", "b"):
            body = {"site_id": "TX1", "name": hall, "zone_id": f"hall-{hall}"}
            token = (await self.ok("POST", "/collectors", json=body))["token"]
            setattr(self, "thief" if hall == "a" else "rightful", {"X-Collector-Key": token})

    async def ok(self, method: str, path: str, headers: dict[str, str] | None = None, **options: Any) -> Any:
        answer = await self.line.request(method, ADMIN + path, headers=headers or self.owner, **options)
        assert answer.is_success, answer.text
        return answer.json()

    async def edge(self, token: dict[str, str], path: str, body: Any) -> httpx.Response:
        content = gzip.compress(json.dumps(body).encode())
        return await self.line.post(f"/api/{path}", content=content, headers=token)

    async def upload(self, token: dict[str, str], *miner_ids: str, **fields: Any) -> dict[str, Any]:
        at = datetime.now(UTC).isoformat()
        samples = [{"miner_id": miner_id, "ts": at, **fields} for miner_id in miner_ids]
        answer = await self.edge(token, "edge/v1/telemetry/batch", samples)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    async def jobs(self) -> None:
        """What the installation does by itself within five minutes."""
        await self.app.state.store.reports.settle()
        await self.app.state.right_now.settle()
        async with self.database.transaction(job_context()) as session:
            await rollups.roll_up_live(session, now=system_clock())
            await refresh_groups(session, now=system_clock())

    async def seen(self, headers: dict[str, str]) -> set[str]:
        """By the inventory, by telemetry, and right now: one sight."""
        listed = {miner["miner_id"] for miner in (await self.ok("GET", "/miners", headers))["miners"]}
        for query in ("", "?right_now=true"):
            live = (await self.line.get(f"/api/v1/telemetry/live{query}", headers=headers)).json()["miners"]
            assert {miner["miner_id"] for miner in live} == listed
        return listed


@pytest.fixture
async def site(api: httpx.AsyncClient, people: People, database: Database) -> AsyncIterator[Site]:
    app = cast("FastAPI", api.app)  # type: ignore[attr-defined] # the fixture hangs it there
    async with serve_on_loopback(app) as url, httpx.AsyncClient(base_url=url, timeout=60) as line:
        site = Site(line, app, people, database)
        await site.open()
        yield site


async def test_a_zones_stolen_token_reaches_no_other_zone_and_nobodys_sight(site: Site) -> None:
    group = await site.ok("POST", "/groups", json={"name": "S21", "filter": {"model": "S21"}})
    customer = await site.people.headers("Customer", groups=[group["id"]])
    assert await site.seen(customer) == {"b1", "b2"}
    before = {miner_id: await site.ok("GET", f"/miners/{miner_id}") for miner_id in ("b1", "b2")}

    # another hall's machines, by every door that a collector has
    forged = {"model": "S9", "firmware": "forged", "hashrate_ths": 1.0, "serial_number": "X1", "mac_address": "02" * 6}
    answer = await site.upload(site.thief, "b1", "b2", **forged)
    assert (answer["accepted"], {error["error_code"] for error in answer["errors"]}) == (0, {"ZONE_MISMATCH"})
    sample = {"miner_id": "b1", "timestamp": datetime.now(UTC).isoformat()}
    legacy = (await site.edge(site.thief, "collector/upload", [sample])).json()
    assert [error["error_code"] for error in legacy["errors"]] == ["ZONE_MISMATCH"]
    for named in ({"X-Zone-ID": "hall-b"}, {"X-Zone-ID": "HALL-B"}):
        refused = await site.edge(site.thief | named, "edge/v1/telemetry/batch", [])
        assert (refused.status_code, refused.json()["error_code"]) == (403, "ZONE_MISMATCH")
    envelope = {"schema": "telemetry_envelope.v1", "zone_id": "hall-b", "records": []}
    assert (await site.edge(site.thief, "edge/v1/telemetry/batch", envelope)).status_code == 403
    events = {"events": [{"kind": "local_protection", "miner_id": "b1", "severity": "critical"}]}
    stored = await site.line.post("/api/edge/v1/events", json=events, headers=site.thief)
    assert (stored.json()["stored"], stored.json()["rejected"]) == (0, 1)
    order = {"site_id": "TX1", "miner_ids": ["b1"], "command_type": "set_fan", "params": {"speed": 60}}
    await site.ok("POST", "/commands", json=order)
    assert (await site.line.get("/api/edge/v1/commands/poll", headers=site.thief)).json()["commands"] == []
    (command,) = (await site.line.get("/api/edge/v1/commands/poll", headers=site.rightful)).json()["commands"]
    ack = await site.line.post(
        f"/api/edge/v1/commands/{command['command_id']}/ack", json={"status": "succeeded"}, headers=site.thief
    )
    assert (ack.status_code, ack.json()["error_code"]) == (200, "NOT_LEASE_OWNER")

    # its own machines, dressed up as what a customer was given
    dressed = await site.upload(site.thief, "a1", "a2", "a3", model="S21")
    assert dressed["accepted"] == 3
    await site.jobs()
    assert (await site.ok("GET", "/miners/a1"))["miner"]["model"] == "Antminer S21", "it may speak for its own"
    assert await site.seen(customer) == {"b1", "b2"}, "but moves nothing into somebody's sight"
    assert (await site.ok("GET", f"/groups/{group['id']}"))["to_join"] == 3
    assert {miner_id: await site.ok("GET", f"/miners/{miner_id}") for miner_id in ("b1", "b2")} == before

    # and a flood of machines that there are not, by a token whose first day is over
    (of_a,) = (row["id"] for row in (await site.ok("GET", "/collectors"))["collectors"] if row["name"] == "a")
    await site.ok("PATCH", f"/collectors/{of_a}", json={"registration_open_until": None})
    flood = await site.upload(site.thief, *(f"ghost{n}" for n in range(5000)))
    assert (flood["accepted"], flood["rejected"]) == (1000, 4000)
    (event,) = (await site.ok("GET", "/collector-events?kind=registration_limit"))["events"]
    assert (event["severity"], event["details"]["refused"]) == ("warning", 4000)
    zones = {zone["code"]: zone["id"] for zone in (await site.ok("GET", "/zones"))["zones"]}
    assert event["zone_id"] == zones["hall-a"]
    of_b = await site.people.headers("Technician", zones=[zones["hall-b"]])
    assert await site.seen(of_b) == {"b1", "b2"}, "hall b has not noticed"
    assert (await site.upload(site.rightful, "b1", "b2"))["accepted"] == 2
