"""Check a run: read its rows, some machines at a time, and have the history checker judge them.

Each group of machines is read by one statement, so that a fleet in operation can be checked: the rows of a machine are
from one instant. From the main server, like the audit log.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import checker, limits
from hashinsight.commands.checker import Finding, FindingName, Story, StoryGroup, Timeline
from hashinsight.commands.queries import checker as queries
from hashinsight.inventory.service import get_settings
from hashinsight.inventory.tenant_settings import TenantSettings
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database

MACHINES_AT_ONCE = 200
MAX_SHOWN = 1000
T = TypeVar("T")


@dataclass
class HistoryReport:
    """What was checked, and the findings. `found` also counts those that are not shown."""

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
        if self.found <= MAX_SHOWN:
            self.findings.append(finding)

    def add_counts(self, stories: dict[UUID, Story]) -> None:
        self.commands += len(stories)
        self.moves += sum(len(story.moves) for story in stories.values())
        self.open += sum(story.command.finished_at is None for story in stories.values())
        unknown = sum(story.command.dedupe_key is not None and story.dedupe_until is None for story in stories.values())
        if unknown:
            self.notes.append(f"{unknown} commands: the audit log does not have the window of their dedupe key")

    def shown(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("machines", "commands", "moves", "open", "found")}
        findings = [finding.shown() for finding in self.findings]
        return {"ok": self.ok, **counts, "findings": findings, "notes": self.notes}


async def check_history(
    database: Database, tenant_id: UUID, *, since: datetime | None = None, until: datetime | None = None
) -> HistoryReport:
    """The commands of one tenant that were alive in the range; without a range, all that there ever were."""
    span = {"tenant_id": tenant_id, "since": since, "until": until}
    report = HistoryReport()
    async with database.transaction(_context()) as session:
        by_requester, rates, shares = await _settings_over_time(session, tenant_id)
        machines = await queries.list_machines(session, span)
        lost = await queries.list_lost(session, span, most=MAX_SHOWN)
        lease_lines = await queries.list_leases(session, span, limits.RATE_LIMITED)
        outage_lines = await queries.list_outages(session, span, checker.CAPPED)
        sizes = await queries.count_machines(session, tenant_id)
    leases = [msgspec.json.decode(line, type=checker.Lease) for line in lease_lines]
    outages = [msgspec.json.decode(line, type=checker.Outage) for line in outage_lines]
    for entity_id, at in lost:
        report.add(Finding(FindingName.COMMAND_LOST, f"created at {at}, and in no table", UUID(entity_id)))
    async for stories in _read_stories(database, span, machines):
        for finding in checker.check(StoryGroup(stories, by_requester, since, until)):
            report.add(finding)
        report.add_counts(stories)
    for finding in (*checker.check_rates(leases, rates), *checker.check_caps(outages, shares, sizes, since=since)):
        report.add(finding)
    report.machines = len(machines)
    return report


async def _read_stories(
    database: Database, span: dict[str, Any], machines: Sequence[int]
) -> AsyncIterator[dict[UUID, Story]]:
    for begin in range(0, len(machines), MACHINES_AT_ONCE):
        async with database.transaction(_context()) as session:
            rows = await queries.list_story_rows(session, span, machines[begin : begin + MACHINES_AT_ONCE])
        yield build_stories(rows)


def build_stories(rows: Sequence[Any]) -> dict[UUID, Story]:
    commands = _by_command(rows, checker.Command)
    moves, attempts = _by_command(rows, checker.Move), _by_command(rows, checker.Attempt)
    entries = _by_command(rows, checker.Entry)
    approvals: dict[UUID, list[checker.Approval]] = defaultdict(list)
    for approval in _decode(rows, checker.Approval):
        approvals[approval.batch_id].append(approval)
    return {
        command_id: Story(
            tuple(command_rows),
            tuple(sorted(moves[command_id], key=lambda move: move.n)),
            tuple(attempts[command_id]),
            tuple(approvals[command_rows[0].batch_id]),
            tuple(entries[command_id]),
        )
        for command_id, command_rows in list(commands.items())
    }


def _by_command(rows: Sequence[Any], kind: type[T]) -> dict[UUID, list[T]]:
    by_command: dict[UUID, list[T]] = defaultdict(list)
    for row in _decode(rows, kind):
        by_command[row.command_id].append(row)  # type: ignore[attr-defined] # all but approvals have it
    return by_command


def _decode(rows: Sequence[Any], kind: type[T]) -> list[T]:
    return [msgspec.json.decode(row.line, type=kind) for row in rows if row.kind == kind.__name__]


async def _settings_over_time(
    session: AsyncSession, tenant_id: UUID
) -> tuple[Timeline[bool], dict[str, Timeline[int]], Timeline[float]]:
    """Who may approve, rates and share of machines down, over time, as the audit log has the changes."""
    settings = (await get_settings(session, tenant_id)).settings
    changes: list[tuple[datetime, TenantSettings]] = []
    for row in reversed(await queries.list_settings_changes(session, tenant_id)):
        changes.insert(0, (row.at, settings))
        settings = TenantSettings.model_validate({**settings.model_dump(mode="json"), **(row.before or {})})
    by_requester = Timeline(
        settings.approval.by_requester, [(at, changed.approval.by_requester) for at, changed in changes]
    )
    first = limits.rate_limits(settings.thresholds.reboots_per_site_5min)
    later = [(at, limits.rate_limits(changed.thresholds.reboots_per_site_5min)) for at, changed in changes]
    rates = {kind: Timeline(limit, [(at, rate[kind]) for at, rate in later]) for kind, limit in first.items()}
    shares = [(at, changed.thresholds.max_share_of_site_down) for at, changed in changes]
    return by_requester, rates, Timeline(settings.thresholds.max_share_of_site_down, shares)


def _context() -> Context:
    return replace(job_context(), read_only=True)
