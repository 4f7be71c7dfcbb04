"""Tokens are given and taken one after the other: whoever comes later has the last word."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import registry
from hashinsight.collectors.queries.tokens import TokenOwner
from hashinsight.collectors.service import tokens
from hashinsight.collectors.service.enrolment import Enrolled, Enrolment, register
from hashinsight.identity.caller import AccessRefusal
from hashinsight.kit.db.context import job_context
from hashinsight.kit.errors import Conflict
from hashinsight.wire.times import write_time
from tests.collectors.collector_site import EDGE, CollectorSite
from tests.lock_waits import wait_until_blocked

Act = Callable[[AsyncSession, Collector], Awaitable[Any]]


async def collector_of(session: AsyncSession, collector_id: str) -> Collector:
    collector = await registry.find_collector(session, UUID(collector_id))
    assert collector is not None
    return collector


async def one_after_the_other(
    collector_site: CollectorSite, collector_id: str, superuser_url: str, first: Act, second: Act
) -> tuple[Any, Any]:
    """The second begins while the first is done and not committed."""

    async def later() -> Any:
        async with collector_site.database.transaction(job_context()) as session:
            return await second(session, await collector_of(session, collector_id))

    async with collector_site.database.transaction(job_context()) as session:
        made = await first(session, await collector_of(session, collector_id))
        waiting = asyncio.create_task(later())
        await wait_until_blocked(superuser_url, waiting)
    return made, await waiting


def rotating(collector_site: CollectorSite) -> Act:
    return lambda session, collector: tokens.rotate(
        session, SYSTEM, collector, overlap=timedelta(hours=1), now=collector_site.now
    )


def revoking(collector_site: CollectorSite) -> Act:
    return lambda session, collector: tokens.revoke(session, SYSTEM, collector, now=collector_site.now)


def coding(collector_site: CollectorSite) -> Act:
    return lambda session, collector: tokens.issue_code(session, SYSTEM, collector, now=collector_site.now)


def registering(collector_site: CollectorSite, code: str) -> Act:
    async def act(session: AsyncSession, collector: Collector) -> Enrolled | AccessRefusal:
        owner = TokenOwner(collector.tenant_id, collector.site_id, collector.id)
        return await register(session, SYSTEM, owner, Enrolment(code), now=collector_site.now)

    return act


async def test_revoking_during_a_rotation_revokes_the_new_token_too(
    collector_site: CollectorSite, superuser_url: str
) -> None:
    collector_id, old = await collector_site.collector()
    secret, revoked = await one_after_the_other(
        collector_site, collector_id, superuser_url, rotating(collector_site), revoking(collector_site)
    )
    assert revoked == 2
    for token in (old, secret.value):
        assert (await collector_site.call(token)).json()["error_code"] == "COLLECTOR_TOKEN_REVOKED"


async def test_revoking_while_the_first_token_is_issued_revokes_it(
    collector_site: CollectorSite, superuser_url: str
) -> None:
    collector_id, _ = await collector_site.collector(credential="nothing")
    _, revoked = await one_after_the_other(
        collector_site, collector_id, superuser_url, rotating(collector_site), revoking(collector_site)
    )
    assert revoked == 1


async def test_revoking_during_a_registration_revokes_its_token(
    collector_site: CollectorSite, superuser_url: str
) -> None:
    collector_id, code = await collector_site.collector(credential="enrolment_code")
    made, revoked = await one_after_the_other(
        collector_site, collector_id, superuser_url, registering(collector_site, code), revoking(collector_site)
    )
    assert isinstance(made, Enrolled)
    assert revoked == 1
    await collector_site.post(f"collectors/{collector_id}/approve")
    assert (await collector_site.call(made.secret.value)).status_code == 401


async def test_a_registration_during_a_revocation_is_refused(collector_site: CollectorSite, superuser_url: str) -> None:
    collector_id, code = await collector_site.collector(credential="enrolment_code")
    _, refused = await one_after_the_other(
        collector_site, collector_id, superuser_url, revoking(collector_site), registering(collector_site, code)
    )
    assert isinstance(refused, AccessRefusal)
    assert refused.code == "ENROLMENT_CODE_REVOKED"


async def test_of_two_codes_at_once_one_is_good(collector_site: CollectorSite, superuser_url: str) -> None:
    collector_id, _ = await collector_site.collector(credential="nothing")
    first, second = await one_after_the_other(
        collector_site, collector_id, superuser_url, coding(collector_site), coding(collector_site)
    )
    answers = [
        await collector_site.api.post(f"{EDGE}/register", json={"enrolment_code": secret.value})
        for secret in (first, second)
    ]
    assert [answer.status_code for answer in answers] == [401, 200]


async def test_a_code_for_a_collector_approved_meanwhile_is_a_conflict(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector(credential="nothing")
    async with collector_site.database.transaction(job_context()) as session:
        stale = await collector_of(session, collector_id)
        await collector_site.post(f"collectors/{collector_id}/approve")
        try:
            await tokens.issue_code(session, SYSTEM, stale, now=collector_site.now)
        except Conflict:
            return
    raise AssertionError("a code was issued for an active collector")


async def test_rotating_records_that_the_old_tokens_were_cut_and_until_when(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector()
    collector_site.at(5)
    await collector_site.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 60})
    entry = (await collector_site.audited("collector_token_issued"))[-1]
    assert entry.after["old_tokens_until"] == write_time(collector_site.now + timedelta(seconds=60))
    assert entry.after["old_tokens_cut"] == 1
