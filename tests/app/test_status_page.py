"""The page of the status: it leads to the console, has its mark, and can be read by day and by night."""

import re
from pathlib import Path

import httpx
import pytest

from hashinsight.app import status_page

MARK = Path(__file__).parents[2] / "console" / "public" / "mark.svg"
STATES = ("ok", "degraded", "down")
READABLE = 4.5  # WCAG 2, level AA


@pytest.mark.parametrize("is_built", [True, False])
async def test_it_leads_to_the_console_where_there_is_one(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, *, is_built: bool
) -> None:
    monkeypatch.setattr(status_page, "console_files", lambda: {"/index.html": None} if is_built else {})
    assert ('href="/"' in (await client.get("/status")).text) is is_built


async def test_the_icon_that_a_browser_asks_for_is_the_mark_of_the_console(client: httpx.AsyncClient) -> None:
    assert 'rel="icon" href="/favicon.ico"' in (await client.get("/status")).text
    icon = await client.get("/favicon.ico")
    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")
    assert icon.text == MARK.read_text()


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
async def test_every_state_can_be_read_on_its_ground(client: httpx.AsyncClient, theme: int) -> None:
    page = (await client.get("/status")).text
    themes = re.findall(r":root \{([^}]*--ground[^}]*)\}", page)
    assert len(themes) == 2
    colours = dict(re.findall(r"--(\w+): (#\w+)", themes[theme]))
    for state in STATES:
        assert f".{state} {{ color: var(--{state}); }}" in page
        assert contrast(colours[state], colours["ground"]) >= READABLE, state


def contrast(colour: str, other: str) -> float:
    darker, lighter = sorted((luminance(colour), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
