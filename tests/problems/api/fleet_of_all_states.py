"""A fleet with machines in every state, after cycles enough to know what is wrong."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx

from hashinsight.inventory.service.expected_states import expect
from hashinsight.kit.db.context import job_context
from hashinsight.problems.service.cycle import run_cycle
from tests.people import People
from tests.telemetry.fleet import Fleet, sample
from tests.telemetry.site_with_collector import SiteWithCollector

SITES = "/api/v1/telemetry/sites"
RATED = 104.0
FINE: dict[str, Any] = {"hashrate_ths": RATED, "power_w": 3050.0, "mode": "normal"}
ECO = FINE | {"hashrate_ths": 73.0, "power_w": 1900.0, "mode": "eco"}
STANDS = FINE | {"hashrate_ths": 0.0, "power_w": 20.0}
FLEET: dict[str, dict[str, Any]] = {
    **{f"fine-{no}": FINE for no in range(8)},
    **{f"eco-{no}": ECO for no in range(6)},
    **{f"stopped-{no}": STANDS for no in range(3)},
    "silent-on-watts": {name: value for name, value in FINE.items() if name != "power_w"},
    "dark": {"online": False},
    "hushed-dark": {"online": False},  # suppressed: nothing opens on it
    "serviced": STANDS,  # suppressed for maintenance
    "serviced-dark": {"online": False},
    "over": FINE | {"hashrate_ths": 112.0},
    "broken": STANDS,
    "half": FINE | {"hashrate_ths": 52.0, "power_w": 1700.0, "boards_healthy": 1, "boards_total": 2},
}


async def make_fleet(api: httpx.AsyncClient, people: People, superuser_url: str) -> Fleet:
    """`FLEET`, one that was never heard of and a site of those, after cycles enough to know what is wrong."""
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    made = Fleet(place)
    zones = {name: "B" if name.startswith(("eco", "dark")) else "A" for name in (*FLEET, "never-heard")}
    await made.load(*(f"{name},S19j Pro,{zone}," for name, zone in zones.items()))
    stopped = [no for (no,) in place.rows("select miner_no from miners where miner_id like 'stopped%'")]
    async with made.database.transaction(job_context()) as session:
        await expect(session, stopped, "stopped", cause="command 1", now=made.now - timedelta(minutes=1))
    for name, maintenance in (("hushed-dark", False), ("serviced", True), ("serviced-dark", True)):
        body = {"reason": "a test", "maintenance": maintenance}
        answer = await api.post(f"/api/v1/miners/{name}/suppress", json=body, headers=place.owner)
        assert answer.status_code == 200, answer.text
    await add_site_never_seen(api, place.owner)
    for cycle in range(5):
        await pass_cycle(made, FLEET, warmth=cycle)
    return made


async def add_site_never_seen(api: httpx.AsyncClient, headers: Mapping[str, str]) -> None:
    site = {"code": "new-1", "name": "New"}
    assert (await api.post("/api/admin/v1/sites", json=site, headers=dict(headers))).status_code == 201
    rows = "miner_id,model,zone,expected_ths\nn1,S19j Pro,A,\nn2,S19j Pro,A,"
    path = "/api/admin/v1/miners/import"
    answer = await api.post(path, params={"site_id": "new-1"}, content=rows, headers=dict(headers))
    assert answer.json().get("refused") == 0, answer.text


async def site_of(fleet: Fleet, headers: Mapping[str, str] | None = None, **query: Any) -> dict[str, Any]:
    sites = (await fleet.ok(SITES, headers, **query))["sites"]
    outcome: dict[str, Any] = next(site for site in sites if site["code"] == "tx-1")
    return outcome


async def live_of(fleet: Fleet) -> dict[str, dict[str, Any]]:
    return await fleet.live(site_id="tx-1")


async def pass_time(fleet: Fleet, machines: Mapping[str, dict[str, Any]], *, warmth: float) -> None:
    """Five minutes of samples."""
    await fleet.pass_time(timedelta(minutes=5))
    for seconds in (-270, -210, -150, -90, -30):
        warm = {"temp_avg": 60.0 + warmth}  # values that never change are a problem themselves
        await fleet.send(*(sample(name, fleet.at(seconds), **text | warm) for name, text in machines.items()))
    await fleet.roll()


async def scan(fleet: Fleet) -> None:
    async with fleet.database.transaction(job_context()) as session:
        assert await run_cycle(fleet.database, session, fleet.site.site_id, period=fleet.now, now=fleet.now)


async def pass_cycle(fleet: Fleet, machines: Mapping[str, dict[str, Any]], *, warmth: float) -> None:
    await pass_time(fleet, machines, warmth=warmth)
    await scan(fleet)
