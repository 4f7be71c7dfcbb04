"""Site: the map and what is commanded from it."""

import re

from playwright.sync_api import Browser, expect

from tests.console.house import House, until
from tests.console.visits import BROWSED, NORTH, visiting

pytestmark = BROWSED


def test_machines_chosen_on_the_map_are_commanded_and_the_machines_themselves_say_so(
    browser: Browser, house: House, noc: tuple[str, str]
) -> None:
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
        dialog.get_by_label("What").select_option("fault_light")
        dialog.get_by_label("On", exact=False).last.select_option("true")
        dialog.get_by_label(re.compile("^Why")).fill("to find them in the aisle")
        expect(dialog.get_by_text("2 machines will go on hashing as before.")).to_be_visible()
        expect(dialog.get_by_text("It goes out at once, without approval.")).to_be_visible()
        dialog.get_by_role("button", name="Fault light on 2 machines").click()
        expect(page.get_by_text("Fault light: 2 commands are on the way.")).to_be_visible()

    def states() -> list[str]:
        made = house.commands(house.owner, command_type="fault_light")
        return [str(one["state"]) for one in made if one["created_reason"] == "to find them in the aisle"]

    assert len(states()) == 2
    until(lambda: states() == ["succeeded", "succeeded"], "the machines to have done it")
