"""Where a machine stands among its peers: read off the newest cycle, kept until the next."""

from typing import Any

import httpx
import numpy as np
import pytest

from hashinsight.problems.peer_stats import PeerCache, PeerSnapshot
from tests.people import People
from tests.problems.fleet import readings_of, slower
from tests.problems.stored_site import StoredFleet, StoredSite


def cache_of(api: httpx.AsyncClient) -> PeerCache[PeerSnapshot]:
    rows: PeerCache[PeerSnapshot] = api.app.state.peers  # type: ignore[attr-defined]
    return rows


async def ask(api: httpx.AsyncClient, headers: dict[str, str], machine: int) -> dict[str, Any]:
    answer = await api.get(f"/api/v1/miners/m-{machine:03}/peers", headers=headers)
    assert answer.status_code == 200, answer.text
    readings: dict[str, Any] = answer.json()
    return readings


async def test_the_peer_page_shows_the_comparison_that_the_cycle_made(
    site: StoredSite, api: httpx.AsyncClient, people: People
) -> None:
    fleet = StoredFleet(site, n=40)
    await fleet.cycle(times=9)
    await fleet.cycle(slower(3, 0.3), times=2)
    (event,) = site.events("issue_code = 'fleet_outlier'")
    shown = await ask(api, await people.headers("NOC"), 3)
    assert shown["assessed_at"] == event["updated_at"].isoformat().replace("+00:00", "Z")
    own, text = shown["peers"]["hashrate_ratio"], event["peer_metrics_json"]["hashrate_ratio"]
    spread = own.pop("spread")
    assert (own["level"], own["value"]) == (text["level"], pytest.approx(text["value"], abs=1e-5))
    assert own["robust_z"] < -3
    assert own["median"] == pytest.approx(text["median"], abs=1e-3)
    assert sum(spread["counts"]) == own["count"]
    assert len(spread["edges"]) == len(spread["counts"]) + 1
    assert spread["edges"][0] <= own["value"] < spread["edges"][1]  # the worst of all is the first bar
    assert np.argmax(spread["counts"]) > len(spread["counts"]) / 2


async def test_peer_statistics_are_shared_at_the_site_until_the_next_cycle(
    site: StoredSite, api: httpx.AsyncClient, people: People
) -> None:
    fleet = StoredFleet(site, n=40)
    await fleet.cycle(readings_of(5, status=0.0), times=2)
    first, second = await people.headers("NOC"), await people.headers("Technician", sites=[site.site_id])
    peers = await ask(api, first, 1)
    dark = await ask(api, second, 5)
    assert dark["peers"] == {"hashrate_ratio": None, "temp_max": None, "efficiency": None}
    assert (cache_of(api).hits, cache_of(api).misses) == (1, 1)
    await fleet.cycle()
    later = await ask(api, second, 1)
    assert (cache_of(api).hits, cache_of(api).misses) == (1, 2)
    assert later["assessed_at"] > peers["assessed_at"]
    assert await ask(api, first, 1) == later


async def test_just_started_and_stopped_machines_are_no_peers(
    site: StoredSite, api: httpx.AsyncClient, people: People
) -> None:
    fleet = StoredFleet(site, n=50)
    headers = await people.headers("NOC")
    site.rows(
        "insert into expected_states (id, tenant_id, site_id, miner_no, state, from_at, cause, created_at)"
        " select uuidv7(), %s, %s, n, 'maintenance', to_timestamp(%s), 'a test', now() from unnest(%s::int[]) n"
        " returning 1",
        site.tenant_id, site.site_id, fleet.now, site.numbers[:5],
    )  # fmt: skip

    def begin(readings: dict[str, Any]) -> None:
        for machine in range(5, 12):
            readings_of(machine, uptime_sec=900.0)(readings)

    await fleet.cycle(begin)
    assert (await ask(api, headers, 20))["peers"]["temp_max"]["count"] == 50 - 5 - 7


async def test_before_the_first_cycle_and_for_a_stranger_there_is_nothing(
    site: StoredSite, api: httpx.AsyncClient, people: People
) -> None:
    StoredFleet(site, n=3)
    shown = await ask(api, await people.headers("NOC"), 1)
    assert (shown["assessed_at"], shown["peers"]) == (None, None)
    refused = await api.get("/api/v1/miners/m-001/peers", headers=await people.headers("Owner", "b"))
    assert refused.status_code == 404
    assert (await api.get("/api/v1/miners/m-001/peers")).status_code == 401
