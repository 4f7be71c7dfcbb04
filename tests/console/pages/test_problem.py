"""Problem: the one."""

import re
from typing import Any

from playwright.sync_api import Browser, expect

from tests.console.house import BIG, House
from tests.console.visits import BROWSED, visiting

pytestmark = BROWSED


def test_a_problem_says_why_is_worked_on_and_resolved_and_its_machine_is_suppressed(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "hashrate_zero"}).json()["problems"][0]
    path = f"/sites/{BIG}/problems/{found['id']}"
    house.add("kim@example.com", "Technician")

    def told() -> Any:
        return house.ask(house.owner, "GET", f"/api/v1/problems/{found['id']}").json()

    with visiting(browser, house, noc, path) as visit:
        page = visit.page
        expect(page.get_by_text("It answers but does not hash.")).to_be_visible()
        expect(page.get_by_role("img", name=re.compile("^Distribution of hashrate ratio among"))).to_be_visible()
        page.get_by_role("button", name="Start work").dblclick()  # it is one act, however often it is pressed
        expect(page.get_by_text("Work has begun")).to_be_visible()
        page.get_by_role("button", name="Assign…").click()
        people = page.get_by_role("dialog").get_by_label("To")
        expect(people).to_have_value(re.compile("."))  # oneself, to begin with
        people.select_option(label="kim")
        page.get_by_role("dialog").get_by_role("button", name="Assign").click()
        expect(page.get_by_text("Assigned", exact=True)).to_be_visible()
        page.get_by_label("Add a comment").fill("board 2 is cold to the touch")
        page.get_by_role("button", name="Comment", exact=True).click()
        expect(page.get_by_role("listitem").filter(has_text="board 2 is cold to the touch")).to_be_visible()
        story = told()
        assert [one["kind"] for one in story["timeline"]].count("started") == 1
        expect(page.get_by_text("This was refused")).to_have_count(0)
        assert (story["problem"]["status"], story["people"][story["problem"]["assigned_to"]]) == ("in_progress", "kim")
        page.get_by_role("button", name="Suppress…").click()
        page.get_by_role("dialog").get_by_label("Why").fill("new fans come tomorrow")
        page.get_by_role("dialog").get_by_role("button", name="Suppress").click()
        expect(page.get_by_role("button", name="Lift suppression")).to_be_visible()
        assert [one["reason"] for one in told()["suppressions"]] == ["new fans come tomorrow"]
        page.get_by_role("button", name="Resolve…").click()
        page.get_by_role("dialog").get_by_label("What was the cause").select_option("repaired")
        page.get_by_role("dialog").get_by_label("What was done").fill("hashboard swapped")
        page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
        expect(page.locator(".chip", has_text="resolved").first).to_be_visible()
    ended = told()["problem"]
    assert (ended["status"], ended["resolution_cause"], ended["resolution_action"]) == (
        "resolved",
        "repaired",
        "hashboard swapped",
    )


def test_a_change_by_somebody_else_appears_by_itself_and_work_goes_on_from_a_phone(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "hashrate_zero"}).json()["problems"][-1]
    with visiting(browser, house, noc, f"/sites/{BIG}/problems/{found['id']}", size=(390, 844)) as visit:
        expect(visit.page.locator(".chip", has_text="open").first).to_be_visible()
        done = house.ask(house.owner, "POST", f"/api/v1/problems/{found['id']}/acknowledge", json={})
        assert done.status_code == 200, done.text
        expect(visit.page.locator(".chip", has_text="acknowledged").first).to_be_visible(timeout=10_000)
        visit.page.get_by_role("button", name="Start work").click()
        expect(visit.page.locator(".chip", has_text="in progress").first).to_be_visible()
