"""The fleet in the metrics: by site, as the pages say it, under names that are ours or promised."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import cast

import httpx
import psycopg
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families
from psycopg import sql
from pydantic import SecretStr

from hashinsight.app.fleet_metrics import FleetFigures
from hashinsight.inventory.service.expected_states import expect
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.problems.service.cycle import run_cycle
from tests.commands.edge_site import EdgeSite, make_edge_site
from tests.people import People
from tests.telemetry.fleet import Fleet
from tests.telemetry.site_with_collector import SiteWithCollector

TOKEN = "scrape-the-whole-fleet"
PROMISED = {"commands_dispatched", "commands_failed", "rule_evals", "telemetry_ingest_lag_seconds"}


@pytest.fixture
async def fleet(api: httpx.AsyncClient, people: People, superuser_url: str) -> Fleet:
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    return Fleet(place)


@pytest.fixture
async def edge_site(api: httpx.AsyncClient, people: People, database: Database, superuser_url: str) -> EdgeSite:
    return await make_edge_site(api, people, database, superuser_url)


@pytest.fixture(autouse=True)
def _with_token(api: httpx.AsyncClient) -> None:
    set_token(api, SecretStr(TOKEN))


def set_token(api: httpx.AsyncClient, token: SecretStr | None) -> None:
    state = cast("FastAPI", api.app).state  # type: ignore[attr-defined] # hung there
    state.settings = state.settings.model_copy(update={"metrics_token": token})


async def scraped(api: httpx.AsyncClient) -> httpx.Response:
    answer = await api.get("http://127.0.0.1/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200, answer.text
    return answer


async def series(api: httpx.AsyncClient) -> dict[str, dict[tuple[str, ...], float]]:
    """Values by name and labels other than the site, which is the only one."""
    answer = await scraped(api)
    samples: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            labels = tuple(value for name, value in sample.labels.items() if name != "site")
            samples.setdefault(sample.name, {})[labels] = sample.value
    return samples


async def test_fleet_metrics_by_site_equal_the_sites_page(fleet: Fleet) -> None:
    await fleet.load(*(f"{name},S19,A," for name in ("m1", "m2", "silent", "stopped", "broken")))
    common = {"hashrate_ths": 100.0, "expected_ths": 110.0, "power_w": 3000.0}
    await fleet.send(*({"miner_id": name, "ts": fleet.at(-40), **common} for name in ("m1", "m2")))
    stands = common | {"hashrate_ths": 0.0, "power_w": 20.0}
    await fleet.send(*({"miner_id": name, "ts": fleet.at(-40), **stands} for name in ("stopped", "broken")))
    await fleet.roll()
    fleet.site.rows("update telemetry_live set overall_health = 'ok' returning 1")
    ((number,),) = fleet.site.rows("select miner_no from miners where miner_id = 'stopped'")
    async with fleet.database.transaction(job_context()) as session:
        await expect(session, [number], "stopped", cause="command 1", now=fleet.now - timedelta(minutes=9))
    metrics = await series(fleet.api)
    (page,) = (await fleet.ok("/api/v1/telemetry/sites"))["sites"]
    assert metrics["hashinsight_machines"] == {(state,): machines for state, machines in page["conditions"].items()}
    assert sum(metrics["hashinsight_machines"].values()) == page["machines"] == 5
    some = {state: machines for (state,), machines in metrics["hashinsight_machines"].items() if machines}
    assert some == {"fine": 2, "unknown": 1, "stopped": 1, "down": 1}
    assert metrics["hashinsight_hashrate_ths"] == {(): page["hashrate_ths"]} == {(): 200.0}
    assert metrics["hashinsight_expected_hashrate_ths"] == {(): page["expected_ths"]}
    assert metrics["hashinsight_stopped_hashrate_ths"] == {(): page["stopped_ths"]} == {(): 110.0}
    assert metrics["hashinsight_lost_hashrate_ths"] == {(): page["lost_ths"]} == {(): 110.0 + 20.0}
    assert metrics["hashinsight_power_watts"] == {(): page["power_w"]} == {(): 6040.0}
    assert metrics["hashinsight_open_problems"] == {(severity,): 0 for severity in ("P0", "P1", "P2", "P3")}
    await fleet.send({"miner_id": "m1", "ts": fleet.at(-20), **common, "hashrate_ths": 50.0})
    await fleet.roll()
    assert (await series(fleet.api))["hashinsight_hashrate_ths"] == {(): 200.0}  # read once a minute
    fleet.set_clock(fleet.now + timedelta(seconds=61))
    assert (await series(fleet.api))["hashinsight_hashrate_ths"] == {(): 175.0}


@contextmanager
def locked(url: str, table: str) -> Iterator[None]:
    """Whoever reads the table waits."""
    with psycopg.connect(url) as connection:
        connection.execute(sql.SQL("lock table {} in access exclusive mode").format(sql.Identifier(table)))
        yield


async def test_slow_figures_are_in_the_next_scrape(fleet: Fleet, superuser_url: str) -> None:
    """Scraped once a minute, every read too slow for the scrape that began it."""
    await fleet.load("m1,S19,A,")
    await fleet.send({"miner_id": "m1", "ts": fleet.at(-40), "hashrate_ths": 100.0})
    await fleet.roll()

    async def scraped_while_slow() -> dict[str, dict[tuple[str, ...], float]]:
        with locked(superuser_url, "telemetry_live"):
            metrics = await series(fleet.api)
        await fleet.app.state.checks["fleet"]  # it goes on by itself
        return metrics

    first = await scraped_while_slow()
    assert "hashinsight_database_up" in first
    assert "hashinsight_machines" not in first
    fleet.set_clock(fleet.now + timedelta(seconds=60))
    second = await scraped_while_slow()
    assert second["hashinsight_hashrate_ths"] == {(): 100.0}
    assert second["hashinsight_fleet_age_seconds"] == {("samples",): 100.0}
    figures: FleetFigures = fleet.app.state.fleet_figures
    assert figures.last_read(now=fleet.now + timedelta(minutes=10, seconds=1)) == []  # a gap, not another hour's


async def test_the_age_of_the_figures_is_that_of_the_newest_sample_and_of_the_last_scan_of_each_site(
    fleet: Fleet,
) -> None:
    """However often they are read: a fleet that falls silent, or whose scans stop, grows old."""

    async def ages() -> dict[tuple[str, ...], float]:
        return (await series(fleet.api)).get("hashinsight_fleet_age_seconds", {})

    await fleet.load("m1,S19,A,", "late,S19,A,")
    assert await ages() == {}
    await fleet.send({"miner_id": "m1", "ts": fleet.at(-40), "hashrate_ths": 100.0})
    await fleet.send({"miner_id": "late", "ts": fleet.at(-200), "hashrate_ths": 100.0})
    await fleet.roll()
    fleet.set_clock(fleet.now + timedelta(seconds=60))
    assert await ages() == {("samples",): 100.0}
    async with fleet.database.transaction(job_context()) as session:
        assert await run_cycle(fleet.database, session, fleet.site.site_id, period=fleet.now, now=fleet.now)
    fleet.set_clock(fleet.now + timedelta(seconds=70))
    assert await ages() == {("samples",): 170.0, ("scan",): 70.0}
    fleet.set_clock(fleet.now + timedelta(seconds=30))  # not read again, and older all the same
    assert await ages() == {("samples",): 200.0, ("scan",): 100.0}


async def test_without_a_token_metrics_name_no_sites(fleet: Fleet) -> None:
    await fleet.load("m1,S19,A,")
    set_token(fleet.api, None)
    answer = await fleet.api.get("http://127.0.0.1/metrics")
    assert answer.status_code == 200
    assert "hashinsight_database_up 1.0" in answer.text
    assert "hashinsight_machines" not in answer.text
    assert 'site="' not in answer.text


async def test_commands_are_counted_by_state_and_those_that_fail_for_good(edge_site: EdgeSite) -> None:
    def total(metrics: dict[str, dict[tuple[str, ...], float]], name: str) -> float:
        return metrics.get(name, {}).get((), 0.0)

    before = await series(edge_site.api)
    assert before["hashinsight_commands"] == {("queued",): 0, ("dispatched",): 0, ("running",): 0}
    await edge_site.make_commands("set_fan", 1, 2)
    (first, _) = await edge_site.poll_commands()
    await edge_site.ack(first["command_id"], "rejected", body={"error_code": "MINER_REFUSED"})
    await edge_site.make_commands("set_fan", 3)
    edge_site.collector_site.at(61)
    after = await series(edge_site.api)
    assert after["hashinsight_commands"] == {("queued",): 1, ("dispatched",): 1, ("running",): 0}
    grown = {
        name: total(after, name) - total(before, name)
        for name in ("commands_dispatched_total", "commands_failed_total")
    }
    assert grown == {"commands_dispatched_total": 2, "commands_failed_total": 1}


async def test_every_name_has_our_prefix_or_is_promised_without_it(fleet: Fleet) -> None:
    await fleet.send({"miner_id": "m1", "ts": fleet.at(-40), "hashrate_ths": 100.0})
    answer = await scraped(fleet.api)
    names = set(re.findall(r"^# TYPE (\S+) ", answer.text, re.MULTILINE))
    other = {name for name in names if not name.startswith("hashinsight_")}
    assert {name.removesuffix("_total") for name in other} <= PROMISED
    assert "telemetry_ingest_lag_seconds" in other
