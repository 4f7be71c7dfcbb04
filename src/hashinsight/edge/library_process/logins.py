"""Which login a machine accepts: the site's credentials in order, then the manufacturer's default. Runs in the child.

The library reports a wrong password like any other error, or even as success (Whatsminer). So a login is tried by
itself before an action, if the make has a way to do that without changing anything.
"""

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from hashinsight.edge.library_process import cgminer, web
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.web import Login
from hashinsight.wire.btminer_crypt import encrypt, md5_crypt

Credential = tuple[str, str, str]  # make or firmware, or empty for any; user; password
DEFAULT_LOGINS: dict[str, tuple[Login, ...]] = {
    "AntMiner Stock": (("root", "root"),),
    "Braiins": (("root", "root"), ("root", "")),  # newer and older versions
    "Elphapex Stock": (("root", "root"),),
    "Marathon": (("root", "root"),),
    "VNish": (("", "admin"),),
    "VolcMiner Stock": (("root", "ltc@dog"),),
    "WhatsMiner Stock": (("admin", "admin"),),
}
# these need a login even to be identified or read: it is found before the first reading
READ_BY_LOGIN = (
    "AntMiner Stock",
    "Braiins",
    "Elphapex Stock",
    "Marathon",
    "SealMiner Stock",
    "VNish",
    "VolcMiner Stock",
)
_UNAUTHORIZED, _NOT_FOUND = 401, 404
_WHATSMINER_V3_PORT = 4433  # API 3 has separate passwords, and no encrypted query
_WHATSMINER_UNDECRYPTED = (23, 135, 137)  # it could not decrypt the query, or not parse the result


def logins_for(credentials: Iterable[Credential], firmware: str, make: str = "") -> list[Login | None]:
    """Credentials for its firmware, then for its make, then for any; last None, the default login."""
    names = {0: firmware.lower(), 1: make.lower()}
    ranked: list[tuple[int, Login]] = []
    for name, user, password in credentials:
        rank = next((no for no, text in names.items() if name and name.lower() in text), None if name else 2)
        if rank is not None:
            ranked.append((rank, (user, password)))
    return [*dict.fromkeys(login for _, login in sorted(ranked, key=lambda entry: entry[0])), None]


async def find_login(firmware: str, address: str, logins: Iterable[Login | None]) -> tuple[Login | None, bool]:
    """The first login that is not refused, and whether all are refused. None: the default login, untested."""
    first, *_ = candidates = list(dict.fromkeys(logins))
    for candidate in candidates:
        for login in [candidate] if candidate else DEFAULT_LOGINS.get(firmware, (None,)):
            refused = await _is_refused(firmware, address, login)
            if refused is None:
                return candidate, False
            if not refused:
                return login, False
    return first, True


async def requires_login(address: str) -> bool:
    try:
        status, _ = await web.request(address, "GET", "/")
    except MachineError:
        return False
    return status == _UNAUTHORIZED


def login_refused(credentials: Iterable[Credential]) -> MachineError:
    if any(True for _ in credentials):
        return MachineError("auth_failed", "The machine refused the password: none of this site's credentials works")
    return MachineError(
        "auth_failed", "The machine refused the default password, and this site has no credentials for it"
    )


async def _is_refused(firmware: str, address: str, login: Login | None) -> bool | None:
    """None if the make has no such check, or did not answer."""
    check = _CHECKS.get(firmware)
    if check is None or login is None:
        return None
    try:
        return await check(address, login)
    except MachineError:
        return None


async def _digest(address: str, login: Login) -> bool:
    status, _ = await web.request(address, "GET", "/cgi-bin/get_system_info.cgi", login=login)
    return status in web.REFUSED


async def _vnish(address: str, login: Login) -> bool:
    status, _ = await web.request(address, "POST", "/api/v1/unlock", body={"pw": login[1]})
    return status in web.REFUSED


async def _braiins(address: str, login: Login) -> bool | None:
    body = {"username": login[0] or "root", "password": login[1]}
    status, _ = await web.request(address, "POST", "/api/v1/auth/login", body=body)
    return None if status == _NOT_FOUND else status in web.REFUSED  # older versions log in differently


async def _whatsminer(address: str, login: Login) -> bool | None:
    """Queries the version encrypted with the password, which changes nothing."""
    if await cgminer.probe(address, (_WHATSMINER_V3_PORT,), timeout_sec=cgminer.CONNECT_SEC):
        return None
    token = (await cgminer.query(address, "get_token", timeout_sec=web.ANSWER_SEC)).get("Msg")
    if not isinstance(token, dict) or not all(isinstance(token.get(name), str) for name in ("time", "salt", "newsalt")):
        return None
    key = md5_crypt(login[1], token["salt"])
    query = {"cmd": "get_version", "token": md5_crypt(key + token["time"], token["newsalt"])}
    encrypted = {"enc": 1, "data": encrypt(key, json.dumps(query).encode())}
    answer = _json_object(await cgminer.exchange(address, encrypted, timeout_sec=web.ANSWER_SEC))
    if "enc" in answer:
        return False
    return True if answer.get("Code") in _WHATSMINER_UNDECRYPTED else None


def _json_object(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw.strip(b" \t\r\n\0"))
    except (ValueError, RecursionError):
        raise MachineError("garbled", "the answer is not JSON") from None
    return answer if isinstance(answer, dict) else {}


_CHECKS: dict[str, Callable[[str, Login], Awaitable[bool | None]]] = {
    "AntMiner Stock": _digest,
    "Braiins": _braiins,
    "Elphapex Stock": _digest,
    "Marathon": _digest,
    "VNish": _vnish,
    "VolcMiner Stock": _digest,
    "WhatsMiner Stock": _whatsminer,
}
