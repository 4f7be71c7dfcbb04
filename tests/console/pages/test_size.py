"""How much a browser loads for the first page."""

from playwright.sync_api import Browser, expect

from tests.console.house import House
from tests.console.visits import visiting


def test_the_first_page_needs_less_than_200_kilobytes_of_script(browser: Browser, house: House) -> None:
    with visiting(browser, house, (house.owner[0], house.owner[1])) as visit:
        expect(visit.page.get_by_role("table")).to_be_visible()
        sizes = visit.page.evaluate(
            "performance.getEntriesByType('resource').filter(one => one.name.endsWith('.js'))"
            ".map(one => [one.name, one.encodedBodySize])"
        )
        assert len(sizes) >= 3
        together = sum(size for _, size in sizes)
        house.keep_figures(first_page_script_bytes=together)
        assert together < 200_000  # charts come with the first chart
        assert all(size > 0 for _, size in sizes)
