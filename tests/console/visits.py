"""One person at one page of the console, in a real browser."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route, expect

from tests.console.house import BIG, House
from tests.installation import wait_for

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "console" / "shots"
AXE = ROOT / "console" / "node_modules" / "axe-core" / "axe.min.js"
NORTH = "/sites/demo-north"
MEASURES = "HI_MEASURE" in os.environ  # `make paint`: beside other tests a time says nothing
PATIENCE_MS = 120_000  # ends what hangs: a page beside other work takes what it takes


class Visit:
    """One person at one page, and what the browser complained about."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        # that nobody is signed in yet, or that the server is away, is said by the browser itself
        if message.type == "error" and not re.search(r"status of (401|404)|ERR_|net::", message.text):
            self.complaints.append(message.text)

    def go(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page

    def sign_in(self, who: tuple[str, str], code: str = "") -> None:
        self.page.get_by_label(re.compile("E-mail|邮箱")).fill(who[0])
        self.page.get_by_label(re.compile("Password|密码")).fill(who[1])
        self.page.locator("button[type=submit]").click()
        if code:
            self.page.get_by_label("Authenticator code").fill(code)
            self.page.locator("button[type=submit]").click()
        self.page.locator("nav.rail").wait_for()


@contextmanager
def visiting(
    browser: Browser,
    house: House,
    who: tuple[str, str] | None,
    path: str = "/",
    *,
    size: tuple[int, int] = (1360, 820),
    theme: str = "dark",
    locale: str = "en-US",
) -> Iterator[Visit]:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="light" if theme == "light" else "dark",
        locale=locale,
        accept_downloads=True,
    )
    try:
        context.set_default_timeout(PATIENCE_MS)
        visit = Visit(context.new_page(), house.url)
        visit.go(path)
        if who is not None:
            visit.sign_in(who)
        yield visit
        assert visit.complaints == [], visit.complaints
    finally:
        context.close()


def faults_for_axe(page: Page) -> list[str]:
    """What axe finds wrong: contrast, labels, roles, order. Its text is evaluated, because no script may be inline."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found["violations"]]


def pages_of(house: House) -> dict[str, str]:
    return {
        "fleet": "/",
        "site": f"{NORTH}?measure=temperature",
        "site-big": f"/sites/{BIG}?measure=ratio",
        "miner": f"{NORTH}/miners/{house.first}",
        "problems": "/problems?severity=P0",
        "problem": f"/sites/{BIG}/problems/{house.hot}",
    }


def settled(page: Page) -> None:
    """Everything has been loaded, and charts and the map have been drawn."""
    page.locator("main").wait_for()
    expect(page.locator(".bones")).to_have_count(0)
    page.wait_for_timeout(400)


def hold(page: Page, address: str | re.Pattern[str]) -> list[Route]:
    """Such requests wait until the test lets them go on."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(address, keep)
    return held


def wait_held(page: Page, held: list[Route], times: int = 1) -> None:
    def came() -> bool:
        page.wait_for_timeout(20)  # the driver hears of requests only while it is asked for something
        return len(held) >= times

    wait_for(came, "the requests that are held")
