"""The door for collectors."""

import httpx
import pytest
from sqlalchemy import text

from hashinsight.app import create_app
from hashinsight.kit.db.context import job_context
from hashinsight.kit.settings import Settings
from hashinsight.wire.sites import matches_site
from tests.collectors.collector_site import EDGE, CollectorSite, bearer


def code_of(answer: httpx.Response) -> str:
    assert answer.json()["success"] is False
    return str(answer.json()["error_code"])


async def test_without_a_token_every_edge_route_is_401(collector_site: CollectorSite) -> None:
    for method, path in (
        ("POST", "heartbeat"),
        ("POST", "events"),
        ("GET", "config"),
        ("POST", "config/applied"),
        ("POST", "register"),
    ):
        answer = await collector_site.api.request(method, f"{EDGE}/{path}", json={})
        assert (answer.status_code, code_of(answer)) == (401, "UNAUTHENTICATED"), path


async def test_both_headers_carry_the_token(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    for headers in (bearer(token), {"Authorization": f"bearer  {token}"}, {"X-Collector-Key": token}):
        answer = await collector_site.api.get(f"{EDGE}/config", headers=headers)
        assert answer.status_code == 200, answer.text
        assert answer.json()["success"] is True


async def test_a_forged_token_and_a_persons_token_are_unknown(collector_site: CollectorSite) -> None:
    for token in ("hi_collector_forged", collector_site.owner["Authorization"][7:]):
        answer = await collector_site.call(token)
        assert (answer.status_code, code_of(answer)) == (401, "COLLECTOR_TOKEN_UNKNOWN")
    _, token = await collector_site.collector()
    assert (await collector_site.get("collectors", bearer(token))).status_code == 401


async def test_a_revoked_token_is_refused_at_its_next_call_by_every_process(
    collector_site: CollectorSite, settings: Settings
) -> None:
    collector_id, token = await collector_site.collector()
    other = create_app(settings)
    async with (
        other.router.lifespan_context(other),
        httpx.AsyncClient(transport=httpx.ASGITransport(other), base_url="http://test") as second,
    ):
        assert (await collector_site.call(token)).status_code == 200
        assert (await second.get(f"{EDGE}/config", headers=bearer(token))).status_code == 200
        answer = await collector_site.post(f"collectors/{collector_id}/revoke-tokens")
        assert answer.json() == {"revoked": 1}
        for api in (second, collector_site.api):
            refused = await api.get(f"{EDGE}/config", headers=bearer(token))
            assert (refused.status_code, code_of(refused)) == (401, "COLLECTOR_TOKEN_REVOKED")


async def test_a_rotated_token_overlaps_as_long_as_set_and_not_longer(collector_site: CollectorSite) -> None:
    collector_id, old = await collector_site.collector()
    answer = await collector_site.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 60})
    assert answer.status_code == 200, answer.text
    new = answer.json()["token"]
    collector_site.at(59.9)
    assert (await collector_site.call(old)).status_code == 200
    assert (await collector_site.call(new)).status_code == 200
    collector_site.at(60)
    refused = await collector_site.call(old)
    assert (refused.status_code, code_of(refused)) == (401, "COLLECTOR_TOKEN_EXPIRED")
    assert (await collector_site.call(new)).status_code == 200


async def test_rotating_again_does_not_lengthen_an_overlap_that_runs(collector_site: CollectorSite) -> None:
    collector_id, old = await collector_site.collector()
    await collector_site.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 10})
    await collector_site.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 600})
    collector_site.at(11)
    assert (await collector_site.call(old)).status_code == 401


async def test_without_overlap_the_old_token_is_refused_at_once(collector_site: CollectorSite) -> None:
    collector_id, old = await collector_site.collector()
    new = (await collector_site.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 0})).json()["token"]
    assert (await collector_site.call(old)).status_code == 401
    assert (await collector_site.call(new)).status_code == 200


async def test_a_token_lives_as_long_as_its_life_and_not_longer(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector()
    answer = await collector_site.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 0, "life_days": 1})
    token = answer.json()["token"]
    collector_site.at(86_399)
    assert (await collector_site.call(token)).status_code == 200
    collector_site.at(86_400)
    assert code_of(await collector_site.call(token)) == "COLLECTOR_TOKEN_EXPIRED"


@pytest.mark.parametrize("header", ["X-Site-ID", "x-site-id"])
async def test_the_site_may_be_named_by_id_or_code_and_another_one_is_403(
    collector_site: CollectorSite, header: str
) -> None:
    other = await collector_site.site("tx-2")
    _, token = await collector_site.collector()
    for good in (str(collector_site.site_id), "tx-1", "TX-1", "Tx-1"):
        assert (await collector_site.call(token, {header: good})).status_code == 200
        assert (await collector_site.call(token, site_id=good)).status_code == 200
    for bad in (str(other), "tx-2", "0", "-1", "9" * 30, "TX-2", "'; --"):
        for answer in (await collector_site.call(token, {header: bad}), await collector_site.call(token, site_id=bad)):
            assert (answer.status_code, code_of(answer)) == (403, "SITE_MISMATCH"), bad


async def test_a_collector_of_a_zone_may_name_that_zone_and_no_other(collector_site: CollectorSite) -> None:
    hall, yard = await collector_site.zone("hall"), await collector_site.zone("yard")
    _, of_zone = await collector_site.collector("zoned", zone_id="hall")
    _, of_site = await collector_site.collector("whole")
    elsewhere = await collector_site.zone("hall-2", await collector_site.site("tx-2"))
    for good in (str(hall), "hall"):
        assert (await collector_site.call(of_zone, {"X-Zone-ID": good})).status_code == 200
        assert (await collector_site.call(of_site, {"X-Zone-ID": good})).status_code == 200
    for bad in (str(yard), "yard", "nowhere"):
        answer = await collector_site.call(of_zone, {"X-Zone-ID": bad})
        assert (answer.status_code, code_of(answer)) == (403, "ZONE_MISMATCH"), bad
    assert (await collector_site.call(of_site, {"X-Zone-ID": str(elsewhere)})).status_code == 403


async def test_another_collectors_id_in_the_query_is_403(collector_site: CollectorSite) -> None:
    mine, token = await collector_site.collector("mine")
    other, _ = await collector_site.collector("other")
    assert (await collector_site.call(token, collector_id=mine)).status_code == 200
    answer = await collector_site.call(token, collector_id=other)
    assert (answer.status_code, code_of(answer)) == (403, "COLLECTOR_MISMATCH")


async def test_a_disabled_collector_is_403_until_it_is_enabled(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    assert (await collector_site.post(f"collectors/{collector_id}/disable")).json()["status"] == "disabled"
    answer = await collector_site.call(token)
    assert (answer.status_code, code_of(answer)) == (403, "COLLECTOR_NOT_ACTIVE")
    assert (await collector_site.beat(token)).status_code == 403
    state = await collector_site.api.post(f"{EDGE}/register", headers=bearer(token), json={})
    assert (state.status_code, state.json()["status"]) == (200, "disabled")
    assert (await collector_site.post(f"collectors/{collector_id}/enable")).json()["status"] == "active"
    assert (await collector_site.call(token)).status_code == 200


async def test_every_name_of_the_device_header_is_understood(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    for n, header in enumerate(("X-Device-ID", "X-Edge-ID", "X-Edge-Device-ID")):
        collector_site.at(10 * n)
        assert (await collector_site.call(token, {header: f"box-{n}"})).status_code == 200
        assert (await collector_site.shown(collector_id))["last_device_id"] == f"box-{n}"
    assert (await collector_site.call(token, {"X-Device-ID": "x" * 201})).status_code == 422


async def test_refusals_are_audited_and_a_flood_is_not_one_entry_each(collector_site: CollectorSite) -> None:
    for _ in range(30):
        await collector_site.call("hi_collector_forged")
    entries = await collector_site.audited("collector_refused")
    assert 1 <= len(entries) <= 10
    assert {entry.after["error_code"] for entry in entries} == {"COLLECTOR_TOKEN_UNKNOWN"}
    assert {entry.tenant_id for entry in entries} == {None}
    collector_id, token = await collector_site.collector()
    await collector_site.post(f"collectors/{collector_id}/disable")
    for _ in range(5):
        await collector_site.call(token)
    (entry,) = [entry for entry in await collector_site.audited("collector_refused") if entry.tenant_id is not None]
    assert (entry.entity_id, entry.actor_kind) == (collector_id, "collector")
    assert entry.after == {"error_code": "COLLECTOR_NOT_ACTIVE"}


async def test_tokens_are_stored_only_as_hashes_and_are_in_no_audit_entry(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    rotated = (await collector_site.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 5})).json()["token"]
    _, code = await collector_site.collector("south", credential="enrolment_code")
    async with collector_site.database.transaction(job_context()) as session:
        for table in ("collectors", "collector_tokens", "enrolment_codes", "audit_log", "collector_events"):
            rows = (await session.execute(text(f"select row_to_json(t)::text from {table} t"))).scalars().all()
            assert rows or table == "collector_events"
            for secret in (token, rotated, code):
                assert secret not in "".join(rows), table


async def test_the_answer_uses_the_form_in_which_the_collector_names_its_site(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    by_code = await collector_site.api.post(f"{EDGE}/register", headers=bearer(token), json={})
    assert by_code.json()["site_id"] == "tx-1"
    await collector_site.call(token, {"X-Site-ID": str(collector_site.site_id)})
    remembered = await collector_site.api.post(f"{EDGE}/register", headers=bearer(token), json={})
    assert remembered.json()["site_id"] == str(collector_site.site_id)


async def test_a_site_is_sent_back_letter_for_letter_until_it_gets_another_code(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()

    async def answered(**headers: str) -> str:
        answer = await collector_site.api.post(f"{EDGE}/register", headers=bearer(token) | headers, json={})
        name: str = answer.json()["site_id"]
        return name

    await collector_site.call(token, {"X-Site-ID": "TX-1"})
    assert await answered() == "TX-1", "as it last wrote it"
    assert await answered(**{"X-Site-ID": "tx-1"}) == "tx-1"
    changed = await collector_site.api.patch(
        "/api/admin/v1/sites/tx-1", json={"code": "Midland"}, headers=collector_site.owner
    )
    assert changed.status_code == 200, changed.text
    assert await answered() == "Midland"


def test_a_site_is_named_by_its_number_or_by_its_code_in_any_case() -> None:
    for named in ("7", "tx-k", "TX-K", "Tx-k"):
        assert matches_site(named, site_id=7, code="Tx-K"), named
    for other in ("07", "7 ", "+7", "", "tx-k0", "tx-\u212a"):
        assert not matches_site(other, site_id=7, code="Tx-K"), other
