"""Identifies the machine at an address with asic-rs and finds its login. Cached while it answers. Runs in the child."""

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

import pyasic_rs

from hashinsight.edge.library_process import logins
from hashinsight.edge.library_process.logins import DEFAULT_LOGINS, READ_BY_LOGIN, Credential, logins_for
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.web import Login

_MAX_HANDLES = 20_000
# how long a machine unknown to the library is left to the plain client: short at first, it may only have been slow
_UNKNOWN_SEC, _UNKNOWN_LONGEST_SEC = 30.0, 600.0
Credentials = tuple[Credential, ...]


@dataclass(frozen=True)
class Handle:
    """`site_login` None: the default login, which the library knows. `notes` survive: what actions have to remember."""

    miner: Any
    address: str
    notes: dict[str, Any] = field(default_factory=dict)
    site_login: Login | None = None

    @property
    def firmware(self) -> str:
        """As the library names it: `AntMiner Stock`, `VNish`, `LuxOS` …"""
        return str(self.miner.firmware)

    @property
    def login(self) -> Login:
        return self.site_login or DEFAULT_LOGINS.get(self.firmware, (("", ""),))[0]


class Handles:
    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Handle, Credentials]] = OrderedDict()
        self._unknown: dict[str, tuple[float, float]] = {}  # until when, and the pause
        self._rounds: dict[str, int] = {}  # where to continue the identification of a machine that timed out
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

    async def get_for_action(self, address: str, credentials: Credentials) -> Handle:
        """With an accepted login: a wrong one rejects the command for good, so login and identity are checked again."""
        self._unknown.pop(address, None)
        handle = await self.find(address, credentials)
        if handle is None and await logins.requires_login(address):
            raise logins.login_refused(credentials)
        if handle is None:
            raise MachineError("unsupported", "machine not supported by the library, so it cannot be controlled")
        candidates = [handle.site_login, *_logins(handle, credentials)]
        login, is_refused = await logins.find_login(handle.firmware, address, candidates)
        if is_refused:
            raise logins.login_refused(credentials)
        if login == handle.site_login:
            return handle
        return self._keep(_with_login(handle, login), credentials)

    def forget(self, address: str, *, is_another: bool = False) -> None:
        """Identify it again next time: it may have new firmware, or be another machine.

        The notes of the former machine do not apply to another one.
        """
        self._known.pop(address, None)
        if is_another:
            self._notes.pop(address, None)

    def _keep(self, handle: Handle, credentials: Credentials) -> Handle:
        self._known[handle.address] = (handle, credentials)
        if len(self._known) > _MAX_HANDLES:
            self._known.popitem(last=False)
        return handle

    async def _identify(self, address: str, credentials: Credentials) -> Handle | None:
        """Some makes identify themselves only after a login: try one after the other while one is required."""
        miner, factories = None, self._factories_for(credentials)
        for no in range(self._rounds.get(address, 0) % len(factories), len(factories)):
            self._rounds[address] = no
            miner = await factories[no].get_miner(address)
            if miner is not None or not await logins.requires_login(address):
                break
        self._rounds.pop(address, None)
        if miner is None:
            return None
        handle = Handle(miner, address, self._notes.setdefault(address, {}))
        candidates = _logins(handle, credentials)
        if handle.firmware in READ_BY_LOGIN and len(candidates) > 1:
            login, _ = await logins.find_login(handle.firmware, address, candidates)
            return _with_login(handle, login)
        return _with_login(handle, candidates[0])

    def _factories_for(self, credentials: Credentials) -> list[Any]:
        """The first factory uses the first login for each firmware, the second the second, and so on."""
        if credentials not in self._factories:
            by_firmware = {firmware: logins_for(credentials, firmware) for firmware in READ_BY_LOGIN}
            rounds = max(len(candidates) for candidates in by_firmware.values())
            self._factories[credentials] = [_factory(by_firmware, no) for no in range(rounds)]
        return self._factories[credentials]


def _factory(by_firmware: dict[str, list[Login | None]], no: int) -> Any:
    factory = pyasic_rs.MinerFactory().with_port_check(False)  # noqa: FBT003 - the library's signature
    for firmware, candidates in by_firmware.items():
        login = candidates[min(no, len(candidates) - 1)]
        if login is not None:
            factory = factory.with_firmware_discovery_auth(firmware, *login)
    return factory


def _logins(handle: Handle, credentials: Credentials) -> list[Login | None]:
    return logins_for(credentials, handle.firmware, str(handle.miner.make))


def _with_login(handle: Handle, login: Login | None) -> Handle:
    if login is not None:
        handle.miner.set_auth(*login)
    return replace(handle, site_login=login)
