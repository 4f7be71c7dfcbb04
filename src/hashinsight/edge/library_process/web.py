"""A plain client for a machine's web page, for what the library does not say or does not do. Runs in the child."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from hashinsight.edge.library_process.cgminer import MOST_BYTES, Trouble

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


VNISH = "VNish"
_OK = range(200, 300)


class VnishSession:
    """Unlocked with the password; a token for every call after it."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"}
        status, answer = await ask(self._address, method, f"/api/v1/{path}", body=body, headers=headers)
        if status in REFUSED:
            raise Trouble("auth_failed", "The machine refused the password")
        if status not in _OK:
            raise Trouble("refused_by_machine", f"its web page answered {status} to {path}")
        return answer


async def unlock_vnish(address: str, login: Login) -> VnishSession:
    status, answer = await ask(address, "POST", "/api/v1/unlock", body={"pw": login[1]})
    token = answer.get("token") if isinstance(answer, dict) else None
    if status in REFUSED or not isinstance(token, str):
        raise Trouble("auth_failed", "The machine refused the password")
    return VnishSession(address, token)


async def reboot_vnish(address: str, login: Login) -> None:
    """The whole control board."""
    session = await unlock_vnish(address, login)
    await session.ask("POST", "system/reboot")


_MISREAD_VERSION = "-25.05"
_QUERY = "{ bosminer { info { workSolver { childSolvers { name temperatures { name degreesC } } } } } }"
_HTTP_OK = 200
_MOST_BOARDS = 16
_KINDS = {"max_board": "Board", "max_chip": "Chip"}
Rows = list[dict[str, Any]]


def is_misread_braiins(data: Mapping[str, Any]) -> bool:
    return _MISREAD_VERSION in str(data.get("firmware_version") or "")


async def list_braiins_temperatures(address: str) -> Rows:
    """As the table `temps` has them, board by board; none where its page does not answer."""
    try:
        status, answer = await ask(address, "POST", "/graphql", body={"query": _QUERY})
    except Trouble:
        return []
    found: Any = answer if status == _HTTP_OK else None
    for name in ("data", "bosminer", "info", "workSolver", "childSolvers"):
        found = found.get(name) if isinstance(found, dict) else None
    rows = [_row(board) for board in found[:_MOST_BOARDS]] if isinstance(found, list) else []
    return rows if any(rows) else []


def _row(board: Any) -> dict[str, Any]:
    told = board.get("temperatures") if isinstance(board, dict) else None
    by_name = {
        str(one.get("name")).lower().replace(" ", "_"): one.get("degreesC")
        for one in told or []
        if isinstance(one, dict)
    }
    return {column: by_name[name] for name, column in _KINDS.items() if name in by_name}
