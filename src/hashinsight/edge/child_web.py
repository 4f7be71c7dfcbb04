"""A plain client for a machine's web page, for what the library does not say or does not do. Runs in the child."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from hashinsight.edge.child_plain import MOST_BYTES, Trouble

ANSWER_SEC = 5.0
REFUSED = (401, 403)
Login = tuple[str, str]


async def ask(
    address: str,
    method: str,
    path: str,
    *,
    login: Login | None = None,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Any]:
    """Status, and the JSON of the answer or None. `login` answers a digest challenge; no proxy is ever asked."""
    import httpx  # late: most children never need it

    said = bytearray()
    try:
        async with (
            asyncio.timeout(ANSWER_SEC),
            httpx.AsyncClient(trust_env=False, timeout=ANSWER_SEC) as client,
            client.stream(
                method,
                f"http://{address}{path}",
                json=body,
                headers=headers,
                auth=httpx.DigestAuth(*login) if login else None,
            ) as answer,
        ):
            async for part in answer.aiter_bytes():
                said += part
                if len(said) > MOST_BYTES:
                    raise Trouble("garbled", f"more than {MOST_BYTES} bytes for one answer")
            status = answer.status_code
    except httpx.ConnectError:
        raise Trouble("unreachable", "no connection to its web page") from None
    except (TimeoutError, httpx.TimeoutException):
        raise Trouble("slow", "its web page did not answer in time") from None
    except httpx.HTTPError:
        raise Trouble("reset", "its web page broke the connection") from None
    return status, _parsed(bytes(said))


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
