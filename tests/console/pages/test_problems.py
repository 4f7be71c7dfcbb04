"""Problems: the list."""

import csv
import re
from typing import Any

from playwright.sync_api import Browser, expect

from tests.console.house import BIG, House
from tests.console.visits import faults_for_axe, hold, visiting, wait_held


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
        page.get_by_role("checkbox", name=re.compile("Critical temperature")).check()
        crit = listed(issue_code="overheat_crit")["pagination"]["total"]
        expect(page.get_by_role("status").filter(has_text="problems")).to_contain_text(f"{crit:,} problems")
        expect(page).to_have_url(re.compile("code=overheat_crit"))
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.keyboard.press("j")
        page.keyboard.press("x")
        bar = page.get_by_role("toolbar", name="2 selected")
        expect(bar).to_be_visible()
        saved = page.get_by_role("button", name="Saved views")
        saved.press("Enter")  # its own, though a row is marked
        page.get_by_label("View name").wait_for()
        page.keyboard.press("Escape")  # closes the list alone
        expect(page.get_by_label("View name")).to_have_count(0)
        expect(saved).to_be_focused()
        expect(bar).to_be_visible()
        assert faults_for_axe(page) == []
        page.keyboard.press("a")
        expect(page.get_by_text("Acknowledged", exact=True)).to_be_visible()
        taken = listed(status="ack", issue_code="overheat_crit")["problems"]
        assert {(one["issue_code"], one["status"]) for one in taken} == {("overheat_crit", "ack")}
        assert len(taken) == 2
        saved.click()
        page.get_by_label("View name").fill("hot ones")
        page.get_by_role("button", name="Save view").click()
        with page.expect_download() as caught:
            page.get_by_role("button", name="Export CSV").click()
        lines = list(csv.DictReader(caught.value.path().read_text().splitlines()))
        assert [line["issue_code"] for line in lines] == ["overheat_crit"] * crit
        assert {(line["site"], line["site_name"]) for line in lines} == {(BIG, "Big Spring")}
        (taken_out,) = house.rows("select after from audit_log where action = 'problems_exported'")
        assert taken_out[0]["rows"] == crit
        visit.go("/problems")
        page.get_by_role("button", name="Saved views").click()
        page.get_by_role("button", name="hot ones", exact=True).click()
        expect(page).to_have_url(re.compile("code=overheat_crit"))


def test_many_are_asked_for_first_and_what_is_over_is_not_selected_any_more(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    def listed(**query: Any) -> Any:
        found = {"issue_code": "hashrate_zero", "sort": "miner_id", "symptoms": "exclude"} | query
        return house.ask(house.owner, "GET", "/api/v1/problems", params=found).json()

    first, second, third, *_ = listed()["problems"]
    acked = listed(status="ack")["pagination"]
    with visiting(browser, house, noc, "/problems?code=hashrate_zero&sort=miner_id") as visit:
        page = visit.page
        dialog = page.get_by_role("dialog")
        for one in (first, second):
            page.get_by_role("checkbox", name=f"Select {one['miner_id']}").check()
        page.get_by_role("toolbar").get_by_role("button", name="Suppress…").click()
        dialog.get_by_label("Reason").fill("both hang at the same breaker")
        dialog.get_by_role("button", name="Suppress").click()
        expect(dialog).to_have_count(0)
        page.get_by_role("toolbar").get_by_role("button", name="Assign…").click()
        expect(dialog.get_by_role("heading", name="Assign 2 problems")).to_be_visible()
        expect(dialog.get_by_label("To")).to_have_value(re.compile("."))
        dialog.get_by_role("button", name="Assign").click()
        expect(page.get_by_text("Assigned", exact=True)).to_be_visible()
        page.get_by_role("checkbox", name=f"Select {third['miner_id']}").check()
        house.ask(house.owner, "POST", f"/api/v1/problems/{third['id']}/resolve", json={"cause": "other"})
        page.get_by_role("toolbar").get_by_role("button", name="Resolve…").click()
        dialog.get_by_label("Cause").select_option("repaired")
        dialog.get_by_role("button", name="Resolve").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("toolbar")).to_have_count(0)  # nothing is selected: nothing is offered
        page.get_by_role("checkbox", name="Select all shown").click()
        rest = listed()["pagination"]["total"]
        expect(page.get_by_role("toolbar", name=f"{rest} selected")).to_be_visible()
        page.keyboard.press("a")
        expect(dialog.get_by_role("heading", name=f"Acknowledge {rest} problems?")).to_be_visible()
        dialog.get_by_role("button", name="Cancel").click()
        assert listed(status="ack")["pagination"] == acked
    told = [house.ask(noc, "GET", f"/api/v1/problems/{one['id']}").json() for one in (first, second)]
    assert {one["problem"]["resolution_cause"] for one in told} == {"repaired"}
    assert {one["people"][one["problem"]["assigned_to"]] for one in told} == {"noc"}
    assert {one["reason"] for story in told for one in story["suppressions"]} == {"both hang at the same breaker"}


def test_the_list_goes_on_to_its_end_and_is_ordered_by_its_columns(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    def last(**query: Any) -> Any:
        total = house.ask(noc, "GET", "/api/v1/problems", params=query).json()["pagination"]["total"]
        params = query | {"per_page": 1, "page": total}
        return house.ask(noc, "GET", "/api/v1/problems", params=params).json()["problems"][0]

    with visiting(browser, house, noc, "/problems") as visit:
        page = visit.page
        page.locator(".vbody .vrow").first.wait_for()
        table = page.get_by_role("table", name="Problems")
        table.evaluate("one => one.scrollTo(0, one.scrollHeight)")
        shown = page.locator(".vbody .vrow").last
        expect(shown).to_contain_text(last(symptoms="exclude")["miner_id"])
        page.get_by_role("button", name="Machine", exact=True).click()
        expect(page).to_have_url(re.compile("sort=miner_id"))
        expect(page.get_by_role("columnheader", name="Machine")).to_have_attribute("aria-sort", "ascending")
        page.get_by_role("button", name="Machine", exact=True).click()
        expect(page.locator(".vbody .vrow").first).to_contain_text(
            last(symptoms="exclude", sort="miner_id")["miner_id"]
        )
        search = page.get_by_label("Machine id")
        search.press_sequentially("b-000 ")  # a hand that goes on typing finds what it wrote
        expect(page).to_have_url(re.compile("text=b-000(&|$)"))
        expect(page.locator(".vbody .vrow").first).to_contain_text("b-000")
        expect(search).to_have_value("b-000 ")


def test_problems_are_acknowledged_one_after_the_other_as_fast_as_keys_are_pressed(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, house, noc, "/problems?code=overheat_warn&status=open&sort=miner_id&order=desc") as visit:
        page = visit.page
        page.locator(".vbody .vrow").nth(2).wait_for()
        held = hold(page, "**/problems/bulk")
        for times in (1, 2, 3):
            page.keyboard.press("j")
            expect(page.get_by_role("complementary").get_by_role("button", name="Acknowledge")).to_be_enabled()
            page.keyboard.press("a")
            page.keyboard.press("a")  # and each once, however often
            wait_held(page, held, times)
        asked = [one for route in held for one in (route.request.post_data_json or {})["ids"]]
        assert len({*asked}) == len(asked) == 3
        page.unroute("**/problems/bulk")  # and those that wait go on
        expect(page.get_by_text("Acknowledged", exact=True)).to_have_count(3)
    for one in asked:
        assert house.ask(noc, "GET", f"/api/v1/problems/{one}").json()["problem"]["status"] == "ack"


def test_a_refusal_is_told_in_the_language_of_the_reader(browser: Browser, house: House, noc: tuple[str, str]) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "overheat_warn"}).json()["problems"][0]
    with visiting(browser, house, noc, f"/problems?code=overheat_warn&at={found['id']}", locale="zh-CN") as visit:
        page = visit.page
        expect(page.get_by_role("complementary").get_by_text(found["miner_id"])).to_be_visible()
        expect(page.get_by_role("complementary")).to_contain_text(re.compile("同类矿机.Antminer"))  # no code of a level
        page.route("**/api/v1/stream*", lambda route: route.abort())  # it is to be late
        house.ask(house.owner, "POST", f"/api/v1/problems/{found['id']}/acknowledge", json={})
        page.keyboard.press("a")
        expect(page.get_by_text(re.compile("被拒绝.已确认过"))).to_be_visible()


def test_on_a_phone_the_list_says_which_machine(browser: Browser, house: House, noc: tuple[str, str]) -> None:
    cut = """(id) => {
        const name = document.querySelector(".vbody .c-machine bdi")
        name.textContent = id
        const all = document.createRange()
        all.selectNodeContents(name)
        const [text, place] = [all, name.parentElement].map((one) => one.getBoundingClientRect())
        return [text.left < place.left - 1, text.right > place.right + 1]
    }"""
    with visiting(browser, house, noc, "/problems", size=(390, 844)) as visit:
        page = visit.page
        page.locator(".vbody .vrow bdi").first.wait_for()
        assert page.evaluate(cut, house.first) == [False, False]
        assert page.evaluate(cut, "the-second-row-left-of-the-door-03") == [True, False]  # its end tells it apart
        sort = page.get_by_role("button", name="Severity", exact=True)
        expect(sort).to_be_in_viewport()
        assert faults_for_axe(page) == []
