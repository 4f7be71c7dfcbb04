"""Which changes let a collector do more, or stay silent for longer, than before. Pure."""

from collections.abc import Mapping
from typing import Any

_INTERVALS = ("collection_interval_sec", "heartbeat_interval_sec")


def is_wider(before: Mapping[str, Any], changed: Mapping[str, Any]) -> bool:
    """`changed`: the new values of what is not as before.

    Out of the whole site into a zone is narrower; from zone to zone it speaks for machines that were not its own. How
    old a sample may be, and how long a collector may be silent, follow from its intervals.
    """
    leaves_zone = "zone_id" in changed and before["zone_id"] is not None
    may_more = bool(set(changed.get("permissions", ())) - set(before.get("permissions", ())))
    is_slower = any(name in changed and changed[name] > before[name] for name in _INTERVALS)
    is_opened = changed.get("registration_open_until") is not None
    return leaves_zone or may_more or is_slower or is_opened
