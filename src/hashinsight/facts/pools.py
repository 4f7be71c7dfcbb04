"""Whether a pool and a worker are the tenant's own: a stolen session must not send work to a stranger. Pure."""

from collections.abc import Collection, Sequence


def is_pool_allowed(pool_url: str, allowed: Sequence[str]) -> bool:
    """By host, by host and port, or by `*.` and a domain. An empty list allows every pool."""
    place = pool_url.split("://", 1)[-1].split("/", 1)[0].lower()
    host = place.rsplit(":", 1)[0]
    return not allowed or any(_fits(pattern, host, place) for pattern in allowed)


def is_worker_allowed(pool_user: str, allowed: Collection[str]) -> bool:
    """A worker is `account` or `account.machine`: what is allowed allows everything below it. An empty list: all."""
    parts = pool_user.split(".")
    return not allowed or any(".".join(parts[:depth]) in allowed for depth in range(1, len(parts) + 1))


def _fits(pattern: str, host: str, place: str) -> bool:
    found = place if ":" in pattern else host
    return found.endswith(pattern[1:]) if pattern.startswith("*.") else found == pattern
