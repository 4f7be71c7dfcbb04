"""What stands on several pages: header, legend and API tell the same numbers of the zone and the moment shown."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.house import House
from tests.console.pages.sites_of_all_states import CODE, CONDITIONS, EMPTY, FILL, MIXED, UNSEEN
from tests.console.visits import visiting

SITES = "/api/v1/telemetry/sites"
WORDS = {"fine": "healthy", "P0": "P0 critical", "P1": "P1 high", "P2": "P2 medium", "P3": "P3 low"}


@pytest.fixture(scope="module")
def numbers(house: House) -> Iterator[House]:
    house.write(*FILL)
    yield house
    house.write(EMPTY)


def sums(house: House, **query: str) -> dict[str, Any]:
    found: dict[str, Any] = house.ask(house.owner, "GET", SITES, params={"site_id": CODE} | query).json()["sites"][0]
    return found


def count(page: Page, label: str) -> Locator:
    legend = page.get_by_role("group", name=re.compile("^Legend"))
    return legend.get_by_role("button", name=re.compile(f"^{label}")).locator("strong")


def expect_alike(page: Page, totals: dict[str, Any]) -> None:
    header = page.locator(".pagehead")
    for name, machines in totals["conditions"].items():
        expect(count(page, WORDS.get(name, name))).to_have_text(str(machines))
    for name in ("down", "stopped", "unknown"):
        if totals["conditions"][name]:
            expect(header).to_contain_text(f"{totals['conditions'][name]} {name}")
    expect(header).to_contain_text(f"{totals['machines']} machines")
    expect(header).to_contain_text(f"{totals['online']} online")
    expect(header).to_contain_text(f"{totals['hashrate_ths'] / 1000:.1f} / {totals['expected_ths'] / 1000:.1f}")


def test_header_legend_and_api_agree_on_a_site_and_on_each_of_its_zones(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    totals = sums(numbers)
    assert totals["conditions"] == CONDITIONS
    assert (round(totals["lost_ths"]), totals["stopped_ths"]) == ((5 * 104 + 4 * 52), 3 * 104)
    with visiting(browser, numbers, noc, f"/sites/{CODE}") as visit:
        page = visit.page
        expect_alike(page, totals)
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
        for label, machines in (("live", 35), ("stale", 0), ("offline", 3), ("unknown", 2)):
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
        expect(header).to_contain_text("no problem history")
        expect(count(page, "unknown")).to_have_text("30")
        page.get_by_role("button", name="Now", exact=True).click()
        expect(header).to_contain_text(f"{sums(numbers)['online']} online")


def test_the_fleet_tells_each_site_as_the_api_does_and_who_is_left_out_of_its_efficiency(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    totals = sums(numbers)
    left_out = numbers.ask(numbers.owner, "GET", SITES).json()["fleet"]["efficiency_left_out"]
    assert left_out > 0
    with visiting(browser, numbers, noc) as visit:
        row = visit.page.get_by_role("row", name=re.compile("Numbers"))
        for name in ("down", "stopped", "unknown"):
            expect(row).to_contain_text(f"{totals['conditions'][name]} {name}")
        expect(row).to_contain_text(f"{totals['efficiency_j_th']:.1f}")
        expect(visit.page.get_by_text(re.compile(r"^[\d,]+ machines? without power data not counted"))).to_be_visible()


def test_the_own_normal_band_of_a_machine_in_eco_lies_at_its_own_line(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, numbers, noc, f"/sites/{CODE}/miners/n-20") as visit:
        page = visit.page
        expect(page.get_by_text("72.8 TH/s expected in eco mode (rated 104.0 TH/s)")).to_be_visible()
        chart = page.get_by_role("img", name=re.compile("^Hashrate of n-20"))
        lowest_to_highest = "min 72.8 TH/s, max 72.8 TH/s"
        expect(chart).to_have_attribute(
            "aria-label", re.compile(f"{lowest_to_highest}; normal range 69.7 TH/s to 75.9 TH/s$")
        )


def test_cells_add_up_to_the_site_and_sites_to_the_fleet(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    site = sums(numbers)
    cells = numbers.ask(numbers.owner, "GET", "/api/v1/telemetry/cells", params={"site_id": CODE}).json()["columns"]
    for name in ("hashrate_ths", "expected_ths", "power_w"):
        assert sum(one or 0.0 for one in cells[name]) == pytest.approx(site[name], rel=1e-4), name  # cells are rounded
    assert len(cells["stopped"]) == site["conditions"]["stopped"]
    with visiting(browser, numbers, noc) as visit:
        header = visit.page.get_by_role("region", name="Fleet")
        sites = numbers.ask(numbers.owner, "GET", SITES).json()["sites"]
        for name in ("down", "stopped", "unknown"):
            expect(header).to_contain_text(f"{sum(one['conditions'][name] for one in sites):,} {name}")
        machines = sum(one["machines"] for one in sites)
        expect(header).to_contain_text(f"{machines:,} machines")


def test_the_page_of_a_stopped_machine_sets_it_against_neither_expectation_nor_peers(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, numbers, noc, f"/sites/{CODE}/miners/n-26") as visit:
        page = visit.page
        expect(page.locator(".miner-head")).to_contain_text("stopped")
        expect(page.get_by_text("not evaluated: stopped on purpose (rated 104.0 TH/s)")).to_be_visible()
        expect(page.get_by_text("Not compared with peers: stopped on purpose.")).to_be_visible()
        expect(page.get_by_text("104.0 TH/s expected (")).to_have_count(0)


@pytest.mark.parametrize("miner", ["n-30", "n-31"])
def test_a_dark_machine_delivers_nothing_and_what_it_last_reported_stands_apart(
    browser: Browser, numbers: House, noc: tuple[str, str], miner: str
) -> None:
    """Suppressed or not."""
    asked = {"site_id": CODE}
    health = numbers.ask(numbers.owner, "GET", f"/api/v1/miners/{miner}/health", params=asked).json()
    assert (health["health_state"], health["condition"]) == ("down", "down")
    with visiting(browser, numbers, noc, f"/sites/{CODE}/miners/{miner}") as visit:
        page = visit.page
        expect(page.locator(".miner-head")).to_contain_text("down")
        now = page.get_by_role("region", name="Now")
        expect(now.locator(".figure", has_text="Hashrate").locator("strong")).to_have_text(re.compile(r"^0\.0"))
        expect(now.locator(".figure", has_text="Efficiency").locator("strong")).to_have_text("—")
        expect(now.get_by_text("Last report: 104.0 TH/s, 3,016 W, 29.0 J/TH")).to_be_visible()


def test_a_site_whose_machines_were_never_seen_shows_no_figures_and_not_zero(
    browser: Browser, numbers: House, noc: tuple[str, str]
) -> None:
    totals = sums(numbers, site_id=UNSEEN)
    assert {totals[name] for name in ("hashrate_ths", "lost_ths", "stopped_ths", "power_w")} == {None}
    with visiting(browser, numbers, noc, f"/sites/{UNSEEN}") as visit:
        header = visit.page.locator(".pagehead")
        expect(header).to_contain_text("6 unknown")
        expect(header.locator(".figure", has_text="Now / expected").locator("strong")).to_have_text("— / 624.0TH/s")
        for label in ("Power", "Hashrate lost"):
            expect(header.locator(".figure", has_text=label).locator("strong")).to_have_text("—")


def test_more_than_expected_beside_a_loss_is_explained(browser: Browser, numbers: House, noc: tuple[str, str]) -> None:
    totals = sums(numbers, site_id=MIXED)
    assert (totals["hashrate_ths"], totals["expected_ths"], totals["lost_ths"]) == (650.0, 624.0, 104.0)
    assert totals["surplus_ths"] == 130.0
    with visiting(browser, numbers, noc, f"/sites/{MIXED}") as visit:
        lost = visit.page.locator(".pagehead .figure", has_text="Hashrate lost")
        expect(lost).to_contain_text("104.0 TH/s")
        expect(lost).to_contain_text("other machines 130.0 TH/s over expected")
