"""The web console's files: built from `console/`, part of the wheel, served from memory and from the API's own origin.

A path that is no file and does not belong to the API is a page of the console, so that a link to one works; the page
itself says when there is no such page.
"""

import gzip
import mimetypes
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(__file__).parent / "console_files"
_OF_THE_API = ("/api/", "/hosting/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/status")
_FOR_EVER = "public, max-age=31536000, immutable"
_TEXTS = (".html", ".js", ".css", ".svg", ".json", ".webmanifest")
# no inline script, no inline style, nothing from elsewhere
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class File:
    body: bytes
    zipped: bytes | None
    kind: str
    tag: str
    is_named_by_content: bool


@cache
def console_files(folder: Path = FOLDER) -> dict[str, File]:
    """By path; empty where the console was not built."""
    if not (folder / "index.html").is_file():
        return {}
    return {f"/{file.relative_to(folder).as_posix()}": _read(file) for file in folder.rglob("*") if file.is_file()}


def _read(file: Path) -> File:
    body = file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return File(
        body,
        gzip.compress(body, 9, mtime=0) if file.suffix in _TEXTS else None,
        f"{kind}; charset=utf-8" if file.suffix in _TEXTS else kind,
        f'"{sha256(body).hexdigest()[:24]}"',
        file.parent.name == "assets",
    )


class ConsolePages:
    """Behind the limits and headers of every answer, for what no route takes."""

    def __init__(self, app: ASGIApp, folder: Path = FOLDER) -> None:
        self._app = app
        self._files = console_files(folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._find(scope) if self._files and scope["type"] == "http" and scope["method"] == "GET" else None
        if found is None:
            is_root = scope["type"] == "http" and scope["path"] == "/" and not self._files
            await (RedirectResponse("/status") if is_root else self._app)(scope, receive, send)
            return
        await _answer(found, Headers(scope=scope))(scope, receive, send)

    def _find(self, scope: Scope) -> File | None:
        path = scope["path"]
        if path.startswith(_OF_THE_API):
            return None
        # the names of sites and machines may have points
        is_page = path.startswith("/sites/") or "." not in path.rpartition("/")[2]
        return self._files.get(path) or (self._files["/index.html"] if is_page else None)


def _answer(file: File, asked: Headers) -> Response:
    headers = {
        "Cache-Control": _FOR_EVER if file.is_named_by_content else "no-cache",
        "Content-Security-Policy": POLICY,
        "ETag": file.tag,
        "Vary": "Accept-Encoding",
    }
    if file.tag in asked.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if file.zipped is not None and "gzip" in asked.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(file.zipped, headers=headers, media_type=file.kind)
    return Response(file.body, headers=headers, media_type=file.kind)
