"""Miner."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, Route, expect

from tests.console.house import House
from tests.console.visits import faults_for_axe, visiting
from tests.installation import wait_for


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
        dialog.get_by_label("Action").select_option("set_power_mode")
        dialog.get_by_label(re.compile("^Mode")).select_option("eco")
        dialog.get_by_label(re.compile("^Reason")).fill("cheap hours")
        expect(dialog.get_by_text("1 machine will keep hashing with the new setting.")).to_be_visible()
        dialog.get_by_role("button", name="Set power mode: 1 machine").click()
        commands = page.get_by_role("region", name="Commands")
        expect(commands.get_by_role("listitem").first).to_contain_text("succeeded")
    (made,) = house.commands(house.owner, site_id="demo-south", miner_id=miner)
    assert (made["state"], made["params"], made["created_reason"]) == ("succeeded", {"mode": "eco"}, "cheap hours")


def test_what_is_typed_outlives_a_click_beside_it_the_end_of_the_session_and_a_long_absence_of_the_server(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    asked: list[str] = []

    def away(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    with visiting(browser, house, noc, f"/sites/demo-north/miners/{house.first}") as visit:
        page = visit.page
        page.clock.install()
        page.reload()
        page.get_by_role("button", name="Suppress…").click()
        dialog = page.get_by_role("dialog", name="Suppress")
        why = dialog.get_by_label("Reason")
        why.fill("fan on order")
        page.mouse.click(5, 5)
        expect(why).to_have_value("fan on order")

        page.context.clear_cookies()
        again = page.get_by_role("dialog", name="Sign in")
        pass_time(page, again.is_visible, "the page to read again, and to be told that nobody is signed in")
        expect(again.get_by_label("E-mail")).to_be_focused()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        assert faults_for_axe(page) == []
        again.get_by_label("E-mail").fill(noc[0])
        again.get_by_label("Password").fill(noc[1])
        again.get_by_role("button", name="Sign in").click()
        expect(again).to_be_hidden()
        expect(why).to_have_value("fan on order")

        page.route("**/api/**", away)
        machine = f"/api/admin/v1/miners/{house.first}?"
        pass_time(page, lambda: sum(machine in one for one in asked) >= 3, "three vain tries for the machine")
        page.wait_for_timeout(100)
        expect(why).to_have_value("fan on order")
        page.unroute("**/api/**")
        dialog.get_by_role("button", name="Suppress").click()
        expect(page.get_by_text(f"{house.first} suppressed until")).to_be_visible()
        page.get_by_role("button", name="Unsuppress…").click()
        dialog = page.get_by_role("dialog", name=f"Unsuppress {house.first}")
        dialog.get_by_label("Reason").fill("fan is in")
        dialog.get_by_role("button", name="Unsuppress").click()
        expect(page.get_by_text("Suppression lifted", exact=True)).to_be_visible()
        expect(dialog).to_be_hidden()

        page.keyboard.press("c")
        expect(page.get_by_role("dialog", name="Command")).to_contain_text(house.first)
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Find").fill("south-0000")
        expect(page.get_by_role("option", name=re.compile("^south-0000")).first).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=re.compile("^south-0000"))).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)


def pass_time(page: Page, condition: Callable[[], bool], what: str) -> None:
    """The page's own clock runs ahead of the world's."""

    def came() -> bool:
        page.clock.run_for(8_000)
        page.wait_for_timeout(20)
        return condition()

    wait_for(came, what)
