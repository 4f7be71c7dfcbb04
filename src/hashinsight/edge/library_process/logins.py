"""Which login a machine takes: those of the site in order, then the maker's own. Runs in the child.

The library says no to a wrong password as to everything else, or even yes (Whatsminer). So a login is tried by itself
before an order is given, where the make has a way to do that without doing anything.
"""

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from hashinsight.edge.library_process import cgminer, web
from hashinsight.edge.library_process.cgminer import Trouble
from hashinsight.edge.library_process.web import Login
from hashinsight.wire.btminer_crypt import encrypt, md5_crypt

_NEWER_PORT = 4433  # API 3 has passwords of its own, and no question that is under seal
_NOT_OPENED = (23, 135, 137)  # it could not open the seal, or what it found in it made no sense


async def takes_password(address: str, password: str, *, timeout_sec: float) -> bool | None:
    """Asks its version under seal, which changes nothing. None where it does not speak this protocol."""
    if await cgminer.knock(address, (_NEWER_PORT,), timeout_sec=cgminer.CONNECT_SEC):
        return None
    grains = (await cgminer.ask(address, "get_token", timeout_sec=timeout_sec)).get("Msg")
    if not isinstance(grains, dict) or not all(
        isinstance(grains.get(name), str) for name in ("time", "salt", "newsalt")
    ):
        return None
    key = md5_crypt(password, grains["salt"])
    asked = {"cmd": "get_version", "token": md5_crypt(key + grains["time"], grains["newsalt"])}
    sealed = {"enc": 1, "data": encrypt(key, json.dumps(asked).encode())}
    answer = _object(await cgminer.exchange(address, sealed, timeout_sec=timeout_sec))
    if "enc" in answer:
        return True
    return False if answer.get("Code") in _NOT_OPENED else None


def _object(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw.strip(b" \t\r\n\0"))
    except (ValueError, RecursionError):
        raise Trouble("garbled", "what it answers is not JSON") from None
    return answer if isinstance(answer, dict) else {}


Credential = tuple[str, str, str]  # make or firmware, or empty for any; user; password
MAKERS_OWN: dict[str, tuple[Login, ...]] = {
    "AntMiner Stock": (("root", "root"),),
    "Braiins": (("root", "root"), ("root", "")),  # newer and older versions
    "Elphapex Stock": (("root", "root"),),
    "Marathon": (("root", "root"),),
    "VNish": (("", "admin"),),
    "VolcMiner Stock": (("root", "ltc@dog"),),
    "WhatsMiner Stock": (("admin", "admin"),),
}
# these say who they are, or how they do, only to a login: the right one is looked for before the first reading
READ_BY_LOGIN = (
    "AntMiner Stock",
    "Braiins",
    "Elphapex Stock",
    "Marathon",
    "SealMiner Stock",
    "VNish",
    "VolcMiner Stock",
)


def logins_for(credentials: Iterable[Credential], firmware: str, make: str = "") -> list[Login | None]:
    """Those that name its firmware, its make, none; at last None, the maker's own."""
    rank = {0: firmware.lower(), 1: make.lower()}
    ranked: list[tuple[int, Login]] = []
    for name, user, password in credentials:
        place = next((no for no, text in rank.items() if name and name.lower() in text), None if name else 2)
        if place is not None:
            ranked.append((place, (user, password)))
    return [*dict.fromkeys(login for _, login in sorted(ranked, key=lambda one: one[0])), None]


async def pick(firmware: str, address: str, logins: Iterable[Login | None]) -> tuple[Login | None, bool]:
    """The first that it does not refuse, and whether it refuses them all. None: the maker's own, untried."""
    first, *_ = wanted = list(dict.fromkeys(logins))
    for login in wanted:
        for each in [login] if login else MAKERS_OWN.get(firmware, (None,)):
            refused = await _is_refused(firmware, address, each)
            if refused is None:
                return login, False
            if not refused:
                return each, False
    return first, True


async def wants_login(address: str) -> bool:
    try:
        status, _ = await web.ask(address, "GET", "/")
    except Trouble:
        return False
    return status == 401  # noqa: PLR2004 - unauthorised


def refusal(credentials: Iterable[Credential]) -> Trouble:
    if any(True for _ in credentials):
        return Trouble("auth_failed", "The machine refused the password: none of this site's credentials fits it")
    return Trouble(
        "auth_failed", "The machine refused the maker's own password, and this site has no credentials for it"
    )


async def _is_refused(firmware: str, address: str, login: Login | None) -> bool | None:
    """None where the make has no way to say, or did not answer."""
    ask = _CHECKS.get(firmware)
    if ask is None or login is None:
        return None
    try:
        return await ask(address, login)
    except Trouble:
        return None


async def _digest(address: str, login: Login) -> bool:
    status, _ = await web.ask(address, "GET", "/cgi-bin/get_system_info.cgi", login=login)
    return status in web.REFUSED


async def _vnish(address: str, login: Login) -> bool:
    status, _ = await web.ask(address, "POST", "/api/v1/unlock", body={"pw": login[1]})
    return status in web.REFUSED


async def _braiins(address: str, login: Login) -> bool | None:
    body = {"username": login[0] or "root", "password": login[1]}
    status, _ = await web.ask(address, "POST", "/api/v1/auth/login", body=body)
    return None if status == 404 else status in web.REFUSED  # noqa: PLR2004 - older ones have another way


async def _whatsminer(address: str, login: Login) -> bool | None:
    taken = await takes_password(address, login[1], timeout_sec=web.ANSWER_SEC)
    return None if taken is None else not taken


_CHECKS: dict[str, Callable[[str, Login], Awaitable[bool | None]]] = {
    "AntMiner Stock": _digest,
    "Braiins": _braiins,
    "Elphapex Stock": _digest,
    "Marathon": _digest,
    "VNish": _vnish,
    "VolcMiner Stock": _digest,
    "WhatsMiner Stock": _whatsminer,
}
