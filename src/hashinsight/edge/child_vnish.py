"""What VNish does by calls of its own: the library's restart is that of mining, and its way to set pools drops some."""

from typing import Any

from hashinsight.edge import child_web
from hashinsight.edge.child_plain import Trouble
from hashinsight.edge.child_web import Login

FIRMWARE = "VNish"
_OK = range(200, 300)


class Session:
    """Unlocked with the password; a token for every call after it."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"}
        status, answer = await child_web.ask(self._address, method, f"/api/v1/{path}", body=body, headers=headers)
        if status in child_web.REFUSED:
            raise Trouble("auth_failed", "The machine refused the password")
        if status not in _OK:
            raise Trouble("refused_by_machine", f"its web page answered {status} to {path}")
        return answer


async def unlock(address: str, login: Login) -> Session:
    status, answer = await child_web.ask(address, "POST", "/api/v1/unlock", body={"pw": login[1]})
    token = answer.get("token") if isinstance(answer, dict) else None
    if status in child_web.REFUSED or not isinstance(token, str):
        raise Trouble("auth_failed", "The machine refused the password")
    return Session(address, token)


async def reboot(address: str, login: Login) -> None:
    """The whole control board."""
    session = await unlock(address, login)
    await session.ask("POST", "system/reboot")
