"""Signing in."""

import pyotp
from playwright.sync_api import Browser, expect

from tests.console.house import House
from tests.console.visits import BROWSED, NORTH, visiting

pytestmark = BROWSED


def test_signing_in_says_what_is_wrong_and_asks_for_the_second_factor(browser: Browser, house: House) -> None:
    who = house.add("guarded@example.com", "OpsManager")
    secret = house.ask(who, "POST", "/api/v1/auth/totp/begin").json()["secret"]
    codes = pyotp.TOTP(secret)
    confirmed = house.ask(who, "POST", "/api/v1/auth/totp/confirm", json={"code": codes.now()})
    spare = confirmed.json()["recovery_codes"][0]
    with visiting(browser, house, None, NORTH) as visit:
        page = visit.page
        page.get_by_label("E-mail").fill(who[0])
        page.get_by_label("Password").fill("not the password")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("E-mail or password is wrong.")
        visit.sign_in(who, spare)
        expect(page.get_by_role("heading", name="Demo north")).to_be_visible()  # where the link led
