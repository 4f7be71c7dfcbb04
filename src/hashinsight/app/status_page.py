"""The status of the installation as a web page; `/` redirects here when the console is not built."""

from html import escape

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from hashinsight import __version__
from hashinsight.app.console import console_files
from hashinsight.app.readiness import check_readiness

router = APIRouter()

# same as console/public/mark.svg, which is missing if the console was not built
_MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#20262a"/>'
    '<path d="M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3z" fill="#8d989f"/><path d="M9 9h4v4H9z" fill="#ff9e4a"/></svg>\n'
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<title>HashInsight</title>
<style>
  :root { color-scheme: light dark; --ground: #fff; --ok: #1a7f37; --degraded: #9a6700; --down: #cf222e; }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #0d1012; --ok: #4ac26b; --degraded: #e3bd45; --down: #ff746b; }
  }
  body { background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 40rem; margin: 15vh auto 0; padding: 0 1.5rem; }
  h1 { font-weight: 600; letter-spacing: -0.02em; margin-bottom: 0; }
  p { margin-top: 0.25rem; opacity: 0.8; }
  table { border-collapse: collapse; margin: 1.5rem 0; }
  td { padding: 0.15rem 1.5rem 0.15rem 0; vertical-align: top; }
  .ok { color: var(--ok); } .degraded { color: var(--degraded); } .down { color: var(--down); }
  dt { font-family: ui-monospace, monospace; margin-top: 1rem; }
  dd { margin: 0; opacity: 0.8; }
</style>
</head>
<body>
<h1>HashInsight</h1>
<p>Control plane and problem registry for fleets of Bitcoin ASIC miners. Version @VERSION@.</p>
<table>@PARTS@</table>
<dl>
@CONSOLE@<dt><a href="/readyz">/readyz</a></dt><dd>readiness of each part</dd>
@DOCS@<dt><a href="/openapi.json">/openapi.json</a></dt><dd>OpenAPI document, for client generators</dd>
<dt><a href="/metrics">/metrics</a></dt><dd>metrics for Prometheus</dd>
</dl>
</body>
</html>
"""
_CONSOLE = '<dt><a href="/">/</a></dt><dd>console: sites, machines, problems, commands</dd>\n'
_DOCS = '<dt><a href="/docs">/docs</a></dt><dd>API documentation</dd>\n'


@router.get("/status", response_class=HTMLResponse, include_in_schema=False)
async def status_page(request: Request) -> str:
    parts = (await check_readiness(request)).parts
    rows = "".join(
        f'<tr><td>{escape(name)}</td><td class="{part.state}">{part.state}</td><td>{escape(part.message)}</td></tr>'
        for name, part in parts.items()
    )
    console, docs = (_CONSOLE, _DOCS) if console_files() else ("", "")
    page = _PAGE.replace("@VERSION@", __version__).replace("@CONSOLE@", console).replace("@DOCS@", docs)
    return page.replace("@PARTS@", rows)


@router.get("/favicon.ico", include_in_schema=False)
async def favicon() -> Response:
    """For pages other than the console's."""
    return Response(_MARK, media_type="image/svg+xml", headers={"Cache-Control": "public, max-age=86400"})
