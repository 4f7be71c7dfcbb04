"""Asking our own API whether it is ready."""

import json
import urllib.error
import urllib.request
from typing import Any

from hashinsight.kit.settings import Settings

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to ask when we listen on all of them


def own_url(settings: Settings) -> str:
    host = _ANY_ADDRESS.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def ask_ready(url: str) -> dict[str, Any]:
    """The answer of `/readyz`, asked directly: a proxy of the environment has no business between us and ourselves."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{url}/readyz", timeout=5) as answer:
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        with error:
            return {"status": "not_ready", **_parsed(error.read())}
    except (OSError, ValueError):
        return {"status": "not_ready", "parts": {}}


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        return dict(json.loads(body))
    except ValueError:
        return {}
