"""What a role or a scope does not allow is not there."""

import re

from playwright.sync_api import Browser, expect

from tests.console.house import House
from tests.console.visits import BROWSED, NORTH, visiting

pytestmark = BROWSED


def test_a_customer_is_offered_nothing_that_changes_something(browser: Browser, house: House) -> None:
    who = house.add("customer@example.com", "Customer")
    miner = house.ask(who, "GET", "/api/admin/v1/miners", params={"site_id": "demo-north"}).json()["miners"][0][
        "miner_id"
    ]
    with visiting(browser, house, who, f"{NORTH}/miners/{miner}") as visit:
        page = visit.page
        expect(page.get_by_role("heading", name=miner)).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("Command|Suppress"))).to_have_count(0)
        visit.go(NORTH)
        page.get_by_role("application").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_text("1 machine selected")).to_be_visible()
        expect(page.get_by_role("button", name="Command…")).to_have_count(0)
        page.keyboard.press("c")
        expect(page.get_by_role("dialog")).to_have_count(0)
    body = {"site_id": "demo-north", "miner_ids": [miner], "command_type": "fault_light", "params": {"on": True}}
    assert house.ask(who, "POST", "/api/admin/v1/commands", json=body | {"reason": "x"}).status_code == 403


def test_a_narrow_scope_sees_less(browser: Browser, house: House) -> None:
    zones = house.ask(house.owner, "GET", "/api/admin/v1/zones", params={"site_id": "demo-north"}).json()["zones"]
    who = house.add("zone@example.com", "Technician", zone_ids=[zones[0]["id"]])
    whole, part = (
        house.ask(one, "GET", "/api/v1/telemetry/cells", params={"site_id": "demo-north"}).json()["machines"]
        for one in (house.owner, who)
    )
    assert 0 < part < whole
    with visiting(browser, house, who, NORTH) as visit:
        expect(visit.page.get_by_role("application")).to_have_accessible_name(re.compile(rf"^Map of the site: {part} "))
        visit.go("/")
        expect(visit.page.get_by_role("row")).to_have_count(2)  # the head and its one site
