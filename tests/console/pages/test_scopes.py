"""What a role or a scope does not allow is not there."""

import re

from playwright.sync_api import Browser, expect

from tests.console.house import BIG, House
from tests.console.visits import NORTH, visiting

ACTS = re.compile("^(Acknowledge|Start work|Comment|.*…)$")


def test_a_customer_is_offered_nothing_that_changes_something(browser: Browser, house: House) -> None:
    who = house.add("customer@example.com", "Customer")
    miner = house.ask(who, "GET", "/api/admin/v1/miners", params={"site_id": "demo-north"}).json()["miners"][0][
        "miner_id"
    ]
    before = house.ask(who, "GET", f"/api/v1/problems/{house.hot}").json()["problem"]["status"]
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
        visit.go(f"/problems?code=overheat_crit&at={house.hot}")
        expect(page.get_by_role("complementary").get_by_role("link", name="Open")).to_be_visible()
        page.keyboard.press("x")
        expect(page.get_by_role("toolbar", name="1 selected")).to_be_visible()
        expect(page.get_by_role("button", name=ACTS)).to_have_count(0)
        for key in "ac":
            page.keyboard.press(key)
        visit.go(f"/sites/{BIG}/problems/{house.hot}")
        expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
        drawn = page.get_by_role("region", name="Temperature")  # what may be seen is seen whole
        expect(drawn.get_by_role("img", name=re.compile(r"^Temperature of b-\d+, \d+ points"))).to_be_visible()
        expect(drawn.get_by_text("80% of peers")).to_be_visible()
        expect(page.get_by_role("button", name=ACTS)).to_have_count(0)
        expect(page.get_by_label("Add a comment")).to_have_count(0)
        for key in "ac":
            page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_have_count(0)
    assert house.ask(who, "GET", f"/api/v1/problems/{house.hot}").json()["problem"]["status"] == before
    body = {"site_id": "demo-north", "miner_ids": [miner], "command_type": "fault_light", "params": {"on": True}}
    assert house.ask(who, "POST", "/api/admin/v1/commands", json=body | {"reason": "x"}).status_code == 403


def test_a_technician_is_offered_no_high_risk_and_no_command_to_many(browser: Browser, house: House) -> None:
    who = house.add("technician@example.com", "Technician")
    with visiting(browser, house, who, NORTH) as visit:
        page = visit.page
        offer, dialog = page.get_by_role("button", name="Command…"), page.get_by_role("dialog")
        page.get_by_role("application").focus()
        for arrow in ("ArrowDown", "ArrowRight"):
            page.keyboard.press(arrow)
            page.keyboard.press("Enter")
        expect(page.get_by_text("2 machines selected")).to_be_visible()
        expect(offer).to_have_count(0)
        page.keyboard.press("c")
        expect(dialog).to_have_count(0)
        page.keyboard.press("Enter")  # one of them again
        expect(page.get_by_text("1 machine selected")).to_be_visible()
        offer.click()
        expect(dialog.get_by_role("option", name="Restart mining")).to_have_count(1)
        expect(dialog.get_by_role("option", name=re.compile("high risk"))).to_have_count(0)
        visit.go("/problems?code=overheat_crit")
        page.locator(".vbody .vrow").first.wait_for()
        for times in (1, 2):
            page.keyboard.press("j")
            page.keyboard.press("x")
            bar = page.get_by_role("toolbar", name=f"{times} selected")
            expect(bar.get_by_role("button", name="Suppress…")).to_be_visible()
            expect(bar.get_by_role("button", name="Command…")).to_have_count(2 - times)
        page.keyboard.press("c")
        visit.go(f"/sites/{BIG}/problems/{house.hot}")  # for which others are offered "Stop hashing…"
        expect(offer).to_be_visible()
        expect(dialog).to_have_count(0)


def test_somebody_else_who_signs_in_after_the_end_of_a_session_sees_nothing_of_the_former(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    south = house.rows("select id from sites where code = 'demo-south'")[0][0]
    other = house.add("south@example.com", "Technician", site_ids=[south])
    with visiting(browser, house, noc, "/problems?code=overheat_crit") as visit:
        page = visit.page
        page.locator(".vbody .vrow").first.wait_for()
        page.get_by_role("button", name="Saved views").click()
        page.get_by_label("View name").fill("mine alone")
        page.get_by_role("button", name="Save view").click()
        page.context.clear_cookies()
        page.get_by_role("button", name="Machine", exact=True).click()
        expect(page.get_by_label("E-mail")).to_be_visible()
        page.get_by_label("E-mail").fill(other[0])
        page.get_by_label("Password").fill(other[1])
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(house.url + "/")
        expect(page.get_by_role("row")).to_have_count(2)  # the head and its one site
        visit.go("/problems")
        page.get_by_role("button", name="Saved views").click()
        expect(page.get_by_label("View name")).to_be_visible()
        expect(page.get_by_text("mine alone")).to_have_count(0)


def test_who_may_see_nothing_is_not_told_to_make_a_site(browser: Browser, house: House) -> None:
    group = {"name": "of nobody yet", "filter": {"model": "no such model"}}
    made = house.ask(house.owner, "POST", "/api/admin/v1/groups", json=group)
    assert made.status_code == 201, made.text
    who = house.add("nothing@example.com", "Customer", group_ids=[made.json()["id"]])
    with visiting(browser, house, who) as visit:
        expect(visit.page.get_by_text("You have no access to any site.")).to_be_visible()


def test_a_narrow_scope_sees_less(browser: Browser, house: House) -> None:
    zones = house.ask(house.owner, "GET", "/api/admin/v1/zones", params={"site_id": "demo-north"}).json()["zones"]
    who = house.add("zone@example.com", "Technician", zone_ids=[zones[0]["id"]])
    whole, part = (
        house.ask(one, "GET", "/api/v1/telemetry/cells", params={"site_id": "demo-north"}).json()["machines"]
        for one in (house.owner, who)
    )
    assert 0 < part < whole
    with visiting(browser, house, who, NORTH) as visit:
        expect(visit.page.get_by_role("application")).to_have_accessible_name(re.compile(rf"^Site map: {part} "))
        visit.go("/")
        expect(visit.page.get_by_role("row")).to_have_count(2)  # the head and its one site
        for path in (f"/sites/{BIG}", f"/sites/{BIG}/problems/{house.hot}", f"{NORTH}/problems/{house.hot}"):
            visit.go(path)
            expect(visit.page.get_by_text("Page not found")).to_be_visible()
