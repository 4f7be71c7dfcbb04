"""Every page as people see it: pictures, accessibility, a phone."""

import pytest
from playwright.sync_api import Browser

from tests.console.house import House
from tests.console.visits import faults_for_axe, pages_of, settled, visiting


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_every_page_in_both_themes_and_languages_is_accessible_and_is_kept_as_a_picture(
    browser: Browser, house: House, noc: tuple[str, str], theme: str, locale: str
) -> None:
    with visiting(browser, house, None, theme=theme, locale=locale) as visit:
        visit.page.locator("form").wait_for()
        visit.page.screenshot(path=house.shots / f"login-{theme}-{locale}.png")
        assert faults_for_axe(visit.page) == []
        visit.sign_in(noc)
        for name, path in pages_of(house).items():
            page = visit.go(path)
            settled(page)
            page.screenshot(path=house.shots / f"{name}-{theme}-{locale}.png")
            assert faults_for_axe(page) == [], name


def test_on_a_phone_nothing_is_cut_off_at_the_side(browser: Browser, house: House, noc: tuple[str, str]) -> None:
    with visiting(browser, house, noc, size=(390, 844)) as visit:
        for name, path in pages_of(house).items():
            page = visit.go(path)
            settled(page)
            page.screenshot(path=house.shots / f"{name}-phone.png")
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, name
            cut = page.evaluate(
                "[...document.querySelectorAll('main, .panel > .scroll')]"
                ".filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML.slice(0, 120))"
            )
            assert cut == [], name
