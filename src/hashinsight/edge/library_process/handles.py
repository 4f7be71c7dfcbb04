"""Who is at an address, by asic-rs, and the login that it takes. Kept while it answers. Runs in the child."""

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

import pyasic_rs

from hashinsight.edge.library_process import logins as child_logins
from hashinsight.edge.library_process.cgminer import Trouble
from hashinsight.edge.library_process.logins import MAKERS_OWN, READ_BY_LOGIN, Credential, logins_for
from hashinsight.edge.library_process.web import Login

_MOST = 20_000
# so long a machine that the library does not know is left to the plain client: shortly at first, it may have been slow
_UNKNOWN_SEC, _UNKNOWN_LONGEST_SEC = 30.0, 600.0
Credentials = tuple[Credential, ...]


@dataclass(frozen=True)
class Handle:
    """`given` None: the maker's own login, which the library knows. `notes` outlive it: what orders leave behind."""

    miner: Any
    address: str
    notes: dict[str, Any] = field(default_factory=dict)
    given: Login | None = None

    @property
    def firmware(self) -> str:
        """As the library names it: `AntMiner Stock`, `VNish`, `LuxOS` …"""
        return str(self.miner.firmware)

    @property
    def login(self) -> Login:
        return self.given or MAKERS_OWN.get(self.firmware, (("", ""),))[0]


class Handles:
    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Handle, Credentials]] = OrderedDict()
        self._unknown: dict[str, tuple[float, float]] = {}  # until when, and how long
        self._rounds: dict[str, int] = {}  # how far the identification of a machine came that ran out of time
        self._notes: dict[str, dict[str, Any]] = {}
        self._factories: dict[Credentials, list[Any]] = {}

    async def find(self, address: str, credentials: Credentials) -> Handle | None:
        known = self._known.get(address)
        if known is not None and known[1] == credentials:
            return known[0]
        until, pause = self._unknown.get(address, (0.0, _UNKNOWN_SEC / 2))
        if until > time.monotonic():
            return None
        handle = await self._identify(address, credentials)
        if handle is None:
            pause = min(2 * pause, _UNKNOWN_LONGEST_SEC)
            self._unknown[address] = (time.monotonic() + pause, pause)
            return None
        self._unknown.pop(address, None)
        self._keep(handle, credentials)
        return handle

    async def get_for_order(self, address: str, credentials: Credentials) -> Handle:
        """With a login that it takes: an order is refused for good, so that is asked anew, and who this is."""
        self._unknown.pop(address, None)
        handle = await self.find(address, credentials)
        if handle is None and await child_logins.wants_login(address):
            raise child_logins.refusal(credentials)
        if handle is None:
            raise Trouble("unsupported", "the library does not know this machine, and only it gives orders")
        logins = [handle.given, *_logins(handle, credentials)]
        login, is_refused = await child_logins.pick(handle.firmware, address, logins)
        if is_refused:
            raise child_logins.refusal(credentials)
        if login == handle.given:
            return handle
        return self._keep(_with_login(handle, login), credentials)

    def forget(self, address: str, *, is_another: bool = False) -> None:
        """It is identified anew the next time: it may have another firmware, or another machine its address.

        Of another machine what was noted of the former one does not hold.
        """
        self._known.pop(address, None)
        if is_another:
            self._notes.pop(address, None)

    def _keep(self, handle: Handle, credentials: Credentials) -> Handle:
        self._known[handle.address] = (handle, credentials)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
        return handle

    async def _identify(self, address: str, credentials: Credentials) -> Handle | None:
        """Some makes say who they are only to a login: one after the other, while it asks for one."""
        miner, factories = None, self._factories_for(credentials)
        for no in range(self._rounds.get(address, 0) % len(factories), len(factories)):
            self._rounds[address] = no
            miner = await factories[no].get_miner(address)
            if miner is not None or not await child_logins.wants_login(address):
                break
        self._rounds.pop(address, None)
        if miner is None:
            return None
        handle = Handle(miner, address, self._notes.setdefault(address, {}))
        logins = _logins(handle, credentials)
        if handle.firmware in READ_BY_LOGIN and len(logins) > 1:
            login, _ = await child_logins.pick(handle.firmware, address, logins)
            return _with_login(handle, login)
        return _with_login(handle, logins[0])

    def _factories_for(self, credentials: Credentials) -> list[Any]:
        """The first identifies with the first login for each firmware, the second with the second, and so on."""
        if credentials not in self._factories:
            by_firmware = {firmware: logins_for(credentials, firmware) for firmware in READ_BY_LOGIN}
            rounds = max(len(logins) for logins in by_firmware.values())
            self._factories[credentials] = [_factory(by_firmware, no) for no in range(rounds)]
        return self._factories[credentials]


def _factory(logins: dict[str, list[Login | None]], turn: int) -> Any:
    factory = pyasic_rs.MinerFactory().with_port_check(False)  # noqa: FBT003 - the library's form
    for firmware, each in logins.items():
        login = each[min(turn, len(each) - 1)]
        if login is not None:
            factory = factory.with_firmware_discovery_auth(firmware, *login)
    return factory


def _logins(handle: Handle, credentials: Credentials) -> list[Login | None]:
    return logins_for(credentials, handle.firmware, str(handle.miner.make))


def _with_login(handle: Handle, login: Login | None) -> Handle:
    if login is not None:
        handle.miner.set_auth(*login)
    return replace(handle, given=login)
