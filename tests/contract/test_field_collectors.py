"""Field collectors against the whole application over HTTP, with the site codes they were shipped with."""

from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI

from tests.contract.field_collector import FieldCollector
from tests.loopback_server import serve_on_loopback
from tests.people import People

ADMIN = "/api/admin/v1"
V1 = ("/api/edge/v1/telemetry/batch", "/api/edge/v1/commands/poll")


class Site:
    def __init__(self, api: httpx.AsyncClient, owner: dict[str, str], url: str) -> None:
        self.api, self.owner, self.url = api, owner, url

    async def post(self, path: str, **body: Any) -> Any:
        answer = await self.api.post(f"{ADMIN}/{path}", json=body, headers=self.owner)
        assert answer.is_success, answer.text
        return answer.json()

    async def token(self, name: str, **more: Any) -> str:
        created: str = (await self.post("collectors", site_id="SITE-001", name=name, **more))["token"]
        return created

    async def request_command(self, miner_id: str) -> None:
        created = await self.post(
            "commands", site_id="site-001", miner_ids=[miner_id], command_type="set_fan", params={"speed": 60}
        )
        assert created["counts"]["created"] == 1, created


@pytest.fixture
async def site(api: httpx.AsyncClient, people: People) -> AsyncIterator[Site]:
    """The site SITE-001, behind a socket."""
    app = cast("FastAPI", api.app)  # type: ignore[attr-defined] # the fixture hangs it there
    async with serve_on_loopback(app) as url:
        created = Site(api, await people.headers("Owner"), url)
        shown = await created.post("sites", code="SITE-001", name="Site 1")
        assert shown["code"] == "SITE-001", "it keeps its case"
        yield created


@pytest.mark.parametrize("legacy", [False, True], ids=["v1", "legacy"])
@pytest.mark.parametrize("named", ["SITE-001", "site-001", "Site-001"])
async def test_a_collector_configured_with_another_case_of_the_site_code_works(
    site: Site, named: str, *, legacy: bool
) -> None:
    collector = FieldCollector(site.url, await site.token("north"), named)
    upload, poll = ("/api/collector/upload", f"/api/collector/commands/pending/{named}") if legacy else V1
    async with collector.http:
        assert (await collector.upload("A-1", "A-2", path=upload))["accepted"] == 2
        await collector.beat()
        assert await collector.poll(poll) == []
        await site.request_command("A-1")
        (command,) = await collector.poll(poll)
        assert (command["site_id"], command["miner_id"]) == (named, "A-1"), "in the form that the collector sends"
        assert (await collector.ack(command, legacy=legacy))["applied"] is True


async def test_a_collector_that_names_its_site_only_in_the_envelope_gets_that_form_back(site: Site) -> None:
    collector = FieldCollector(site.url, await site.token("north"), "Site-001")
    del collector.http.headers["X-Site-ID"]
    async with collector.http:
        await collector.upload("A-1")
        await site.request_command("A-1")
        answer = await collector.http.get("/api/collector/commands/pending")
        assert [command["site_id"] for command in answer.json()["commands"]] == ["Site-001"]


async def test_a_collector_of_a_zone_gets_the_commands_of_the_machines_that_it_registered(site: Site) -> None:
    await site.post("zones", site_id="SITE-001", code="Hall-A")
    for n, (named, more) in enumerate([("hall-a", {"zone_id": "HALL-A"}), ("Hall-A", {})]):
        collector = FieldCollector(site.url, await site.token(f"c{n}", **more), "SITE-001", named)
        async with collector.http:
            assert (await collector.upload(f"A-{n}"))["accepted"] == 1
            await site.request_command(f"A-{n}")
            (command,) = await collector.poll()
            assert (command["miner_id"], command["zone_id"]) == (f"A-{n}", named)
            assert (await collector.ack(command))["applied"] is True
