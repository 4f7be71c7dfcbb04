"""Problem: the one."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from playwright.sync_api import Browser, Route, expect

from tests.console.house import BIG, House
from tests.console.visits import hold, visiting, wait_held

COMMANDS = "**/api/admin/v1/commands"
COMMANDS_OF = re.compile(r"/api/admin/v1/commands\?")


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
        expect(page.get_by_text("Online, but not hashing.")).to_be_visible()
        expect(page.get_by_role("img", name=re.compile("^Distribution of hashrate ratio among"))).to_be_visible()
        page.get_by_role("button", name="Start work").dblclick()  # it is one act, however often it is pressed
        expect(page.get_by_text("Work started", exact=True)).to_be_visible()
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
        assert [one["message"] for one in story["timeline"]].count("board 2 is cold to the touch") == 1
        expect(page.get_by_text("Rejected:")).to_have_count(0)
        assert (story["problem"]["status"], story["people"][story["problem"]["assigned_to"]]) == ("in_progress", "kim")
        page.get_by_role("button", name="Suppress…").click()
        page.get_by_role("dialog").get_by_label("Reason").fill("new fans come tomorrow")
        page.get_by_role("dialog").get_by_role("button", name="Suppress").click()
        expect(page.get_by_role("button", name="Unsuppress…")).to_be_visible()
        assert [one["reason"] for one in told()["suppressions"]] == ["new fans come tomorrow"]
        page.get_by_role("button", name="Resolve…").click()
        page.get_by_role("dialog").get_by_label("Cause").select_option("repaired")
        page.get_by_role("dialog").get_by_label("Action taken").fill("hashboard swapped")
        page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
        expect(page.locator(".chip", has_text="resolved").first).to_be_visible()
    ended = told()["problem"]
    assert (ended["status"], ended["resolution_cause"], ended["resolution_action"]) == (
        "resolved",
        "repaired",
        "hashboard swapped",
    )


def test_the_recommended_command_is_one_click_away_and_says_in_words_what_it_will_do(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "hashrate_zero"}).json()["problems"][1]
    with visiting(browser, house, noc, f"/sites/{BIG}/problems/{found['id']}") as visit:
        page = visit.page
        page.get_by_role("button", name="Restart mining…").click()
        dialog = page.get_by_role("dialog", name="Command")
        expect(dialog.get_by_label("Action")).to_have_value("restart_mining")
        expect(dialog).to_contain_text(f"{found['miner_id']} at Big Spring")
        expect(dialog).to_contain_text("1 machine will restart and stop hashing for a few minutes.")
        expect(dialog).to_contain_text("No approval needed; sent immediately.")
        send = dialog.get_by_role("button", name="Restart mining: 1 machine")
        expect(send).to_be_disabled()  # nobody has said why
        dialog.get_by_label(re.compile("^Reason")).fill("it answers and does nothing")
        assert house.commands(house.owner, site_id=BIG, miner_id=found["miner_id"]) == []
        send.click()
        expect(page.get_by_text("Restart mining: 1 command sent.")).to_be_visible()
        expect(page.get_by_role("region", name="Actions taken")).to_contain_text("Restart mining")
    (made,) = house.commands(house.owner, site_id=BIG, miner_id=found["miner_id"])
    assert (made["command_type"], made["created_reason"]) == ("restart_mining", "it answers and does nothing")
    assert made["problem_id"] == found["id"]


def test_what_is_under_way_does_not_end_what_is_written_meanwhile_and_tells_what_became_of_it(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "hashrate_zero"}).json()["problems"][3]
    with visiting(browser, house, noc, f"/sites/{BIG}/problems/{found['id']}") as visit:
        page = visit.page
        dialog = page.get_by_role("dialog")
        under_way = dialog.get_by_text("Sending… Closing this window does not cancel it.")
        written = dialog.get_by_label("Action taken")

        def send_and_leave(address: str, go: str) -> Route:
            """Sent, not answered yet, and closed; then a resolution is being written."""
            held = hold(page, address)
            dialog.get_by_role("button", name=go).click()
            wait_held(page, held)
            expect(under_way).to_be_visible()
            dialog.get_by_role("button", name="Close").click()
            page.get_by_role("button", name="Resolve…").click()
            written.fill("half of a story")
            return held[0]

        def leave_again() -> None:
            expect(written).to_have_value("half of a story")
            page.keyboard.press("Escape")
            expect(page.get_by_role("button", name="Resolve…")).to_be_focused()  # where one was before

        page.get_by_role("button", name="Restart mining…").click()
        dialog.get_by_label(re.compile("^Reason")).fill("it does nothing")
        expect(dialog.get_by_text("No approval needed; sent immediately.")).to_be_visible()
        send_and_leave(COMMANDS, "Restart mining: 1 machine")
        page.unroute(COMMANDS)  # and what waits goes on
        expect(page.get_by_text("Restart mining: 1 command sent.")).to_be_visible()
        leave_again()

        page.get_by_role("button", name="Suppress…").click()
        dialog.get_by_label("Reason").fill("a board is on order")
        send_and_leave("**/suppress?*", "Suppress").fulfill(status=403, json=refusal("FORBIDDEN"))
        expect(page.get_by_text(f"Suppress {found['miner_id']}: Rejected")).to_be_visible()
        leave_again()
        assert "status of 403" in visit.complaints.pop()  # by the browser itself


def test_what_was_tried_is_this_problems_and_unknown_while_nobody_tells_it(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    query = {"issue_code": "hashrate_zero"}
    found, other = house.ask(noc, "GET", "/api/v1/problems", params=query).json()["problems"][4:6]
    made_for: dict[str, tuple[dict[str, Any], str | None]] = {
        "enable_hashing": ({}, found["id"]),
        "restart_mining": ({}, other["id"]),
        "set_power_mode": ({"mode": "eco"}, None),
    }
    for kind, (params, problem) in made_for.items():
        what = {"command_type": kind, "params": params, "problem_id": problem, "reason": "a test"}
        body = {"site_id": BIG, "miner_ids": [found["miner_id"]]} | what
        made = house.ask(noc, "POST", "/api/admin/v1/commands", json=body)
        assert made.status_code == 201, made.text
    lasted: dict[str, str] = {"start_ts": hours_ago(2)}

    def tell(route: Route) -> None:
        story = route.fetch().json()
        route.fulfill(json=story | {"problem": story["problem"] | lasted})

    with visiting(browser, house, noc) as visit:
        page = visit.page
        page.route(f"**/api/v1/problems/{found['id']}", tell)
        tried = page.get_by_role("region", name="Actions taken")
        held = hold(page, COMMANDS_OF)
        visit.go(f"/sites/{BIG}/problems/{found['id']}")
        wait_held(page, held, 2)
        expect(tried.get_by_role("status", name="Loading")).to_be_visible()
        for route in held:
            route.fulfill(status=500, json=refusal("INTERNAL_ERROR"))
        expect(tried).to_contain_text("internal server error")
        page.unroute(COMMANDS_OF)
        tried.get_by_role("button", name="Try again").click()
        expect(tried.get_by_role("listitem")).to_contain_text(["Set power mode", "Start hashing"])
        lasted["resolved_ts"] = hours_ago(1)  # what came later was for something else
        page.reload()
        expect(tried.get_by_role("listitem")).to_contain_text(["Start hashing"])
        assert all("status of 500" in one for one in visit.complaints)
        visit.complaints.clear()


def test_a_change_by_somebody_else_appears_by_itself_and_work_goes_on_from_a_phone(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "hashrate_zero"}).json()["problems"][-1]
    with visiting(browser, house, noc, f"/sites/{BIG}/problems/{found['id']}", size=(390, 844)) as visit:
        expect(visit.page.locator(".chip", has_text="open").first).to_be_visible()
        done = house.ask(house.owner, "POST", f"/api/v1/problems/{found['id']}/acknowledge", json={})
        assert done.status_code == 200, done.text
        expect(visit.page.locator(".chip", has_text="acknowledged").first).to_be_visible()
        visit.page.get_by_role("button", name="Start work").click()
        expect(visit.page.locator(".chip", has_text="in progress").first).to_be_visible()


def test_a_comment_outlives_the_end_of_the_session_and_another_language(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    found = house.ask(noc, "GET", "/api/v1/problems", params={"issue_code": "hashrate_zero"}).json()["problems"][2]
    with visiting(browser, house, noc, f"/sites/{BIG}/problems/{found['id']}") as visit:
        page = visit.page
        page.get_by_label("Add a comment").fill("half of a thought")
        page.get_by_role("button", name="Account and settings").click()
        page.get_by_role("button", name="中文").click()
        expect(page.get_by_label("添加备注")).to_have_value("half of a thought")
        page.get_by_label("添加备注").fill("a whole thought")
        page.context.clear_cookies()
        page.get_by_role("button", name="备注", exact=True).click()
        again = page.get_by_role("dialog", name="登录")
        again.get_by_role("button", name="English").click()
        again = page.get_by_role("dialog", name="Sign in")
        again.get_by_label("E-mail").fill(noc[0])
        again.get_by_label("Password").fill(noc[1])
        again.get_by_role("button", name="Sign in").click()
        expect(again).to_be_hidden()
        expect(page.get_by_label("Add a comment")).to_have_value("a whole thought")
        page.route("**/problems/bulk", lambda route: route.abort())
        page.get_by_role("button", name="Comment", exact=True).click()
        expect(
            page.get_by_text("No response from the server; the action may or may not have been applied.")
        ).to_be_visible()
        expect(page.get_by_label("Add a comment")).to_have_value("a whole thought")
        page.unroute("**/problems/bulk")
        held = hold(page, "**/problems/bulk")
        page.get_by_role("button", name="Comment", exact=True).click()
        wait_held(page, held)
        page.get_by_label("Add a comment").fill("the next one")
        page.unroute("**/problems/bulk")
        expect(page.get_by_role("listitem").filter(has_text="a whole thought")).to_be_visible()
        expect(page.get_by_label("Add a comment")).to_have_value("the next one")
        expect(page).to_have_title(f"{found['miner_id']} · No hashrate · HashInsight")
    story = house.ask(house.owner, "GET", f"/api/v1/problems/{found['id']}").json()
    assert [one["message"] for one in story["timeline"]].count("a whole thought") == 1


def hours_ago(n: int) -> str:
    return (datetime.now(UTC) - timedelta(hours=n)).isoformat()


def refusal(code: str) -> dict[str, Any]:
    return {"success": False, "error_code": code, "message": "told by a test", "details": {}}
