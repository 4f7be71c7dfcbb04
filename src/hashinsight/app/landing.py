"""How the installation is, for whoever opens it in a browser; the root leads here where the console was not built."""

from html import escape

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hashinsight import __version__
from hashinsight.app.readiness import look

router = APIRouter()

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HashInsight</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto 0; padding: 0 1.5rem; }
  h1 { font-weight: 600; letter-spacing: -0.02em; margin-bottom: 0; }
  p { margin-top: 0.25rem; opacity: 0.8; }
  table { border-collapse: collapse; margin: 1.5rem 0; }
  td { padding: 0.15rem 1.5rem 0.15rem 0; vertical-align: top; }
  .ok { color: #1a7f37; } .degraded { color: #9a6700; } .down { color: #cf222e; }
  dt { font-family: ui-monospace, monospace; margin-top: 1rem; }
  dd { margin: 0; opacity: 0.8; }
</style>
</head>
<body>
<h1>HashInsight</h1>
<p>Control plane and problem registry for fleets of Bitcoin ASIC miners. Version @VERSION@.</p>
<table>@PARTS@</table>
<dl>
<dt><a href="/readyz">/readyz</a></dt><dd>whether every part is ready, and which is not</dd>
<dt><a href="/openapi.json">/openapi.json</a></dt><dd>the API, for your client generator</dd>
<dt><a href="/metrics">/metrics</a></dt><dd>for Prometheus</dd>
</dl>
</body>
</html>
"""


@router.get("/status", response_class=HTMLResponse, include_in_schema=False)
async def landing(request: Request) -> str:
    parts = (await look(request)).parts
    rows = "".join(
        f'<tr><td>{escape(name)}</td><td class="{part.state}">{part.state}</td><td>{escape(part.message)}</td></tr>'
        for name, part in parts.items()
    )
    return _PAGE.replace("@VERSION@", __version__).replace("@PARTS@", rows)
