"""Signing in."""

import re

import pyotp
from playwright.sync_api import Browser, expect

from tests.console.house import House
from tests.console.visits import NORTH, visiting


def test_signing_in_says_what_is_wrong_and_asks_for_the_second_factor_which_a_dangerous_act_asks_for_again(
    browser: Browser, house: House
) -> None:
    who = house.add("guarded@example.com", "OpsManager")
    secret = house.ask(who, "POST", "/api/v1/auth/totp/begin", json={"password": who[1]}).json()["secret"]
    codes = pyotp.TOTP(secret)
    confirmed = house.ask(who, "POST", "/api/v1/auth/totp/confirm", json={"code": codes.now()})
    spare, another, *_ = confirmed.json()["recovery_codes"]
    with visiting(browser, house, None, NORTH) as visit:
        page = visit.page
        page.get_by_label("E-mail").fill(who[0])
        page.get_by_label("Password").fill("not the password")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("Wrong e-mail or password.")
        visit.sign_in(who, spare)
        expect(page.get_by_role("heading", name="Demo north")).to_be_visible()  # where the link led

        visit.go(f"{NORTH}/miners/{house.first}")
        page.get_by_role("button", name="Command…").click()
        dialog = page.get_by_role("dialog", name="Command")
        dialog.get_by_label("Action").select_option("set_pool")
        dialog.get_by_label("Pool address").fill("stratum+tcp://pool.example.com:3333")
        dialog.get_by_label("Worker").fill("farm.9")
        dialog.get_by_label(re.compile("^Reason")).fill("the account moves")
        dialog.get_by_role("button", name="Request approval: Set pool, 1 machine").click()
        factor = page.get_by_role("dialog", name="Enter your authenticator code")
        code, go = factor.get_by_label("Authenticator code"), factor.get_by_role("button", name="Continue")
        page.route("**/step-up", lambda route: route.abort())
        code.fill("000000")
        go.click()
        expect(factor.get_by_role("alert")).to_contain_text("Server not reachable")
        page.unroute("**/step-up")
        go.click()
        expect(factor.get_by_role("alert")).to_contain_text("Code is wrong or already used.")
        assert house.commands(house.owner, command_type="set_pool") == []
        code.fill(another)
        go.click()
        expect(page.get_by_text("Set pool: 1 command waits for approval.")).to_be_visible()
        # by the browser itself, of the act and of the code that were refused
        assert [one for one in visit.complaints if "status of 403" not in one] == []
        visit.complaints.clear()
    (made,) = house.commands(house.owner, command_type="set_pool")
    assert (made["created_reason"], made["approval_state"]) == ("the account moves", "required")


def test_signing_out_leaves_nothing_on_the_page_and_says_so_where_it_failed(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, house, noc) as visit:
        page = visit.page
        page.get_by_role("link", name="Problems", exact=True).click()
        page.route("**/auth/logout", lambda route: route.abort())
        page.get_by_role("button", name="Account and settings").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_text("Sign-out failed, you are still signed in: Server not reachable")).to_be_visible()
        page.unroute("**/auth/logout")
        page.get_by_role("button", name="Account and settings").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Password")).to_be_visible()
        expect(page.locator("nav.rail")).to_have_count(0)
        expect(page).to_have_url(house.url + "/")
        page.go_back()
        expect(page.get_by_label("Password")).to_be_visible()
        expect(page.locator("nav.rail")).to_have_count(0)


def test_recovery_codes_stay_until_they_were_kept(browser: Browser, house: House) -> None:
    who = house.add("new@example.com", "NOC")
    house.rows("update tenants set require_totp = true returning id")
    try:
        with visiting(browser, house, None) as visit:
            page = visit.page
            page.clock.install()
            page.get_by_label("E-mail").fill(who[0])
            page.get_by_label("Password").fill(who[1])
            page.get_by_role("button", name="Sign in").click()
            page.get_by_role("button", name="Continue").wait_for()
            page.get_by_label("Password").fill(who[1])
            page.get_by_role("button", name="Continue").click()
            secret = page.locator("dd.mono").inner_text()
            page.get_by_label("Authenticator code").fill(pyotp.TOTP(secret).now())
            page.get_by_role("button", name="Turn on").click()
            expect(page.locator("ul.mono li")).to_have_count(10)
            page.clock.run_for(61_000)
            with page.expect_response("**/auth/me") as told:  # as by a look into another window
                page.evaluate("dispatchEvent(new Event('visibilitychange'))")
            assert told.value.json()["must_enrol_totp"] is False
            page.clock.run_for(1_000)
            expect(page.locator("ul.mono li")).to_have_count(10)
            page.get_by_role("button", name="I have saved them").click()
            expect(page.locator("nav.rail")).to_be_visible()
    finally:
        house.rows("update tenants set require_totp = false returning id")


def test_whoever_has_no_second_factor_is_asked_for_the_password_before_a_dangerous_act(
    browser: Browser, house: House
) -> None:
    who = house.add("plain@example.com", "OpsManager")
    with visiting(browser, house, who) as visit:
        page = visit.page
        visit.go(f"{NORTH}/miners/{house.first}")
        assert page.request.post(f"{house.url}/api/v1/auth/refresh", data={}).ok  # a new token has shown nothing
        page.get_by_role("button", name="Command…").click()
        dialog = page.get_by_role("dialog", name="Command")
        dialog.get_by_label("Action").select_option("set_pool")
        dialog.get_by_label("Pool address").fill("stratum+tcp://pool.example.com:3333")
        dialog.get_by_label("Worker").fill("farm.10")
        dialog.get_by_label(re.compile("^Reason")).fill("another account")
        dialog.get_by_role("button", name="Request approval: Set pool, 1 machine").click()
        asked = page.get_by_role("dialog", name="Enter your password")
        password, go = asked.get_by_label("Password"), asked.get_by_role("button", name="Continue")
        password.fill("not the password")
        go.click()
        expect(asked.get_by_role("alert")).to_contain_text("Wrong password.")
        password.fill(who[1])
        go.click()
        expect(page.get_by_text("Set pool: 1 command waits for approval.")).to_be_visible()
        assert [one for one in visit.complaints if "status of 403" not in one] == []
        visit.complaints.clear()
