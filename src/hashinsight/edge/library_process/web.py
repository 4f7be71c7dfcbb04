"""Web pages of machines: a plain client, and calls of VNish and Braiins that the library lacks. Runs in the child."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from hashinsight.edge.library_process.cgminer import MAX_BYTES
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.readings.makes import MAX_BOARDS

ANSWER_SEC = 5.0
REFUSED = (401, 403)
Login = tuple[str, str]
Rows = list[dict[str, Any]]
VNISH = "VNish"
_OK = range(200, 300)
_MISREAD_BRAIINS = "-25.05"  # the library gives the board's outlet for its hottest chip
_BRAIINS_QUERY = "{ bosminer { info { workSolver { childSolvers { name temperatures { name degreesC } } } } } }"
_BRAIINS_COLUMNS = {"max_board": "Board", "max_chip": "Chip"}


async def request(
    address: str,
    method: str,
    path: str,
    *,
    login: Login | None = None,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Any]:
    """Status, and the JSON of the answer or None. `login` is for digest authentication; proxies are never used."""
    import httpx  # late: most children never need it

    content = bytearray()
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
                content += part
                if len(content) > MAX_BYTES:
                    raise MachineError("garbled", f"answer longer than {MAX_BYTES} bytes")
            status = answer.status_code
    except httpx.ConnectError:
        raise MachineError("unreachable", "cannot connect to its web interface") from None
    except (TimeoutError, httpx.TimeoutException):
        raise MachineError("slow", "its web interface timed out") from None
    except httpx.HTTPError:
        raise MachineError("reset", "its web interface closed the connection") from None
    return status, _decode(bytes(content))


def _decode(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


class VnishSession:
    """After unlocking with the password: a token for every call. The library cannot reboot, and drops some pools."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token

    async def request(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"}
        status, answer = await request(self._address, method, f"/api/v1/{path}", body=body, headers=headers)
        if status in REFUSED:
            raise MachineError("auth_failed", "The machine refused the password")
        if status not in _OK:
            raise MachineError("refused_by_machine", f"its web interface returned {status} for {path}")
        return answer


async def unlock_vnish(address: str, login: Login) -> VnishSession:
    status, answer = await request(address, "POST", "/api/v1/unlock", body={"pw": login[1]})
    token = answer.get("token") if isinstance(answer, dict) else None
    if status in REFUSED or not isinstance(token, str):
        raise MachineError("auth_failed", "The machine refused the password")
    return VnishSession(address, token)


async def reboot_vnish(address: str, login: Login) -> None:
    """The whole control board."""
    session = await unlock_vnish(address, login)
    await session.request("POST", "system/reboot")


def is_misread_braiins(data: Mapping[str, Any]) -> bool:
    return _MISREAD_BRAIINS in str(data.get("firmware_version") or "")


async def list_braiins_temperatures(address: str) -> Rows:
    """Per board, like the table `temps`; empty if its page does not answer."""
    try:
        status, answer = await request(address, "POST", "/graphql", body={"query": _BRAIINS_QUERY})
    except MachineError:
        return []
    node: Any = answer if status in _OK else None
    for name in ("data", "bosminer", "info", "workSolver", "childSolvers"):
        node = node.get(name) if isinstance(node, dict) else None
    rows = [_temps_row(board) for board in node[:MAX_BOARDS]] if isinstance(node, list) else []
    return rows if any(rows) else []


def _temps_row(board: Any) -> dict[str, Any]:
    sensors = board.get("temperatures") if isinstance(board, dict) else None
    by_name = {
        str(sensor.get("name")).lower().replace(" ", "_"): sensor.get("degreesC")
        for sensor in sensors or []
        if isinstance(sensor, dict)
    }
    return {column: by_name[name] for name, column in _BRAIINS_COLUMNS.items() if name in by_name}
