"""What stands on several pages: header, legend and API tell the same numbers of the zone and the moment shown."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from hashinsight.problems.chunks import CHUNK
from hashinsight.problems.state import FIELDS, PACKED
from tests.console.house import House
from tests.console.visits import visiting

CODE = "tx-numbers"
SITES = "/api/v1/telemetry/sites"
WORDS = {"P0": "P0 critical", "P1": "P1 high", "P2": "P2 medium", "P3": "P3 low"}
# their samples are of tomorrow, so that they stay fresh however slow the run is; no cycle judges them
_SITE = f"""
with s as (insert into sites (tenant_id, code, name, timezone, created_at)
    select id, '{CODE}', 'Numbers', 'UTC', now() from tenants limit 1 returning id, tenant_id),
judged as (insert into tick_runs (tick, site_id, period, state, finished_at)
    select 'problem_cycle', s.id, period, 'done', now() from s, generate_series(date_bin('5 minutes', now(), 'epoch')
    - interval '1 h', now() + interval '6 h', interval '5 min') period),
z as (insert into zones (tenant_id, site_id, code, name)
    select tenant_id, id, code, code from s, unnest(array['east', 'west']) code returning id, code)
insert into miners (tenant_id, site_id, miner_id, model, zone_id, expected_ths, expected_source, created_at, updated_at)
select s.tenant_id, s.id, 'n-' || lpad(n::text, 2, '0'), 'Antminer S19j Pro', z.id, 104, 'catalogue', now(), now()
from s, generate_series(0, 39) n join z on z.code = case when n % 2 = 0 then 'east' else 'west' end
"""
# 20 fine, 6 in eco, 3 stopped, 3 dark, 2 that stand still, 4 with half their boards; 2 were never heard of
_LIVE = f"""
insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags, hashrate_5min_ths,
    hashrate_ths, power_w, power_5min_w, powered_5min_ths, temp_c, temp_max_c, updated_at, overall_health,
    inferred_mode, mode_share)
select m.miner_no, m.tenant_id, m.site_id, now() + interval '1 day', now(), true,
    case when n between 29 and 31 then 0 else 1 end, 0, ths, ths, 29 * ths, 29 * ths, ths, 60, 65, now(),
    case n when 29 then 'P0' when 32 then 'P1' when 36 then 'P2' when 37 then 'P2' when 38 then 'P2' when 39 then 'P2'
        else 'ok' end,
    case when n between 20 and 25 then 'eco' else 'normal' end, case when n between 20 and 25 then 0.7 end
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}'
cross join lateral (select substring(m.miner_id from '^n-([0-9]+)$')::int as n) numbered
cross join lateral (select case when n < 20 then 104.0 when n < 26 then 72.8 when n < 34 then 0.0 else 52.0 end ths) d
where n not in (34, 35)
"""
_STOPPED = f"""
insert into expected_states (id, tenant_id, site_id, miner_no, state, from_at, cause, created_at)
select gen_random_uuid(), m.tenant_id, m.site_id, m.miner_no, 'stopped', now() - interval '10 minutes', 'a test', now()
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}'
where m.miner_id in ('n-26', 'n-27', 'n-28')
"""
_PAST = f"""
insert into telemetry_5min (miner_no, bucket_ts, tenant_id, site_id, samples, online_samples, hashrate_n, temp_n,
    power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, created_at)
select m.miner_no, at, m.tenant_id, m.site_id, 1, 1, 1, 1, 1, 0, 80.0, 60.0, 2400.0, 0, at
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}',
    generate_series(date_bin('5 minutes', now(), 'epoch') - interval '4 h', now(), interval '5 min') at
where m.miner_id < 'n-10'
"""
# an hour of one in eco, and what it has learnt of it: 0.70 of what it is rated for, within 0.01
_ECO_PAST = f"""
insert into telemetry_5min (miner_no, bucket_ts, tenant_id, site_id, samples, online_samples, hashrate_n, temp_n,
    power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, created_at)
select m.miner_no, at, m.tenant_id, m.site_id, 1, 1, 1, 1, 1, 0, 72.8, 60.0, 2100.0, 0, at
from miners m join sites s on s.id = m.site_id and s.code = '{CODE}',
    generate_series(date_bin('5 minutes', now(), 'epoch') - interval '1 h', now(), interval '5 min') at
where m.miner_id = 'n-20'
"""
_LEARNT = {"ewma": 0.0, "reference": 0.7, "variance": 0.01**2, "samples": 600}
TOLD = {"P0": 1, "P1": 1, "P2": 4, "P3": 0, "down": 3, "stopped": 3, "unknown": 2, "fine": 26}


def _baseline() -> str:
    """The same figures for every metric; only the hashrate's are looked at."""
    cells = {
        name: "''" if name in PACKED else f"'{{{', '.join([str(_LEARNT.get(name, default))] * rows)}}}'"
        for name, (rows, _, default) in FIELDS.items()
    }
    return (
        f"insert into problem_state (site_id, chunk, tenant_id, miner_no, {', '.join(cells)})"
        f" select m.site_id, m.miner_no / {CHUNK}, m.tenant_id, array[m.miner_no], {', '.join(cells.values())}"
        f" from miners m join sites s on s.id = m.site_id and s.code = '{CODE}' where m.miner_id = 'n-20'"
    )


@pytest.fixture(scope="module")
def numbers(house: House) -> Iterator[House]:
    house.write(_SITE, _LIVE, _STOPPED, _PAST, _ECO_PAST, _baseline())
    yield house
    house.write(f"update miners set state = 'retired' where site_id = (select id from sites where code = '{CODE}')")


def sums(house: House, **query: str) -> dict[str, Any]:
    found: dict[str, Any] = house.ask(house.owner, "GET", SITES, params={"site_id": CODE, **query}).json()["sites"][0]
    return found


def count(page: Page, label: str) -> Locator:
    legend = page.get_by_role("group", name=re.compile("^Legend"))
    return legend.get_by_role("button", name=re.compile(f"^{label}")).locator("strong")


def expect_alike(page: Page, told: dict[str, Any]) -> None:
    header = page.locator(".pagehead")
    for name, machines in told["conditions"].items():
        expect(count(page, WORDS.get(name, name))).to_have_text(str(machines))
    for name in ("down", "stopped", "unknown"):
        if told["conditions"][name]:
            expect(header).to_contain_text(f"{told['conditions'][name]} {name}")
    expect(header).to_contain_text(f"{told['machines']} machines")
    expect(header).to_contain_text(f"{told['online']} online")
    expect(header).to_contain_text(f"{told['hashrate_ths'] / 1000:.1f} / {told['expected_ths'] / 1000:.1f}")


def test_header_legend_and_api_agree_on_a_site_and_on_each_of_its_zones(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    told = sums(numbers)
    assert told["conditions"] == TOLD
    assert (round(told["lost_ths"]), told["stopped_ths"]) == ((5 * 104 + 4 * 52), 3 * 104)
    with visiting(browser, numbers, noc, f"/sites/{CODE}") as visit:
        page = visit.page
        expect_alike(page, told)
        expect(page.locator(".pagehead")).to_contain_text("312.0 TH/s stopped on purpose")
        for zone in ("east", "west"):
            page.get_by_title("Choose a zone").click()
            page.get_by_role("button", name=zone, exact=True).click()
            part = sums(numbers, zone=zone)
            assert part["machines"] == 20
            expect_alike(page, part)


def test_the_age_of_data_shows_dark_machines_as_offline_though_their_collector_says_so_in_time(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, numbers, noc, f"/sites/{CODE}?measure=age") as visit:
        for label, machines in (("fresh", 35), ("stale", 0), ("offline", 3), ("unknown", 2)):
            expect(count(visit.page, label)).to_have_text(str(machines))


def test_a_moment_of_the_past_is_told_by_the_header_too(browser: Browser, numbers: House, noc: tuple[str, str]) -> None:
    at = (datetime.now(UTC) - timedelta(hours=2)).isoformat().replace("+00:00", "Z")
    then = sums(numbers, at=at)
    assert (then["online"], then["hashrate_ths"], then["unknown"]) == (10, 800.0, 30)
    with visiting(browser, numbers, noc, f"/sites/{CODE}") as visit:
        page = visit.page
        header = page.locator(".pagehead")
        expect(header).to_contain_text(f"{sums(numbers)['online']} online")
        visit.go(f"/sites/{CODE}?measure=ratio&at={at}")
        expect(header).to_contain_text("as of ")
        expect(header).to_contain_text("10 online")
        expect(header).to_contain_text("30 unknown")
        expect(header).to_contain_text("30.0J/TH")
        expect(header).to_contain_text("not kept for the past")
        expect(count(page, "unknown")).to_have_text("30")
        page.get_by_role("button", name="Now", exact=True).click()
        expect(header).to_contain_text(f"{sums(numbers)['online']} online")


def test_the_fleet_tells_each_site_as_the_api_does_and_who_is_left_out_of_its_efficiency(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    told = sums(numbers)
    left_out = numbers.ask(numbers.owner, "GET", SITES).json()["fleet"]["efficiency_left_out"]
    assert left_out > 0
    with visiting(browser, numbers, noc) as visit:
        row = visit.page.get_by_role("row", name=re.compile("Numbers"))
        for name in ("down", "stopped", "unknown"):
            expect(row).to_contain_text(f"{told['conditions'][name]} {name}")
        expect(row).to_contain_text(f"{told['efficiency_j_th']:.1f}")
        expect(visit.page.get_by_text(re.compile(r"^without [\d,]+ machines? of unknown power"))).to_be_visible()


def test_the_own_normal_band_of_a_machine_in_eco_lies_at_its_own_line(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, numbers, noc, f"/sites/{CODE}/miners/n-20") as visit:
        page = visit.page
        expect(page.get_by_text("72.8 TH/s expected in eco mode (rated 104.0 TH/s)")).to_be_visible()
        chart = page.get_by_role("img", name=re.compile("^Hashrate of n-20"))
        lowest_to_highest = "lowest 72.8 TH/s, highest 72.8 TH/s"
        expect(chart).to_have_attribute(
            "aria-label", re.compile(f"{lowest_to_highest}; own normal 69.7 TH/s to 75.9 TH/s$")
        )
