"""Miner."""

import re

from playwright.sync_api import Browser, expect

from tests.console.house import House
from tests.console.visits import BROWSED, visiting

pytestmark = BROWSED


def test_a_machine_is_commanded_from_its_page_and_the_page_follows_by_itself(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    miner = house.ask(noc, "GET", "/api/admin/v1/miners", params={"site_id": "demo-south"}).json()["miners"][0][
        "miner_id"
    ]
    with visiting(browser, house, noc, f"/sites/demo-south/miners/{miner}") as visit:
        page = visit.page
        expect(page.get_by_role("heading", name=miner)).to_be_visible()
        expect(page.get_by_role("img", name=re.compile(f"Hashrate of {miner}"))).to_be_visible()
        page.keyboard.press("c")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("What").select_option("set_power_mode")
        dialog.get_by_label(re.compile("^Mode")).select_option("eco")
        dialog.get_by_label(re.compile("^Why")).fill("cheap hours")
        expect(dialog.get_by_text("1 machine will go on hashing, at another setting.")).to_be_visible()
        dialog.get_by_role("button", name="Set power mode on 1 machine").click()
        commands = page.get_by_role("region", name="Commands")
        expect(commands.get_by_role("listitem").first).to_contain_text("done", timeout=40_000)
    (made,) = house.commands(house.owner, site_id="demo-south", miner_id=miner)
    assert (made["state"], made["params"], made["created_reason"]) == ("succeeded", {"mode": "eco"}, "cheap hours")
