"""A command's story in words: what it is, and then everything that happened to it, in order."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from hashinsight.cli.commands.acting import short, words
from hashinsight.cli.commands.names import Names, who

_WAITS = {
    "NOT_APPROVED": "for approval",
    "BACKOFF": "for its next try",
    "MINER_LOCKED": "for another command of this machine",
    "RATE_LIMITED": "because the site's rate for this type is used up",
    "BLAST_RADIUS": "because too much of the site is down by commands",
    "COLLECTOR_OFFLINE": "for a collector that is heard and may control",
}


def tell(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    yield from _head(story, names)
    yield ""
    yield from _timeline(story, names)
    if story["attempts"]:
        yield ""
        yield from _attempts(story, names)


def _head(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    what = f"{story['command_type']} {words(story['params'])}".strip()
    yield f"{what} for {story['miner_id']} at site {story['site_code']}: {story['state']}"
    if story["wait_reason"]:
        yield f"  waits     {_WAITS.get(story['wait_reason'], story['wait_reason'])} ({story['wait_reason']})"
    if story["error_code"]:
        yield f"  because   {story['error_code']} {story['error_message'] or ''}".rstrip()
    if story["superseded_by"]:
        yield f"  instead   {story['superseded_by']}"
    yield f"  command   {story['command_id']}"
    yield f"  batch     {story['batch_id']}"
    by = who(story["created_by_kind"], story["created_by"], names)
    yield f"  asked     {short(story['created_at'])} by {by}: {story['created_reason'] or 'no reason given'}"
    rule = story["rule_id"] and f"rule {story['rule_id']} v{story['rule_version']}"
    cause = [one for one in (rule, story["problem_id"] and f"problem {story['problem_id']}") if one]
    if cause:
        yield f"  cause     {', '.join(cause)}"
    urgent = ", an emergency" if story["emergency"] else ""
    until = f"until {short(story['expires_at'])}" if story["expires_at"] else "from its approval on"
    yield f"  priority  {story['priority']} {story['priority_number']}{urgent}; TTL {story['ttl_sec']} s, {until}"
    for one in story["approvals"]:
        of = "" if one["command_id"] else f" with its batch of {one['commands']}"
        by = who(one["by_kind"], one["by_id"], names)
        yield f"  {one['decision']:<9} {short(one['at'])} by {by}{of}: {one['reason']}"
    if story["over_cap"]:
        down, cap = story["over_cap"]["down"], story["over_cap"]["cap"]
        yield f"  over cap  {down} machines of the site down by commands, cap {cap}: went out as an emergency"
    if story["verification"]:
        yield f"  effect    {story['verification']}"


def _timeline(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    before: datetime | None = None
    for one in story["history"]:
        told = [one["message"] or "", *_details(one["details"] or {}), _took(one["execution_time_ms"])]
        by = who(one["actor_kind"], one["actor_id"], names)
        line = f"{_when(one['at'], before)}  {one['event']:<16} {one['new_state']:<10} {by:<24} "
        yield (line + ", ".join(part for part in told if part)).rstrip()
        before = one["at"]


def _when(at: datetime, before: datetime | None) -> str:
    """How long after the move before: that is what one looks for."""
    gap = "" if before is None else f"+{(at - before).total_seconds():.1f} s"
    return f"{at:%Y-%m-%d %H:%M:%S} {gap:>10}"


def _details(details: Mapping[str, Any]) -> Iterator[str]:
    if details.get("redelivered"):
        yield "delivered again"
    if details.get("attempt"):
        yield f"attempt {details['attempt']}"
    if details.get("device"):
        yield f"device {details['device']}"
    if details.get("error_code"):
        yield str(details["error_code"])
    if details.get("next_attempt_at"):
        yield f"again at {details['next_attempt_at']}"
    if details.get("expired_at"):
        old, new = (short(datetime.fromisoformat(details[name])) for name in ("expired_at", "expires_at"))
        yield f"end {old} → {new}"
    if details.get("superseded_by"):
        yield f"by {details['superseded_by']}"


def _attempts(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    yield "attempts:"
    for one in story["attempts"]:
        holder = names.get(str(one["collector_id"]), str(one["collector_id"]))
        where = f"{holder} {one['device'] or ''}".strip()
        told = [one["result"] or "no answer yet", _took(one["execution_time_ms"]), one["error_code"] or ""]
        told += [f"delivered {one['deliveries']} times"] if one["deliveries"] > 1 else []
        told += [f"{one['late_count']} acks that changed nothing"] if one["late_count"] else []
        yield f"  {one['n']}  dispatch {one['dispatch_id']} to {where}: {', '.join(part for part in told if part)}"
        for name in ("before", "after"):
            if one[f"snapshot_{name}"]:
                yield f"     {name:<7} {words(one[f'snapshot_{name}'])}"


def _took(milliseconds: int | None) -> str:
    return "" if milliseconds is None else f"took {milliseconds / 1000:.1f} s"
