"""The allow list of pools and workers, for commands that set a pool and for the wrong-pool rule. Pure."""

from collections.abc import Collection, Sequence


def is_pool_allowed(pool_url: str, allowed: Sequence[str]) -> bool:
    """Whether the address matches a pattern: `host`, `*.domain`, either with `:port`. An empty list allows all.

    A pattern with a port allows that port only; `*.domain` matches hosts below the domain, not the domain itself.
    """
    authority = pool_url.split("://", 1)[-1].split("/", 1)[0].lower()
    host = authority.rsplit(":", 1)[0]
    return not allowed or any(_matches(pattern, host, authority) for pattern in allowed)


def is_worker_allowed(worker: str, allowed: Collection[str]) -> bool:
    """Whether the worker is on the list, as `account` or `account.machine`; an account allows all its machines."""
    parts = worker.split(".")
    return not allowed or any(".".join(parts[:depth]) in allowed for depth in range(1, len(parts) + 1))


def _matches(pattern: str, host: str, authority: str) -> bool:
    address = authority if ":" in pattern else host
    return address.endswith(pattern[1:]) if pattern.startswith("*.") else address == pattern
