"""The web console: built from `console/`, part of the wheel, served from memory at the API's own origin.

Any other path that does not belong to the API gets the console's page, so that links into it work; the console itself
reports an unknown page.
"""

import asyncio
import gzip
import mimetypes
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(__file__).parent / "console_files"
_API_PATHS = ("/api/", "/hosting/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/status")
_FOREVER = "public, max-age=31536000, immutable"
_TEXTS = (".html", ".js", ".css", ".svg", ".json", ".webmanifest")
# no inline scripts or styles, no other origin
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class File:
    body: bytes
    media_type: str
    etag: str
    is_text: bool
    is_named_by_content: bool

    @cached_property
    def zipped(self) -> bytes:
        """Compressed on first use: most processes never send most files."""
        return gzip.compress(self.body, 9, mtime=0)


@cache
def console_files(folder: Path = FOLDER) -> dict[str, File]:
    """By path; empty if the console was not built."""
    if not (folder / "index.html").is_file():
        return {}
    return {f"/{file.relative_to(folder).as_posix()}": _read(file) for file in folder.rglob("*") if file.is_file()}


def _read(file: Path) -> File:
    body = file.read_bytes()
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    is_text = file.suffix in _TEXTS
    return File(
        body,
        f"{media_type}; charset=utf-8" if is_text else media_type,
        f'"{sha256(body).hexdigest()[:24]}"',
        is_text=is_text,
        is_named_by_content=file.parent.name == "assets",
    )


class ConsolePages:
    """Handles every path without a route, behind the limits and headers of all responses."""

    def __init__(self, app: ASGIApp, folder: Path = FOLDER) -> None:
        self._app = app
        self._files = console_files(folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = self._find(scope) if self._files and scope["type"] == "http" and scope["method"] == "GET" else None
        if file is None:
            is_root = scope["type"] == "http" and scope["path"] == "/" and not self._files
            await (RedirectResponse("/status") if is_root else self._app)(scope, receive, send)
            return
        await (await _response(file, Headers(scope=scope)))(scope, receive, send)

    def _find(self, scope: Scope) -> File | None:
        path = scope["path"]
        if path.startswith(_API_PATHS):
            return None
        if path in ("/docs", "/docs/"):
            return self._files.get("/docs/index.html")
        # names of sites and machines may contain dots
        is_page = path.startswith("/sites/") or "." not in path.rpartition("/")[2]
        return self._files.get(path) or (self._files["/index.html"] if is_page else None)


async def _response(file: File, request: Headers) -> Response:
    headers = {
        "Cache-Control": _FOREVER if file.is_named_by_content else "no-cache",
        "Content-Security-Policy": POLICY,
        "ETag": file.etag,
        "Vary": "Accept-Encoding",
    }
    if file.etag in request.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if file.is_text and "gzip" in request.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(await asyncio.to_thread(lambda: file.zipped), headers=headers, media_type=file.media_type)
    return Response(file.body, headers=headers, media_type=file.media_type)
