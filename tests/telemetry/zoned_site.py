"""A site of two halls, each with its collector, and a collector for the whole site."""

from datetime import timedelta
from typing import Any

from tests.telemetry.fleet import Fleet
from tests.telemetry.site_with_collector import SiteWithCollector

EDGE = "/api/edge/v1"
ADMIN = "/api/admin/v1"


class ZonedSite:
    """The halls a and b, each with its collector, and one for the whole site."""

    def __init__(self, site: SiteWithCollector, fleet: Fleet) -> None:
        self.site, self.fleet = site, fleet
        self.whole = site.collector
        self.a: dict[str, str] = {}
        self.b: dict[str, str] = {}

    async def open(self) -> None:
        content = "miner_id,zone,model\na1,hall-a,S21\nb1,hall-b,S21\nn1,,S21\n"
        url = f"{ADMIN}/miners/import?site_id=tx-1"
        answer = await self.site.api.post(url, content=content, headers=self.site.owner)
        assert answer.is_success, answer.text
        self.a = await self.site.add_collector("a", "tx-1", zone_id="hall-a")
        self.b = await self.site.add_collector("b", "tx-1", zone_id="hall-b")

    async def send(self, token: dict[str, str], *miner_ids: str, seconds: float = 0, **fields: Any) -> dict[str, str]:
        """The code of each refused sample, by its machine."""
        samples = [{"miner_id": miner_id, "ts": self.fleet.at(seconds), **fields} for miner_id in miner_ids]
        answer = await self.site.api.post(f"{EDGE}/telemetry/batch", json=samples, headers=token)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert body["accepted"] + body["rejected"] + body["duplicates"] == len(miner_ids)
        return {miner_ids[error["index"]]: error["error_code"] for error in body["errors"]}

    async def later(self, **time: float) -> None:
        """What came is rolled up, and what each process remembers has run out."""
        await self.fleet.roll()
        await self.fleet.pass_time(timedelta(**time))
        self.site.api.app.state.store.machines.cache.forget(self.site.site_id)  # type: ignore[attr-defined]

    async def act(self, method: str, path: str, **fields: Any) -> Any:
        """Of the owner."""
        answer = await self.site.api.request(method, f"{ADMIN}{path}", json=fields or None, headers=self.site.owner)
        assert answer.is_success, answer.text
        return answer.json()

    async def collector_id(self, name: str) -> str:
        answer = await self.act("GET", "/collectors")
        ids: list[str] = [collector["id"] for collector in answer["collectors"] if collector["name"] == name]
        return ids[0]

    async def events(self, kind: str) -> list[dict[str, Any]]:
        collector_events: list[dict[str, Any]] = (await self.act("GET", f"/collector-events?kind={kind}"))["events"]
        return collector_events

    async def settle(self) -> None:
        await self.site.api.app.state.store.reports.settle()  # type: ignore[attr-defined] # the fixture's
        await self.site.api.app.state.right_now.settle()  # type: ignore[attr-defined]

    def zone_of(self, miner_id: str) -> str | None:
        query = f"select z.code from miners m left join zones z on z.id = m.zone_id where miner_id = '{miner_id}'"
        ((code,),) = self.site.rows(query)
        zone_code: str | None = code
        return zone_code
