"""`/docs`: the API's documentation in a real browser, from our own origin, within the content security policy."""

import httpx
import pytest
from playwright.async_api import ConsoleMessage, Page, async_playwright, expect

from hashinsight.app import create_app
from hashinsight.kit.settings import Settings
from tests.console.chromium import is_left_out, need_chromium
from tests.installation import HANG_TIMEOUT_SEC
from tests.loopback_server import serve_on_loopback


async def test_the_page_loads_nothing_from_elsewhere_and_has_no_inline_script(client: httpx.AsyncClient) -> None:
    page = await client.get("/docs")
    assert page.status_code == 200
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "https://" not in page.text
    assert "<script>" not in page.text
    for script in ("/docs/swagger-ui-bundle.js", "/docs/start.js", "/docs/swagger-ui.css"):
        assert script in page.text
        assert (await client.get(script)).status_code == 200


@pytest.mark.skipif(is_left_out(), reason="HI_BROWSER=no: the browser tests were left out")
async def test_a_browser_shows_the_operations_and_breaks_no_rule_of_the_policy(settings: Settings) -> None:
    wrong: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(message.text)

    app = create_app(settings)
    async with app.router.lifespan_context(app), serve_on_loopback(app) as url, async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=need_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        page: Page = await browser.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto(f"{url}/docs", timeout=HANG_TIMEOUT_SEC * 1000)
        expect.set_options(timeout=HANG_TIMEOUT_SEC * 1000)
        await page.locator("#operations-tag-problems").click()
        operation = page.locator("#operations-problems-list_problems")
        await operation.click()
        await expect(operation.get_by_text("Not signed in, or the token or key is not valid")).to_be_visible()
        await browser.close()
    assert wrong == []
