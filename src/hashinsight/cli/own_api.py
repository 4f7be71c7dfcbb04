"""Calls to this installation's own API: readiness and metrics."""

import json
import urllib.error
import urllib.request
from typing import Any

from hashinsight.kit.settings import Settings

_TIMEOUT_SEC = 5
_CALL_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - the address to call when the API listens on all


def own_url(settings: Settings) -> str:
    host = _CALL_ADDRESS.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def get_readiness(url: str) -> dict[str, Any]:
    """The answer of `/readyz`; proxies set in the environment are bypassed."""
    try:
        with _direct().open(f"{url}/readyz", timeout=_TIMEOUT_SEC) as response:
            return dict(json.load(response))
    except urllib.error.HTTPError as error:
        with error:
            return {"status": "not_ready", **_parsed(error.read())}
    except (OSError, ValueError):
        return {"status": "not_ready", "parts": {}}


def find_metric_total(settings: Settings, metric: str) -> float | None:
    """A counter summed over all API processes since their start; None if `/metrics` is not readable."""
    request = urllib.request.Request(f"{own_url(settings)}/metrics")  # noqa: S310 - our own address
    if settings.metrics_token is not None:
        request.add_header("Authorization", f"Bearer {settings.metrics_token.get_secret_value()}")
    try:
        with _direct().open(request, timeout=_TIMEOUT_SEC) as response:
            lines = response.read().decode().splitlines()
    except (OSError, ValueError):
        return None
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{metric} ", f"{metric}{{")))


def _direct() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        return dict(json.loads(body))
    except ValueError:
        return {}
