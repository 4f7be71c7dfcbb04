"""Site: the map and what is commanded from it."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.console.house import BIG, BIG_MACHINES, House
from tests.console.visits import NORTH, hold, visiting, wait_held
from tests.installation import wait_for

COMMANDS = "**/api/admin/v1/commands"
CELLS = re.compile(r"/api/v1/telemetry/cells\?")
# chooses "true" as a click does, and says what the dialog shows in the same turn, before any timer of the page runs
_CHOSEN = """async (select) => {
  select.value = 'true';
  select.dispatchEvent(new Event('change', {bubbles: true}));
  await Promise.resolve();
  const form = select.closest('form');
  const says = form.textContent.includes('No approval needed; sent immediately.');
  return {may_send: !form.querySelector('button[type=submit]').disabled, says_at_once: says};
}"""


def test_machines_chosen_on_the_map_are_commanded_once_and_the_machines_themselves_say_so(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    def lose_the_answer(route: Route) -> None:
        if not (route.request.post_data_json or {}).get("dry_run"):
            assert route.fetch().status == 201  # done, and nobody hears of it
            route.abort()
        else:
            route.continue_()

    with visiting(browser, house, noc, f"{NORTH}?measure=temperature") as visit:
        page = visit.page
        canvas = page.get_by_role("application")
        box = canvas.bounding_box()
        assert box is not None
        canvas.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.get_by_text("2 machines selected")).to_be_visible()
        page.get_by_role("button", name="Command…").click()
        dialog = page.get_by_role("dialog")
        send = dialog.locator("button[type=submit]")
        dialog.get_by_label("Action").select_option("fault_light")
        dialog.get_by_label(re.compile("^On")).select_option("false")
        dialog.get_by_label(re.compile("^Reason")).fill("to find them in the aisle")
        at_once = dialog.get_by_text("No approval needed; sent immediately.")
        expect(at_once).to_be_visible()
        held = hold(page, COMMANDS)
        shown = dialog.get_by_label(re.compile("^On")).evaluate(_CHOSEN)
        assert shown == {"may_send": False, "says_at_once": False}, "before anybody has even asked"
        wait_held(page, held)
        expect(send).to_be_disabled()
        page.unroute(COMMANDS)  # and those that wait go on
        page.route(COMMANDS, lose_the_answer)
        expect(dialog.get_by_text("No effect on hashing (2 machines).")).to_be_visible()
        dialog.get_by_role("button", name="Fault light: 2 machines").click()
        expect(dialog.get_by_text("may or may not have been accepted")).to_be_visible()
        page.unroute(COMMANDS)
        dialog.get_by_role("button", name="Send again").click()
        expect(page.get_by_text("Fault light: 2 commands sent.")).to_be_visible()

    def states() -> list[str]:
        made = house.commands(house.owner, command_type="fault_light")
        return [str(one["state"]) for one in made if one["created_reason"] == "to find them in the aisle"]

    assert len(states()) == 2
    wait_for(lambda: states() == ["succeeded", "succeeded"], "the machines to have done it")


def test_a_command_goes_to_the_machines_that_were_seen_selected_whatever_comes_and_goes(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    cells = cells_of(house, noc)
    zone = cells["zone"][cells["miner_id"].index(house.first)]
    inside = {miner for miner, at in zip(cells["miner_id"], cells["zone"], strict=True) if at == zone}
    with visiting(browser, house, noc, f"{NORTH}?zone={zone}&measure=age") as visit:
        page = visit.page
        page.clock.install()
        page.reload()
        canvas = page.get_by_role("application")
        drag_over_all(page, canvas)
        expect(page.get_by_text(f"{len(inside)} machines selected")).to_be_visible()
        # who stands in the background by the legend is not swept up, and a rack is taken by its name
        legend = page.get_by_role("group", name=re.compile("^Legend"))
        offline = legend.get_by_role("button", name=re.compile("^offline"))
        offline.click()
        none = int(offline.locator("strong").inner_text())
        drag_over_all(page, canvas)
        hint = page.get_by_text("Click a machine or a rack name")
        expect(hint if none == 0 else page.get_by_text(f"{none} machine")).to_be_visible()
        offline.click()
        rack = click_first_rack(page, canvas)
        members = {one for one, of in zip(cells["miner_id"], cells["rack"], strict=True) if of == rack} & inside
        assert members
        expect(page.get_by_text(re.compile(f"^{len(members)} machines? selected"))).to_be_visible()
        page.get_by_role("button", name="Lasso").click()
        body = {"site_id": "demo-north", "miner_id": "a-first", "model": "Antminer S19j Pro"}
        assert house.ask(house.owner, "POST", "/api/admin/v1/miners", json=body).status_code == 201
        try:
            with page.expect_response(CELLS) as read:
                page.clock.run_for(61_000)
            assert read.value.json()["columns"]["miner_id"][0] == "a-first"  # every row has moved
            page.get_by_role("button", name="Command…").click()
            with page.expect_request(COMMANDS) as asked:
                page.get_by_role("dialog").get_by_label("Action").select_option("restart_mining")
                page.clock.run_for(300)
            assert set((asked.value.post_data_json or {})["miner_ids"]) == members
            page.get_by_role("button", name="Cancel").click()
        finally:
            left = house.ask(house.owner, "POST", "/api/admin/v1/miners/a-first/retire", json={"reason": "a test"})
            assert left.status_code == 200, left.text
        page.get_by_title("Choose a zone").click()
        others = [one for one in sorted({*cells["zone"]}) if one != zone]
        page.get_by_role("button", name=others[0], exact=True).click()
        expect(hint).to_be_visible()


def test_twenty_thousand_machines_are_swept_up_and_the_dialog_says_what_that_would_be(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    with visiting(browser, house, noc, f"/sites/{BIG}") as visit:
        page = visit.page
        drag_over_all(page, page.get_by_role("application"))
        expect(page.get_by_text(f"{BIG_MACHINES:,} machines selected")).to_be_visible()
        page.get_by_role("button", name="Command…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Action").select_option("fault_light")
        dialog.get_by_label(re.compile("^On")).select_option("true")
        expect(dialog).to_contain_text(f"No effect on hashing ({BIG_MACHINES:,} machines).")
        expect(dialog).to_contain_text(f"Needs approval by someone else: {BIG_MACHINES:,} machines, limit")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    assert house.commands(house.owner, site_id=BIG, command_type="fault_light") == []


def test_a_moment_that_is_not_there_is_unknown_and_never_the_present(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    past = (datetime.now(UTC) - timedelta(days=6)).isoformat().replace("+00:00", "Z")
    with visiting(browser, house, noc, f"{NORTH}?measure=ratio&at={past}") as visit:
        page = visit.page
        slider = page.get_by_label("Time within the last 24 hours")
        unknown = page.get_by_role("group", name=re.compile("^Legend")).get_by_role("button", name="unknown")
        machines = str(len(cells_of(house, noc)["miner_id"]))
        expect(page.get_by_text("This time cannot be shown")).to_contain_text("only the last 24 hours")
        expect(page.locator(".replay output")).to_contain_text("6 d ago")
        expect(unknown.locator("strong")).to_have_text(machines)
        page.get_by_role("application").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_text("1 machine selected · — · — · 1 of them unknown")).to_be_visible()
        expect(page.locator(".hover-card")).to_contain_text("— / ")
        held = hold(page, CELLS)
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text("Loading…")).to_be_visible()
        wait_held(page, held)
        expect(page.locator(".replay output")).to_contain_text("23 h ago")
        expect(unknown.locator("strong")).to_have_text(machines)
        page.unroute(CELLS)  # and those that wait go on
        expect(unknown.locator("strong")).to_have_text("0")
        expect(page.get_by_text(re.compile(r"^1 machine selected · [0-9.]+\sTH/s"))).to_be_visible()
        page.get_by_role("button", name="Now", exact=True).click()
        expect(page.locator(".replay output")).to_have_text("Now")
        # by the browser itself, of the moment that was refused to the map and to the header
        assert all("status of 422" in visit.complaints.pop() for _ in range(2))


def test_a_filter_by_health_fades_nobody_at_a_time_of_which_health_is_not_known(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
    machines = len(cells_of(house, noc)["miner_id"])
    with visiting(browser, house, noc, f"{NORTH}?only=fine") as visit:
        page = visit.page
        legend = page.get_by_role("group", name=re.compile("^Legend"))
        healthy = legend.get_by_role("button", name=re.compile("^healthy"))
        expect(healthy).to_have_attribute("aria-pressed", "true")
        page.get_by_label("Time within the last 24 hours").focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(legend.get_by_role("button", name="< 50%")).to_have_attribute("aria-pressed", "false")
        drag_over_all(page, page.get_by_role("application"))
        expect(page.get_by_text(f"{machines} machines selected")).to_be_visible()
        page.get_by_role("button", name="Now", exact=True).click()
        expect(healthy).to_have_attribute("aria-pressed", "true")


def cells_of(house: House, who: tuple[str, str]) -> dict[str, list[str]]:
    found = house.ask(who, "GET", "/api/v1/telemetry/cells", params={"site_id": "demo-north"}).json()

    def words(name: str) -> list[str]:
        named: dict[str, Any] = found["named"][name]
        return [named["words"][no] if no >= 0 else "" for no in named["index"]]

    return {"miner_id": found["columns"]["miner_id"], "zone": words("zone"), "rack": words("rack")}


def drag_over_all(page: Page, canvas: Locator) -> None:
    box = canvas.bounding_box()
    assert box is not None
    page.get_by_role("button", name="Lasso").click()
    page.mouse.move(box["x"] + 1, box["y"] + 1)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2)
    page.mouse.up()


def click_first_rack(page: Page, canvas: Locator) -> str:
    """The card stands beside the machine that the arrow keys found, and a rack's name above its first machine."""
    page.mouse.move(0, 0)
    canvas.focus()
    page.keyboard.press("ArrowDown")
    card = page.locator(".hover-card")
    left, top = card.evaluate("card => [parseFloat(card.style.left), parseFloat(card.style.top)]")
    place = str(card.locator(".quiet").first.inner_text())
    canvas.click(position={"x": left - 14 + 3, "y": top - 14 - 5})
    return place.split(" · ")[2]
