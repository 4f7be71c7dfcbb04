"""Limits on connections, in total and per address, before any request is read."""

import ipaddress
import resource
import time
from collections import Counter, OrderedDict
from typing import Protocol

import structlog
from prometheus_client import Counter as Metric

from hashinsight.kit.networks import network_of

log = structlog.get_logger(__name__)

REFUSED = Metric("hashinsight_http_refused_total", "Clients refused before their request was read", ["reason"])
FORWARDED = Metric(
    "hashinsight_http_forwarded_untrusted_total", "Requests with X-Forwarded-For from an address that is not trusted"
)

_OTHER_FILES = 256  # open files of a process besides its clients: database, Redis, logs
_LOG_SECONDS = 60.0
_MOST_LINGERING = 200
_MAX_CHECKED = 16  # idle connections checked for one to close

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Line(Protocol):
    """A connection as counted here."""

    def is_unread(self) -> bool:
        """Whether part of its last response is still to be read."""

    def end(self) -> None: ...


class ConnectionLimits:
    """Limits of one process. `proxies` are trusted; all connections may come from one of them."""

    def __init__(self, most: int, most_of_one: int, proxies: str = "") -> None:
        self.most = min(most, _file_room(most))
        self._most_of_one = most_of_one
        self._believes_all = "*" in proxies
        self._proxies = _networks(proxies)
        self._by_address: Counter[str] = Counter()
        self._total = 0
        self._lingering = 0
        # oldest first: without a complete request head yet, and idle between requests
        self._unheard: OrderedDict[Line, None] = OrderedDict()
        self._idle: OrderedDict[Line, None] = OrderedDict()
        self._said_at = -_LOG_SECONDS
        self._has_said_forwarded = False
        if self.most < most:
            log.warning("connection_limit_lowered", connections=self.most, reason="the limit on open files (ulimit -n)")

    def enter(self, address: str, line: Line) -> str | None:
        """The name to leave by, or None if there is no room."""
        name = network_of(address)
        if self._by_address[name] >= self._most_of_one and not self._is_proxy(address):
            self._refuse("connections_per_address", name)
            return None
        if self._total >= self.most and not self._make_room():
            self._refuse("connections", name)
            return None
        self._by_address[name] += 1
        self._total += 1
        self._unheard[line] = None
        return name

    def leave(self, name: str, line: Line) -> None:
        self.is_heard(line)
        self._total -= 1
        self._by_address[name] -= 1
        if not self._by_address[name]:
            del self._by_address[name]

    def is_heard(self, line: Line) -> None:
        """A request begins: until it is answered, this connection is not closed for another one."""
        self._idle.pop(line, None)
        self._unheard.pop(line, None)

    def is_idle(self, line: Line) -> None:
        self._idle[line] = None

    def note_forwarded(self, address: str) -> None:
        """Count a header that only proxies send. Anyone can send it, so it is only a hint."""
        if self._is_proxy(address):
            return
        FORWARDED.inc()
        if not self._has_said_forwarded:  # once per process
            self._has_said_forwarded = True
            log.warning(
                "proxy_not_trusted",
                address=network_of(address),
                hint="if this is your proxy, add it to HASHINSIGHT_TRUSTED_PROXIES: its clients count as one",
            )

    def _make_room(self) -> bool:
        """Close the connection longest without a complete request head, else the longest idle one."""
        if self._unheard:
            line, _ = self._unheard.popitem(last=False)
        else:
            for _ in range(min(len(self._idle), _MAX_CHECKED)):
                line, _ = self._idle.popitem(last=False)
                if not line.is_unread():
                    break
                self._idle[line] = None
            else:
                return False
        REFUSED.labels("room_for_another").inc()
        line.end()
        return True

    def may_linger(self) -> bool:
        """Whether another refused client may stay for a moment to read the reason."""
        if self._lingering >= _MOST_LINGERING:
            return False
        self._lingering += 1
        return True

    def has_lingered(self) -> None:
        self._lingering -= 1

    def _is_proxy(self, address: str) -> bool:
        if self._believes_all:
            return True
        try:
            own = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(own in network for network in self._proxies)

    def _refuse(self, reason: str, name: str) -> None:
        REFUSED.labels(reason).inc()
        if time.monotonic() - self._said_at >= _LOG_SECONDS:  # a flood must not fill the disk
            self._said_at = time.monotonic()
            log.warning("connections_refused", reason=reason, address=name, connections=self._total)


def _networks(proxies: str) -> list[Network]:
    found: list[Network] = []
    for word in proxies.split(","):
        try:
            found.append(ipaddress.ip_network(word.strip(), strict=False))
        except ValueError:
            continue  # a host name, or empty
    return found


def _file_room(most: int) -> int:
    """As many files as the system allows; raises the soft limit as far as possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + _OTHER_FILES
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < wanted:
        soft = wanted if hard == unlimited else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return most if soft == unlimited else max(soft - _OTHER_FILES, 16)
