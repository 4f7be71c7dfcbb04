"""The frame around every page."""

import re

from playwright.sync_api import Browser, expect

from tests.console.house import BIG, House
from tests.console.visits import NORTH, faults_for_axe, hold, visiting, wait_held


def test_language_and_theme_change_in_place_and_stay(browser: Browser, house: House, noc: tuple[str, str]) -> None:
    with visiting(browser, house, noc) as visit:
        page = visit.page
        page.get_by_role("button", name="Account and settings").click()
        page.get_by_role("button", name="中文").click()
        expect(page.get_by_role("link", name="总览")).to_be_visible()
        page.get_by_role("button", name="账户与设置").click()
        page.get_by_role("button", name="浅色主题").click()
        page.reload()
        expect(page.get_by_role("columnheader", name="当前 / 预期")).to_be_visible()
        root = page.locator("html")
        expect(root).to_have_attribute("lang", "zh-CN")
        expect(root).to_have_attribute("data-theme", "light")


def test_the_palette_finds_a_machine_by_how_its_name_begins(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, house, noc) as visit:
        page = visit.page
        page.keyboard.press("Control+k")
        page.get_by_role("combobox").fill("south-0000")
        expect(page.get_by_role("option").first).to_contain_text("south-0000")
        assert faults_for_axe(page) == []
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(r"/sites/demo-south/miners/south-0000\d"))


def test_the_palette_opens_what_was_typed_and_not_what_stood_there_before(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    first, *_, meant = [
        one["miner_id"]
        for one in house.ask(noc, "GET", "/api/admin/v1/miners", params={"text": "north-0001"}).json()["miners"]
    ]
    with visiting(browser, house, noc) as visit:
        page = visit.page
        page.keyboard.press("Control+k")
        typed = page.get_by_role("combobox")
        typed.fill(meant[:-1])
        expect(page.get_by_role("option").first).to_contain_text(first)
        typed.dispatch_event("keydown", {"key": "Enter", "isComposing": True})  # of an input method
        expect(typed).to_be_visible()
        held = hold(page, re.compile(r"/admin/v1/miners\?"))
        typed.press(meant[-1])
        page.keyboard.press("Enter")
        wait_held(page, held)
        expect(page.get_by_role("option").first).to_contain_text(first)
        expect(page).to_have_url(house.url + "/")
        held[0].continue_()
        expect(page).to_have_url(re.compile(f"/sites/demo-north/miners/{meant}$"))


def test_a_page_that_is_asked_for_while_the_server_is_away_comes_when_it_is_back(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, house, noc) as visit:
        page = visit.page
        expect(page.get_by_role("row", name=re.compile("Demo north"))).to_be_visible()
        page.evaluate("window.isTheSame = true")
        page.context.set_offline(True)
        page.get_by_role("link", name="Problems", exact=True).click()
        expect(page.get_by_text("Part of this page failed to load")).to_be_visible()
        page.context.set_offline(False)
        expect(page.get_by_role("table", name="Problems")).to_be_visible()
        assert page.evaluate("window.isTheSame") is True  # nothing was reloaded


def test_the_palette_finds_a_problem_by_its_machine_and_by_its_kind(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "overheat_crit"}).json()["problems"][0]
    with visiting(browser, house, noc) as visit:
        page = visit.page
        page.keyboard.press("Control+k")
        page.get_by_role("combobox").fill(found["miner_id"])
        page.get_by_role("option", name=re.compile(f"{found['miner_id']} Critical temperature")).click()
        expect(page).to_have_url(re.compile(f"/problems/{found['id']}$"))
        page.keyboard.press("Control+k")
        page.get_by_role("combobox").fill("no hashrate")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/problems.code=hashrate_zero$"))


def test_the_server_restarts_while_somebody_types_and_nothing_is_lost(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    miner = house.ask(noc, "GET", "/api/admin/v1/miners", params={"site_id": "demo-north"}).json()["miners"][3][
        "miner_id"
    ]
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "hashrate_zero"}).json()["problems"][3]
    with visiting(browser, house, noc, f"{NORTH}/miners/{miner}") as visit:
        page = visit.page
        page.get_by_role("button", name="Command…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Action").select_option("fault_light")
        dialog.get_by_label(re.compile("^On")).select_option("true")
        dialog.get_by_label(re.compile("^Reason")).fill("written while the server was away")
        comments, resolves = page.context.new_page(), page.context.new_page()
        for tab in (comments, resolves):
            tab.goto(f"{house.url}/sites/{BIG}/problems/{found['id']}")
        comments.get_by_label("Add a comment").fill("typed into nothing")
        resolves.get_by_role("button", name="Resolve…").click()
        resolves.get_by_label("Cause").select_option("cleaned")
        resolves.get_by_label("Action taken").fill("dust taken out")
        api = house.up.child("serve")
        api.suspend()  # as a machine that hangs: connections stay open, and nothing is answered
        api.kill()
        strip = page.get_by_text(re.compile("Server not reachable"))
        expect(strip).to_be_visible()
        expect(strip).to_be_hidden()
        expect(page.get_by_text("Reconnected.").first).to_be_visible()
        dialog.get_by_role("button", name="Fault light: 1 machine").click()
        expect(page.get_by_text("Fault light: 1 command sent.")).to_be_visible()
        expect(comments.get_by_label("Add a comment")).to_have_value("typed into nothing")
        comments.get_by_role("button", name="Comment", exact=True).click()
        expect(comments.get_by_role("listitem").filter(has_text="typed into nothing")).to_be_visible()
        expect(resolves.get_by_label("Action taken")).to_have_value("dust taken out")
        resolves.get_by_role("dialog").get_by_role("button", name="Resolve").click()
        expect(resolves.locator(".chip", has_text="resolved").first).to_be_visible()
    story = house.ask(house.owner, "GET", f"/api/v1/problems/{found['id']}").json()
    assert [one["message"] for one in story["timeline"]].count("typed into nothing") == 1
    assert (story["problem"]["resolution_cause"], story["problem"]["resolution_action"]) == (
        "cleaned",
        "dust taken out",
    )
    (made,) = house.commands(house.owner, site_id="demo-north", miner_id=miner)
    assert made["created_reason"] == "written while the server was away"


def test_a_link_to_nothing_says_so_and_leads_home(browser: Browser, house: House, noc: tuple[str, str]) -> None:
    with visiting(browser, house, noc, "/no/such/page") as visit:
        expect(visit.page.get_by_text("Page not found")).to_be_visible()
        visit.page.get_by_role("link", name="Go to fleet").click()
        expect(visit.page).to_have_url(house.url + "/")


def test_no_script_or_style_is_inline(browser: Browser, house: House) -> None:
    answer = house.ask(house.owner, "GET", "/")
    assert "unsafe" not in answer.headers["content-security-policy"]
    with visiting(browser, house, (house.owner[0], house.owner[1])) as visit:
        inline = "[...document.querySelectorAll('script')].filter(one => !one.src).length"
        assert visit.page.evaluate(inline) == 0
        assert visit.page.evaluate("document.querySelectorAll('style').length") == 0
