"""Which addresses count as one client: an IPv4 address, or the IPv6 /64 of one customer."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

_IPV6_PREFIX = 64  # its owner can use any address of it


@lru_cache(maxsize=4096)
def network_of(address: str | None) -> str:
    """The client to count; a text that is no address is counted as it is."""
    try:
        known = ip_address((address or "").split("%", maxsplit=1)[0])
    except ValueError:
        return address or ""
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ip_network((known, _IPV6_PREFIX), strict=False))
