"""Whether a pool is one that the tenant allows: a stolen session must not send a fleet's work to a stranger. Pure."""

from collections.abc import Sequence


def is_allowed(pool_url: str, allowed: Sequence[str]) -> bool:
    """By host, by host and port, or by `*.` and a domain. An empty list allows every pool."""
    place = pool_url.split("://", 1)[-1].split("/", 1)[0].lower()
    host = place.rsplit(":", 1)[0]
    return not allowed or any(_fits(pattern, host, place) for pattern in allowed)


def _fits(pattern: str, host: str, place: str) -> bool:
    found = place if ":" in pattern else host
    return found.endswith(pattern[1:]) if pattern.startswith("*.") else found == pattern
