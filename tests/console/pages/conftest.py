"""One installation and one browser for all pages: `tests.xdist_schedule` keeps this folder together."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.console.chromium import need_chromium
from tests.console.house import MACHINES, House
from tests.console.visits import MEASURES, PATIENCE_MS, SHOTS
from tests.installation import UP, Installation, new_folder

collect_ignore = [] if MEASURES else ["test_speed.py"]  # beside other tests a time says nothing


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = need_chromium()
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def house(browser: Browser) -> Iterator[House]:
    assert browser.is_connected()
    with new_folder() as place, Installation(place, command=(*UP, "--demo"), demo_miners=MACHINES) as up:
        up.wait_ready()
        SHOTS.mkdir(exist_ok=True)
        made = House(up, SHOTS)
        made.furnish()
        yield made
    lines = up.output.splitlines()
    # the cycles that the house runs by itself, without a worker's lock, may come in the way of the installation's own
    own = ("problem_cycle", "uq_problem_events_event_no")
    raised = [no for no, line in enumerate(lines) if "Traceback" in line and not all(word in line for word in own)]
    assert raised == [], "\n".join(lines[max(0, raised[0] - 5) :])[:8000] if raised else ""


@pytest.fixture(scope="package")
def noc(house: House) -> tuple[str, str]:
    return house.add("noc@example.com", "NOC")
