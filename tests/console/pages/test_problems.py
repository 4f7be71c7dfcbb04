"""Problems: the list."""

import re
from typing import Any

from playwright.sync_api import Browser, expect

from tests.console.house import House
from tests.console.visits import BROWSED, faults_for_axe, visiting

pytestmark = BROWSED


def test_problems_are_narrowed_marked_and_acknowledged_and_somebody_else_sees_it(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    def listed(**query: Any) -> Any:
        return house.ask(house.owner, "GET", "/api/v1/problems", params=query).json()

    total = listed()["pagination"]["total"]
    assert total > 500
    with visiting(browser, house, noc, "/problems") as visit:
        page = visit.page
        expect(page.get_by_role("status").filter(has_text="problems")).to_contain_text(f"{total:,} problems")
        page.get_by_role("checkbox", name=re.compile("Critically hot")).check()
        crit = listed(issue_code="overheat_crit")["pagination"]["total"]
        expect(page.get_by_role("status").filter(has_text="problems")).to_contain_text(f"{crit:,} problems")
        expect(page).to_have_url(re.compile("code=overheat_crit"))
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.keyboard.press("j")
        page.keyboard.press("x")
        bar = page.get_by_role("toolbar", name="2 selected")
        expect(bar).to_be_visible()
        assert faults_for_axe(page) == []
        page.keyboard.press("a")
        expect(page.get_by_text("Acknowledged", exact=True)).to_be_visible()
        taken = listed(status="ack")["problems"]
        assert {(one["issue_code"], one["status"]) for one in taken} == {("overheat_crit", "ack")}
        assert len(taken) == 2
        page.get_by_role("button", name="Saved views").click()
        page.get_by_label("Name of the view").fill("hot ones")
        page.get_by_role("button", name="Save this view").click()
        with page.expect_download() as caught:
            page.get_by_role("button", name="Export CSV").click()
        assert caught.value.path().read_text("utf-8-sig").count("overheat_crit") == crit
        visit.go("/problems")
        page.get_by_role("button", name="Saved views").click()
        page.get_by_role("button", name="hot ones", exact=True).click()
        expect(page).to_have_url(re.compile("code=overheat_crit"))
