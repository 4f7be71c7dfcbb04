"""The whole application with problems in its registry, as a cycle leaves them, and people who act on them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

import httpx

from hashinsight.kit.ids import new_id
from hashinsight.problems.codes import EventStatus, Issue, Severity
from tests.commands.two_tenants import TwoTenants

V1, HOSTING = "/api/v1", "/hosting/api"
_EVENT = """
insert into problem_events (id, tenant_id, site_id, event_no, miner_no, miner_id, issue_code, severity, status,
    start_ts, opened_ts, last_seen_ts, seen, resolved_ts, dedup_key, evidence_json, p_fail_24h, zone_id, model,
    firmware, symptom, predecessor_id, resolved_by, resolution_cause, resolution_action, created_at, updated_at)
select %(id)s, m.tenant_id, m.site_id, s.next_no, m.miner_no, m.miner_id, %(issue_code)s, %(severity)s, %(status)s,
    %(start)s, %(start)s, %(last_seen)s, %(seen)s, %(resolved)s, m.miner_id || ':' || %(issue_code)s,
    jsonb_build_array(jsonb_build_object('rule_code', %(issue_code)s::text, 'threshold', 0.05)), %(p_fail)s, m.zone_id,
    m.model, %(firmware)s, %(symptom)s, %(predecessor)s, %(resolved_by)s, %(cause)s, %(action)s, %(start)s, %(start)s
from miners m join sites p on p.id = m.site_id join problem_sites s on s.site_id = m.site_id
where m.miner_id = %(miner)s and p.code = %(site)s
"""
_PULSE = """
insert into problem_pulse (problem_id, tenant_id, site_id, version, event_no, subject, issue, severity, status,
    start_ts, opened_ts, last_seen_ts, resolved_ts, recurrences, consecutive_ok, consecutive_fail, flap_since,
    flap_count, flapping, notified, escalated, predecessor)
select id, tenant_id, site_id, 0, event_no, miner_no, %(issue)s, %(severity_no)s, %(status_no)s,
    extract(epoch from start_ts), extract(epoch from start_ts), extract(epoch from %(pulse_seen)s::timestamptz),
    coalesce(extract(epoch from resolved_ts), 'NaN'), 3, 0, 7, 'NaN', 0, false, 127, false, -1
from problem_events where id = %(id)s
"""


class ProblemsApi:
    """Machines as in `TwoTenants`: m1 … m60 at tx-1 (the odd ones in z1), n1 … n5 at tx-2; tenant b has others."""

    def __init__(self, tenants: TwoTenants) -> None:
        self.tenants = tenants
        self.api: httpx.AsyncClient = tenants.api
        self.tenants.write(
            "insert into problem_sites (site_id, tenant_id, next_no, modes) select id, tenant_id, 1, '{}' from sites"
        )

    @property
    def now(self) -> datetime:
        return self.tenants.now

    def problem(
        self,
        miner: str = "m1",
        issue: Issue = Issue.HASHRATE_DEGRADATION,
        severity: Severity = Severity.P2,
        status: EventStatus = EventStatus.OPEN,
        *,
        site: str = "tx-1",
        minutes: float = 60,
        with_pulse: bool = True,
        **more: Any,
    ) -> UUID:
        """One problem that began so many minutes ago and was seen a minute ago."""
        start = self.now - timedelta(minutes=minutes)
        is_over = status is EventStatus.RESOLVED
        values: dict[str, Any] = {
            "id": new_id(),
            "miner": miner,
            "site": site,
            "issue_code": issue.code,
            "issue": int(issue),
            "severity": severity.name,
            "severity_no": int(severity),
            "status": status.name.lower(),
            "status_no": int(status),
            "start": start,
            "last_seen": start,
            "pulse_seen": self.now - timedelta(minutes=1),
            "seen": not is_over,
            "resolved": self.now if is_over else None,
            "p_fail": None,
            "firmware": None,
            "symptom": False,
            "predecessor": None,
            "resolved_by": None,
            "cause": None,
            "action": None,
        } | more
        self._run(_EVENT, values)
        if with_pulse:
            self._run(_PULSE, values)
        self.tenants.write(
            "update problem_sites set next_no = next_no + 1 where site_id = (select id from sites where code = %s)",
            site,
        )
        return cast("UUID", values["id"])

    def _run(self, statement: str, values: Mapping[str, Any]) -> None:
        self.tenants.write_named(statement, values)

    def event(self, problem_id: UUID) -> dict[str, Any]:
        return self.tenants.row("select * from problem_events where id = %s", problem_id)

    def pulse(self, problem_id: UUID) -> dict[str, Any]:
        return self.tenants.row("select * from problem_pulse where problem_id = %s", problem_id)

    def timeline(self, problem_id: UUID) -> list[dict[str, Any]]:
        return self.tenants.rows("select * from problem_timeline where problem_id = %s order by id", problem_id)

    def audited(self, action: str) -> list[dict[str, Any]]:
        return self.tenants.rows("select * from audit_log where action = %s order by id", action)

    async def headers(self, role: str = "NOC", tenant: str = "a", **scope: Any) -> dict[str, str]:
        return await self.tenants.headers(role, tenant, **scope)

    async def get(self, path: str, headers: Mapping[str, str], **query: Any) -> Any:
        answer = await self.api.get(f"{V1}{path}", params=query, headers=dict(headers))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: Any, headers: Mapping[str, str]) -> httpx.Response:
        return await self.api.post(f"{V1}{path}", json=body, headers=dict(headers))

    async def act(self, problem_id: UUID, verb: str, headers: Mapping[str, str], **body: Any) -> httpx.Response:
        return await self.post(f"/problems/{problem_id}/{verb}", body, headers)


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error_code"]
