"""How the console's files are served: cached by content, without inline scripts, and never in place of the API."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from hashinsight.app.console import ConsolePages


@pytest.fixture
async def pages(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    folder = tmp_path / "files"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>console</title>")
    (folder / "assets" / "main-abc.js").write_text("let a = 1;\n" * 100)
    (tmp_path / "secret.txt").write_text("beside it")
    app = Starlette(routes=[Route("/api/v1/thing", lambda _: PlainTextResponse("from the API"))])
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(ConsolePages(app, folder)), base_url="http://127.0.0.1"
    ) as client:
        yield client


async def test_the_root_and_every_deep_link_serve_the_page_uncached(pages: httpx.AsyncClient) -> None:
    for path in ("/", "/sites/tx-1", "/problems?severity=P0", "/sites/tx.1", "/sites/tx-1/miners/10.0.3.7"):
        page = await pages.get(path)
        assert (page.status_code, "console" in page.text) == (200, True), path
        assert page.headers["cache-control"] == "no-cache"
        assert (await pages.get(path, headers={"If-None-Match": page.headers["etag"]})).status_code == 304


async def test_scripts_are_kept_for_ever_and_sent_compressed(pages: httpx.AsyncClient) -> None:
    answer = await pages.get("/assets/main-abc.js", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < len(gzip.decompress(gzip.compress(answer.content))) / 5
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")


async def test_the_policy_allows_no_inline_script_and_no_inline_style(pages: httpx.AsyncClient) -> None:
    policy = (await pages.get("/")).headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy


async def test_the_api_answers_for_itself_and_a_missing_file_is_missing(pages: httpx.AsyncClient) -> None:
    assert (await pages.get("/api/v1/thing")).text == "from the API"
    for path in ("/api/v1/nothing", "/assets/gone.js", "/gone.png", "/%2e%2e/secret.txt", "/healthz"):
        assert (await pages.get(path)).status_code == 404, path
    assert (await pages.post("/sites/tx-1")).status_code == 404
