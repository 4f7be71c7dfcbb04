"""Whether a Whatsminer takes a password: its writes are sealed with it, and the library does not pass its no on."""

import json
from typing import Any

from hashinsight.edge import child_plain
from hashinsight.edge.child_plain import Trouble
from hashinsight.wire.btminer_crypt import md5_crypt, seal

_NEWER_PORT = 4433  # API 3 has passwords of its own, and no question that is under seal
_NOT_OPENED = (23, 135, 137)  # it could not open the seal, or what it found in it made no sense


async def takes_password(address: str, password: str, *, timeout_sec: float) -> bool | None:
    """Asks its version under seal, which changes nothing. None where it does not speak this protocol."""
    if await child_plain.knock(address, (_NEWER_PORT,), timeout_sec=child_plain.CONNECT_SEC):
        return None
    grains = (await child_plain.ask(address, "get_token", timeout_sec=timeout_sec)).get("Msg")
    if not isinstance(grains, dict) or not all(
        isinstance(grains.get(name), str) for name in ("time", "salt", "newsalt")
    ):
        return None
    key = md5_crypt(password, grains["salt"])
    asked = {"cmd": "get_version", "token": md5_crypt(key + grains["time"], grains["newsalt"])}
    sealed = {"enc": 1, "data": seal(key, json.dumps(asked).encode())}
    answer = _object(await child_plain.exchange(address, sealed, timeout_sec=timeout_sec))
    if "enc" in answer:
        return True
    return False if answer.get("Code") in _NOT_OPENED else None


def _object(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw.strip(b" \t\r\n\0"))
    except (ValueError, RecursionError):
        raise Trouble("garbled", "what it answers is not JSON") from None
    return answer if isinstance(answer, dict) else {}
