"""Fleet."""

import re

from playwright.sync_api import Browser, expect

from tests.console.house import House
from tests.console.visits import faults_for_axe, visiting


def test_the_fleet_shows_what_the_api_says_and_leads_on_by_keyboard(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    sums = house.ask(house.owner, "GET", "/api/v1/telemetry/sites").json()["sites"]
    with visiting(browser, house, noc) as visit:
        page = visit.page
        for site in sums:
            row = page.get_by_role("row", name=re.compile(site["name"]))
            expect(row).to_contain_text(f"/{site['machines']:,}")
        expect(page.get_by_text("No pending approvals.")).to_be_visible()
        assert faults_for_axe(page) == []
        page.keyboard.press("j")
        page.get_by_role("link", name="Demo south").press("Enter")  # what has the focus, not the row that is marked
        expect(page).to_have_url(re.compile(r"/sites/demo-south$"))
        page.get_by_role("heading", name="Demo south").wait_for()  # the address changes before the page does
        page.go_back()
        page.get_by_role("row", name=re.compile("Demo north")).wait_for()
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(r"/sites/demo-north$"))
        page.keyboard.press("g")
        page.keyboard.press("f")
        expect(page).to_have_url(house.url + "/")
