"""What a page says when there is nothing, too much of a name, or no answer."""

import json
import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Browser, Page, Route, expect

from tests.console.house import House
from tests.console.visits import NORTH, faults_for_axe, settled, visiting

LONG_SITE = ("far.away", "The north-eastern annex of the old aluminium works behind the second gate, hall 4")
LONG_MINER = "B2-R14-03-of-the-second-row-left-of-the-door-that-does-not-close"

LONG_AGO = re.compile(r"Last scan too old: Demo north \(7 h \d+ min ago\), Demo")


def test_what_fails_says_so_in_its_place_and_what_is_old_says_how_old_and_fades(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, house, noc) as visit:
        page = visit.page
        page.clock.install()
        fail(page, "**/health_summary", 500, "INTERNAL_ERROR")
        page.reload()
        north = page.get_by_role("row", name=re.compile("Demo north"))
        expect(page.get_by_role("region", name="Problems by type")).to_contain_text(
            "No data from the server for Demo north"
        )
        expect(north).not_to_have_class(re.compile("stale"))
        page.unroute("**/health_summary")
        page.route("**/health_summary", tell_of_long_ago)
        page.reload()
        expect(page.get_by_role("region", name="Problems by type")).to_contain_text(LONG_AGO)
        expect(north.locator(".counts")).to_contain_text("—")
        page.unroute_all(behavior="wait")  # an answer still on its way would be cut off when the clock jumps
        fail(page, "**/telemetry/sites", 500, "INTERNAL_ERROR")
        page.clock.run_for(400_000)
        expect(page.get_by_text(re.compile(r"could not be updated and is \d+ min old"))).to_be_visible()
        expect(north).to_have_class(re.compile("stale"))
        assert faults_for_axe(page) == []
        page.unroute("**/telemetry/sites")
        page.clock.run_for(61_000)
        expect(page.get_by_text("could not be updated")).to_have_count(0)
        fail(page, "**/telemetry/history*", 403, "FORBIDDEN")
        fail(page, "**/miners/*/peers*", 500, "INTERNAL_ERROR")
        visit.go(f"{NORTH}/miners/{house.first}")
        expect(page.get_by_role("region", name="History")).to_contain_text("Your role does not allow this")
        peers = page.get_by_role("region", name="Peers")
        expect(peers).to_contain_text("internal server error")
        page.unroute("**/miners/*/peers*")
        peers.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("img", name=re.compile("^Distribution of"))).to_be_visible()
        of_text = page.evaluate("getComputedStyle(document.body).color")
        expect(page.locator(".histogram .mark")).to_have_css("color", of_text)  # nothing is wrong: no colour
        page.route("**/assets/dialog-*.js", lambda route: route.abort())
        page.keyboard.press("c")
        page.clock.run_for(5_000)
        expect(page.get_by_text("Part of this page failed to load")).to_be_visible()
        expect(page.get_by_role("heading", name=house.first)).to_be_visible()
        page.unroute("**/assets/dialog-*.js")
        page.clock.run_for(5_000)
        expect(page.get_by_role("dialog", name="Command")).to_be_visible()
        assert all(re.search("status of (500|403)", one) for one in visit.complaints), visit.complaints
        visit.complaints.clear()


def test_an_empty_site_says_so_and_no_name_is_too_long_for_a_phone(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    code, name = LONG_SITE
    made = house.ask(house.owner, "POST", "/api/admin/v1/sites", json={"code": code, "name": name})
    assert made.status_code == 201, made.text
    with visiting(browser, house, noc, f"/sites/{code}", size=(390, 844)) as visit:
        page = visit.page
        expect(page.get_by_text("No machines at this site yet")).to_be_visible()
        assert faults_for_axe(page) == []
        held_within(page)
        body = {"site_id": code, "miner_id": LONG_MINER, "model": "Antminer S19j Pro", "serial": "S" * 64}
        assert house.ask(house.owner, "POST", "/api/admin/v1/miners", json=body).status_code == 201
        for size in ((390, 844), (1360, 820)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            for path in ("/", f"/sites/{code}", f"/sites/{code}/miners/{LONG_MINER}", f"/problems?site={code}"):
                visit.go(path)
                settled(page)
                held_within(page)
            expect(page.get_by_text("No problems match these filters")).to_be_visible()
            visit.go(f"/sites/{code}/miners/{LONG_MINER}")
            expect(page.get_by_role("heading", name=LONG_MINER)).to_be_visible()
            expect(page.get_by_text("unknown: never seen")).to_be_visible()


def test_an_empty_list_says_of_which_sites_nobody_knows_anything(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, house, noc) as visit:
        visit.page.route("**/health_summary", tell_of_long_ago)
        visit.page.route("**/api/v1/problems?*", tell_of_none)
        visit.go("/problems")
        expect(visit.page.get_by_text("No open problems known")).to_be_visible()
        expect(visit.page.get_by_text(LONG_AGO)).to_be_visible()


def fail(page: Page, address: str, status: int, code: str) -> None:
    body = json.dumps({"success": False, "error_code": code, "message": "told by a test", "details": {}})

    def answer(route: Route) -> None:
        route.fulfill(status=status, content_type="application/json", body=body)

    page.route(address, answer)


def tell_of_long_ago(route: Route) -> None:
    """A registry that found nothing, seven hours ago."""
    told = route.fetch().json()
    then = (datetime.now(UTC) - timedelta(hours=7, minutes=20)).isoformat()
    none = {"by_severity": {}, "by_issue": {}, "top_risks": [], "unknown_miners": 0}
    route.fulfill(json=told | none | {"last_scan_ts": then})


def tell_of_none(route: Route) -> None:
    route.fulfill(json={"problems": [], "pagination": {"page": 1, "per_page": 50, "total": 0, "pages": 0}})


def held_within(page: Page) -> None:
    """Nothing of the page, its bar or its content reaches beyond the side."""
    wide = """() => [document.documentElement, ...document.querySelectorAll('main, header.top')]
        .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML.slice(0, 120))"""
    assert page.evaluate(wide) == [], page.url
