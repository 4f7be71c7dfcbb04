"""The allow list of pools and workers: one matcher for commands and for the wrong-pool rule."""

import pytest

from hashinsight.facts.pools import is_pool_allowed, is_worker_allowed


@pytest.mark.parametrize(
    ("pattern", "url", "allowed"),
    [
        ("pool.com", "stratum+tcp://pool.com:3333", True),
        ("pool.com", "POOL.com:25", True),
        ("pool.com", "stratum+tcp://eu.pool.com:3333", False),
        ("pool.com:3333", "stratum+tcp://pool.com:3333", True),
        ("pool.com:3333", "stratum+tcp://pool.com:443", False),
        ("*.pool.com", "stratum+tcp://eu.pool.com:3333", True),
        ("*.pool.com", "stratum+tcp://pool.com:3333", False),
        ("*.pool.com", "stratum+tcp://evilpool.com:3333", False),
        ("*.pool.com:3333", "stratum+tcp://eu.pool.com:3333", True),
        ("*.pool.com:3333", "stratum+tcp://eu.pool.com:443", False),
        ("pool.com", "stratum2+tcp://pool.com:3336/9auqWEzQDVyd2oe1JVGFLMLHZtCo2FFqZwtKA5gd9xbuEu7PH72", True),
    ],
)
def test_a_pattern_matches_host_and_port(pattern: str, url: str, allowed: bool) -> None:  # noqa: FBT001 - a table
    assert is_pool_allowed(url, [pattern]) is allowed


def test_an_account_allows_all_its_machines() -> None:
    assert is_worker_allowed("acme", ["acme"])
    assert is_worker_allowed("acme.m1.x", ["acme"])
    assert not is_worker_allowed("acme2.m1", ["acme"])
    assert not is_worker_allowed("acme", ["acme.m1"])


def test_an_empty_list_allows_everything() -> None:
    assert is_pool_allowed("stratum+tcp://anywhere:1", [])
    assert is_worker_allowed("anybody", [])
