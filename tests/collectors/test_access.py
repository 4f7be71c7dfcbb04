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


async def test_without_a_token_every_edge_route_is_401(scene: CollectorSite) -> None:
    for method, path in (
        ("POST", "heartbeat"),
        ("POST", "events"),
        ("GET", "config"),
        ("POST", "config/applied"),
        ("POST", "register"),
    ):
        answer = await scene.api.request(method, f"{EDGE}/{path}", json={})
        assert (answer.status_code, code_of(answer)) == (401, "UNAUTHENTICATED"), path


async def test_both_headers_carry_the_token(scene: CollectorSite) -> None:
    _, token = await scene.collector()
    for headers in (bearer(token), {"Authorization": f"bearer  {token}"}, {"X-Collector-Key": token}):
        answer = await scene.api.get(f"{EDGE}/config", headers=headers)
        assert answer.status_code == 200, answer.text
        assert answer.json()["success"] is True


async def test_a_forged_token_and_a_persons_token_are_unknown(scene: CollectorSite) -> None:
    for token in ("hi_collector_forged", scene.owner["Authorization"][7:]):
        answer = await scene.call(token)
        assert (answer.status_code, code_of(answer)) == (401, "COLLECTOR_TOKEN_UNKNOWN")
    _, token = await scene.collector()
    assert (await scene.get("collectors", bearer(token))).status_code == 401


async def test_a_revoked_token_is_refused_at_its_next_call_by_every_process(
    scene: CollectorSite, settings: Settings
) -> None:
    collector_id, token = await scene.collector()
    other = create_app(settings)
    async with (
        other.router.lifespan_context(other),
        httpx.AsyncClient(transport=httpx.ASGITransport(other), base_url="http://test") as second,
    ):
        assert (await scene.call(token)).status_code == 200
        assert (await second.get(f"{EDGE}/config", headers=bearer(token))).status_code == 200
        answer = await scene.post(f"collectors/{collector_id}/revoke-tokens")
        assert answer.json() == {"revoked": 1}
        for api in (second, scene.api):
            refused = await api.get(f"{EDGE}/config", headers=bearer(token))
            assert (refused.status_code, code_of(refused)) == (401, "COLLECTOR_TOKEN_REVOKED")


async def test_a_rotated_token_overlaps_as_long_as_set_and_not_longer(scene: CollectorSite) -> None:
    collector_id, old = await scene.collector()
    answer = await scene.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 60})
    assert answer.status_code == 200, answer.text
    new = answer.json()["token"]
    scene.at(59.9)
    assert (await scene.call(old)).status_code == 200
    assert (await scene.call(new)).status_code == 200
    scene.at(60)
    refused = await scene.call(old)
    assert (refused.status_code, code_of(refused)) == (401, "COLLECTOR_TOKEN_EXPIRED")
    assert (await scene.call(new)).status_code == 200


async def test_rotating_again_does_not_lengthen_an_overlap_that_runs(scene: CollectorSite) -> None:
    collector_id, old = await scene.collector()
    await scene.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 10})
    await scene.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 600})
    scene.at(11)
    assert (await scene.call(old)).status_code == 401


async def test_without_overlap_the_old_token_is_refused_at_once(scene: CollectorSite) -> None:
    collector_id, old = await scene.collector()
    new = (await scene.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 0})).json()["token"]
    assert (await scene.call(old)).status_code == 401
    assert (await scene.call(new)).status_code == 200


async def test_a_token_lives_as_long_as_its_life_and_not_longer(scene: CollectorSite) -> None:
    collector_id, _ = await scene.collector()
    answer = await scene.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 0, "life_days": 1})
    token = answer.json()["token"]
    scene.at(86_399)
    assert (await scene.call(token)).status_code == 200
    scene.at(86_400)
    assert code_of(await scene.call(token)) == "COLLECTOR_TOKEN_EXPIRED"


@pytest.mark.parametrize("header", ["X-Site-ID", "x-site-id"])
async def test_the_site_may_be_named_by_id_or_code_and_another_one_is_403(scene: CollectorSite, header: str) -> None:
    other = await scene.site("tx-2")
    _, token = await scene.collector()
    for good in (str(scene.site_id), "tx-1", "TX-1", "Tx-1"):
        assert (await scene.call(token, {header: good})).status_code == 200
        assert (await scene.call(token, site_id=good)).status_code == 200
    for bad in (str(other), "tx-2", "0", "-1", "9" * 30, "TX-2", "'; --"):
        for answer in (await scene.call(token, {header: bad}), await scene.call(token, site_id=bad)):
            assert (answer.status_code, code_of(answer)) == (403, "SITE_MISMATCH"), bad


async def test_a_collector_of_a_zone_may_name_that_zone_and_no_other(scene: CollectorSite) -> None:
    hall, yard = await scene.zone("hall"), await scene.zone("yard")
    _, of_zone = await scene.collector("zoned", zone_id="hall")
    _, of_site = await scene.collector("whole")
    elsewhere = await scene.zone("hall-2", await scene.site("tx-2"))
    for good in (str(hall), "hall"):
        assert (await scene.call(of_zone, {"X-Zone-ID": good})).status_code == 200
        assert (await scene.call(of_site, {"X-Zone-ID": good})).status_code == 200
    for bad in (str(yard), "yard", "nowhere"):
        answer = await scene.call(of_zone, {"X-Zone-ID": bad})
        assert (answer.status_code, code_of(answer)) == (403, "ZONE_MISMATCH"), bad
    assert (await scene.call(of_site, {"X-Zone-ID": str(elsewhere)})).status_code == 403


async def test_another_collectors_id_in_the_query_is_403(scene: CollectorSite) -> None:
    mine, token = await scene.collector("mine")
    other, _ = await scene.collector("other")
    assert (await scene.call(token, collector_id=mine)).status_code == 200
    answer = await scene.call(token, collector_id=other)
    assert (answer.status_code, code_of(answer)) == (403, "COLLECTOR_MISMATCH")


async def test_a_disabled_collector_is_403_until_it_is_enabled(scene: CollectorSite) -> None:
    collector_id, token = await scene.collector()
    assert (await scene.post(f"collectors/{collector_id}/disable")).json()["status"] == "disabled"
    answer = await scene.call(token)
    assert (answer.status_code, code_of(answer)) == (403, "COLLECTOR_NOT_ACTIVE")
    assert (await scene.beat(token)).status_code == 403
    state = await scene.api.post(f"{EDGE}/register", headers=bearer(token), json={})
    assert (state.status_code, state.json()["status"]) == (200, "disabled")
    assert (await scene.post(f"collectors/{collector_id}/enable")).json()["status"] == "active"
    assert (await scene.call(token)).status_code == 200


async def test_every_name_of_the_device_header_is_understood(scene: CollectorSite) -> None:
    collector_id, token = await scene.collector()
    for n, header in enumerate(("X-Device-ID", "X-Edge-ID", "X-Edge-Device-ID")):
        scene.at(10 * n)
        assert (await scene.call(token, {header: f"box-{n}"})).status_code == 200
        assert (await scene.shown(collector_id))["last_device_id"] == f"box-{n}"
    assert (await scene.call(token, {"X-Device-ID": "x" * 201})).status_code == 422


async def test_refusals_are_audited_and_a_flood_is_not_one_entry_each(scene: CollectorSite) -> None:
    for _ in range(30):
        await scene.call("hi_collector_forged")
    entries = await scene.audited("collector_refused")
    assert 1 <= len(entries) <= 10
    assert {entry.after["error_code"] for entry in entries} == {"COLLECTOR_TOKEN_UNKNOWN"}
    assert {entry.tenant_id for entry in entries} == {None}
    collector_id, token = await scene.collector()
    await scene.post(f"collectors/{collector_id}/disable")
    for _ in range(5):
        await scene.call(token)
    (entry,) = [entry for entry in await scene.audited("collector_refused") if entry.tenant_id is not None]
    assert (entry.entity_id, entry.actor_kind) == (collector_id, "collector")
    assert entry.after == {"error_code": "COLLECTOR_NOT_ACTIVE"}


async def test_tokens_are_stored_only_as_hashes_and_are_in_no_audit_entry(scene: CollectorSite) -> None:
    collector_id, token = await scene.collector()
    rotated = (await scene.post(f"collectors/{collector_id}/rotate-token", {"overlap_sec": 5})).json()["token"]
    _, code = await scene.collector("south", credential="enrolment_code")
    async with scene.database.transaction(job_context()) as session:
        for table in ("collectors", "collector_tokens", "enrolment_codes", "audit_log", "collector_events"):
            rows = (await session.execute(text(f"select row_to_json(t)::text from {table} t"))).scalars().all()
            assert rows or table == "collector_events"
            for secret in (token, rotated, code):
                assert secret not in "".join(rows), table


async def test_the_answer_uses_the_form_in_which_the_collector_names_its_site(scene: CollectorSite) -> None:
    _, token = await scene.collector()
    by_code = await scene.api.post(f"{EDGE}/register", headers=bearer(token), json={})
    assert by_code.json()["site_id"] == "tx-1"
    await scene.call(token, {"X-Site-ID": str(scene.site_id)})
    remembered = await scene.api.post(f"{EDGE}/register", headers=bearer(token), json={})
    assert remembered.json()["site_id"] == str(scene.site_id)


async def test_a_site_is_sent_back_letter_for_letter_until_it_gets_another_code(scene: CollectorSite) -> None:
    _, token = await scene.collector()

    async def answered(**headers: str) -> str:
        answer = await scene.api.post(f"{EDGE}/register", headers=bearer(token) | headers, json={})
        name: str = answer.json()["site_id"]
        return name

    await scene.call(token, {"X-Site-ID": "TX-1"})
    assert await answered() == "TX-1", "as it last wrote it"
    assert await answered(**{"X-Site-ID": "tx-1"}) == "tx-1"
    changed = await scene.api.patch("/api/admin/v1/sites/tx-1", json={"code": "Midland"}, headers=scene.owner)
    assert changed.status_code == 200, changed.text
    assert await answered() == "Midland"


def test_a_site_is_named_by_its_number_or_by_its_code_in_any_case() -> None:
    for named in ("7", "tx-k", "TX-K", "Tx-k"):
        assert matches_site(named, site_id=7, code="Tx-K"), named
    for other in ("07", "7 ", "+7", "", "tx-k0", "tx-\u212a"):
        assert not matches_site(other, site_id=7, code="Tx-K"), other
