"""Examine a run: read what it left behind, some machines at a time, and have the checker judge it.

The checker is judgement alone; this is what gives it rows. Each group of machines is read by one statement, so that a
fleet at work can be examined: what is read of a machine is of one instant. From the main server, like the record.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from hashinsight.commands import checker, limits
from hashinsight.commands.checker import Finding, Name, Part, Story, Timeline
from hashinsight.commands.queries import checker as queries
from hashinsight.inventory.service import get_settings
from hashinsight.inventory.tenant_settings import TenantSettings
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database

MACHINES_AT_ONCE = 200
MOST_SHOWN = 1000
T = TypeVar("T")


@dataclass
class HistoryReport:
    """What was looked at, and what did not hold. `found` counts also what is not shown."""

    machines: int = 0
    commands: int = 0
    moves: int = 0
    open: int = 0  # not in a final state yet
    found: int = 0
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.found == 0

    def add(self, finding: Finding) -> None:
        self.found += 1
        if self.found <= MOST_SHOWN:
            self.findings.append(finding)

    def shown(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("machines", "commands", "moves", "open", "found")}
        return {"ok": self.ok, **counts, "findings": [one.shown() for one in self.findings], "notes": self.notes}


async def check_history(
    database: Database, tenant_id: UUID, *, since: datetime | None = None, until: datetime | None = None
) -> HistoryReport:
    """Of one tenant, the commands that were alive in the range; without one, all that there ever were."""
    span = {"tenant_id": tenant_id, "since": since, "until": until}
    done = HistoryReport()
    async with database.transaction(_context()) as session:
        by_requester, rates, shares = await _settings(session, tenant_id)
        machines = await queries.list_machines(session, span)
        lost = await queries.list_lost(session, span, most=MOST_SHOWN)
        handed = [
            msgspec.json.decode(line, type=checker.Handed)
            for line in await queries.read_handed(session, span, limits.RATE_LIMITED)
        ]
        outages = [
            msgspec.json.decode(line, type=checker.Outage)
            for line in await queries.read_outages(session, span, checker.CAPPED)
        ]
        sizes = await queries.count_machines(session, tenant_id)
    for entity_id, at in lost:
        done.add(Finding(Name.COMMAND_LOST, f"made at {at}, and in no table", UUID(entity_id)))
    async for stories in _stories(database, span, machines):
        for finding in checker.check(Part(stories, by_requester, since, until)):
            done.add(finding)
        _count(done, stories)
    for finding in (*checker.check_rates(handed, rates), *checker.check_caps(outages, shares, sizes, since=since)):
        done.add(finding)
    done.machines = len(machines)
    return done


def _count(done: HistoryReport, stories: dict[UUID, Story]) -> None:
    done.commands += len(stories)
    done.moves += sum(len(story.moves) for story in stories.values())
    done.open += sum(story.command.finished_at is None for story in stories.values())
    untold = sum(one.command.dedupe_key is not None and one.dedupe_until is None for one in stories.values())
    if untold:
        done.notes.append(f"of {untold} commands the record does not say how long their dedupe key held")


async def _stories(
    database: Database, span: dict[str, Any], machines: Sequence[int]
) -> AsyncIterator[dict[UUID, Story]]:
    for begin in range(0, len(machines), MACHINES_AT_ONCE):
        async with database.transaction(_context()) as session:
            rows = await queries.read_stories(session, span, machines[begin : begin + MACHINES_AT_ONCE])
        yield _told(rows)


def _told(rows: Sequence[Any]) -> dict[UUID, Story]:
    commands = _by_command(rows, checker.Command)
    moves, attempts = _by_command(rows, checker.Move), _by_command(rows, checker.Attempt)
    entries = _by_command(rows, checker.Entry)
    approvals: dict[UUID, list[checker.Approval]] = defaultdict(list)
    for one in _decoded(rows, checker.Approval):
        approvals[one.batch_id].append(one)
    return {
        command_id: Story(
            tuple(found),
            tuple(sorted(moves[command_id], key=lambda move: move.n)),
            tuple(attempts[command_id]),
            tuple(approvals[found[0].batch_id]),
            tuple(entries[command_id]),
        )
        for command_id, found in list(commands.items())
    }


def _by_command(rows: Sequence[Any], kind: type[T]) -> dict[UUID, list[T]]:
    found: dict[UUID, list[T]] = defaultdict(list)
    for one in _decoded(rows, kind):
        found[one.command_id].append(one)  # type: ignore[attr-defined] # all but approvals have it
    return found


def _decoded(rows: Sequence[Any], kind: type[T]) -> list[T]:
    return [msgspec.json.decode(row.line, type=kind) for row in rows if row.kind == kind.__name__]


async def _settings(session: Any, tenant_id: UUID) -> tuple[Timeline[bool], dict[str, Timeline[int]], Timeline[float]]:
    """Who may approve, how much may go out and how much be down, over time, as the record of changes tells."""
    now = (await get_settings(session, tenant_id)).settings
    changes: list[tuple[datetime, TenantSettings]] = []
    held = now
    for row in reversed(await queries.list_settings_changed(session, tenant_id)):
        changes.insert(0, (row.at, held))
        held = TenantSettings.model_validate({**held.model_dump(mode="json"), **(row.before or {})})
    by_requester = Timeline(held.approval.by_requester, [(at, one.approval.by_requester) for at, one in changes])
    kinds = limits.rate_limits(held.thresholds.reboots_per_site_5min)
    each = [(at, limits.rate_limits(one.thresholds.reboots_per_site_5min)) for at, one in changes]
    rates = {kind: Timeline(most, [(at, one[kind]) for at, one in each]) for kind, most in kinds.items()}
    down = [(at, one.thresholds.max_share_of_site_down) for at, one in changes]
    return by_requester, rates, Timeline(held.thresholds.max_share_of_site_down, down)


def _context() -> Context:
    return replace(job_context(), read_only=True)
