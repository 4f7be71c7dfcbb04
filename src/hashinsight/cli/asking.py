"""Asking our own API whether it is ready, and what it has counted."""

import json
import urllib.error
import urllib.request
from typing import Any

from hashinsight.kit.settings import Settings

_SECONDS = 5
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to ask when we listen on all of them


def own_url(settings: Settings) -> str:
    host = _ANY_ADDRESS.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def ask_ready(url: str) -> dict[str, Any]:
    """The answer of `/readyz`, asked directly: a proxy of the environment has no business between us and ourselves."""
    try:
        with _direct().open(f"{url}/readyz", timeout=_SECONDS) as answer:
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        with error:
            return {"status": "not_ready", **_parsed(error.read())}
    except (OSError, ValueError):
        return {"status": "not_ready", "parts": {}}


def ask_count(settings: Settings, metric: str) -> float | None:
    """What all API processes of this machine have counted since their start; None where `/metrics` does not say."""
    request = urllib.request.Request(f"{own_url(settings)}/metrics")  # noqa: S310 - our own address
    if settings.metrics_token is not None:
        request.add_header("Authorization", f"Bearer {settings.metrics_token.get_secret_value()}")
    try:
        with _direct().open(request, timeout=_SECONDS) as answer:
            lines = answer.read().decode().splitlines()
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
