"""The audit routes: who may read, search, export and verify."""

import asyncio
import hashlib
import json

import httpx
import pytest
from sqlalchemy import text

from hashinsight.audit.chain import leaves_of
from hashinsight.audit.queries import seals as queries
from hashinsight.audit.service.sealing import seal
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.people import People

URL = "/api/admin/v1/audit"


async def seal_now(api: httpx.AsyncClient, database: Database) -> None:
    async with database.transaction(job_context()) as session:
        await seal(session, api.app.state.vault, now=system_clock())  # type: ignore[attr-defined] # the fixture's


@pytest.mark.parametrize("path", ["", "/export", "/seals"])
async def test_roles_without_the_permission_and_narrow_scopes_are_refused(
    api: httpx.AsyncClient, people: People, path: str
) -> None:
    assert (await api.get(URL + path)).status_code == 401
    assert (await api.get(URL + path, headers=await people.headers("Technician"))).status_code == 403
    assert (
        await api.get(
            URL + path,
            headers=await people.headers(
                "OpsManager",
                sites=[
                    (
                        await api.post(
                            "/api/admin/v1/sites",
                            json={"code": "s", "name": "s"},
                            headers=await people.headers("Owner"),
                        )
                    ).json()["id"]
                ],
            ),
        )
    ).status_code == 403
    assert (await api.get(URL + path, headers=await people.headers("OpsManager"))).status_code == 200


async def test_noc_reads_but_cannot_export_or_verify(api: httpx.AsyncClient, people: People) -> None:
    noc = await people.headers("NOC")
    assert (await api.get(URL, headers=noc)).status_code == 200
    assert (await api.get(f"{URL}/export", headers=noc)).status_code == 403
    assert (await api.post(f"{URL}/verify", json={}, headers=noc)).status_code == 403


async def test_entries_are_filtered_and_paged(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    for name in ("one", "two", "three"):
        answer = await api.post("/api/admin/v1/sites", json={"code": name, "name": name}, headers=owner)
        assert answer.status_code == 201, answer.text
    site_id = str(answer.json()["id"])

    async def search(**params: str) -> list[dict[str, object]]:
        entries: list[dict[str, object]] = []
        cursor: str | None = None
        while True:
            more = {"cursor": cursor} if cursor else {}
            answer = await api.get(URL, params={**params, "limit": "2", **more}, headers=owner)
            assert answer.status_code == 200, answer.text
            entries += answer.json()["entries"]
            cursor = answer.json()["next_cursor"]
            if cursor is None:
                return entries

    created = await search(action="site_created")
    assert [entry["after"]["code"] for entry in created] == ["three", "two", "one"]  # type: ignore[index]
    assert len({entry["id"] for entry in created}) == 3
    assert [entry["entity_id"] for entry in await search(entity_type="site", entity_id=site_id)] == [site_id]
    actor = str(created[0]["actor_id"])
    assert {entry["actor_id"] for entry in await search(actor=actor)} == {actor}
    middle = str(created[1]["at"])
    assert [entry["after"]["code"] for entry in await search(action="site_created", since=middle)] == ["three", "two"]  # type: ignore[index]
    assert [entry["after"]["code"] for entry in await search(action="site_created", until=middle)] == ["one"]  # type: ignore[index]


@pytest.mark.parametrize(
    "params",
    [{"action": "no such"}, {"since": "yesterday"}, {"since": "2026-01-01T00:00:00"}, {"limit": "0"}, {"cursor": "x"}],
)
async def test_invalid_filters_are_refused(api: httpx.AsyncClient, people: People, params: dict[str, str]) -> None:
    answer = await api.get(URL, params=params, headers=await people.headers("Owner"))
    assert (answer.status_code, answer.json()["error_code"]) == (422, "VALIDATION_FAILED")


async def test_every_exported_line_matches_the_hash_in_its_seal(
    api: httpx.AsyncClient, people: People, database: Database
) -> None:
    owner = await people.headers("Owner")
    await people.headers("Owner", "b")
    name = 'quo"te, Grün \\ \n 矿机'
    body = {"code": "x", "name": name}
    assert (await api.post("/api/admin/v1/sites", json=body, headers=owner)).status_code in (201, 422)
    answer = await api.get(f"{URL}/export", headers=owner)
    lines = answer.text.splitlines()
    await seal_now(api, database)
    async with database.reading(job_context()) as session:
        sealed = {entry: hashed for _, leaves in await queries.list_sealed(session, after=0, upto=9999, limit=9)
                  for entry, hashed in leaves_of(leaves)}  # fmt: skip
        total = (await session.execute(text("select count(*) from audit_log"))).scalar_one()
    assert len(sealed) == total - 1  # the key's own entry comes with the next seal
    from uuid import UUID

    for line in lines:
        assert sealed[UUID(json.loads(line)["id"]).bytes] == hashlib.sha256(line.encode()).digest()
    tenants = {json.loads(line)["tenant_id"] for line in lines}
    assert tenants == {str(await people.tenant_id())}
    assert json.loads(lines[-1])["action"] == "audit_exported", "an export is itself recorded"


async def test_verification_hides_entries_of_other_tenants(
    api: httpx.AsyncClient, people: People, database: Database, superuser_url: str
) -> None:
    import psycopg

    owner, other = await people.headers("Owner"), await people.headers("Owner", "b")
    await seal_now(api, database)
    good = await api.post(f"{URL}/verify", json={}, headers=owner)
    assert good.json()["ok"] is True, good.text
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        touched = connection.execute(
            "update audit_log set reason = 'x' where id = (select id from audit_log where tenant_id = %s limit 1)"
            " returning id",
            [await people.tenant_id()],
        ).fetchone()
    assert touched is not None
    mine = (await api.post(f"{URL}/verify", json={}, headers=owner)).json()
    theirs = (await api.post(f"{URL}/verify", json={}, headers=other)).json()
    assert [finding["entry_id"] for finding in mine["findings"]] == [str(touched[0])]
    assert [(finding["kind"], finding["entry_id"]) for finding in theirs["findings"]] == [("changed", None)]
    recorded = (await api.get(URL, params={"action": "audit_verified"}, headers=owner)).json()["entries"]
    assert [entry["after"]["ok"] for entry in recorded] == [False, True]


async def test_seals_from_the_api_work_as_an_anchor(api: httpx.AsyncClient, people: People, database: Database) -> None:
    owner = await people.headers("Owner")
    await seal_now(api, database)
    seals = (await api.get(f"{URL}/seals", headers=owner)).json()["seals"]
    assert [seal["no"] for seal in seals] == [1]
    answer = await api.post(f"{URL}/verify", json={"anchors": seals}, headers=owner)
    assert (answer.json()["ok"], answer.json()["anchors"]) == (True, 1)
    forged = [seals[0] | {"no": 7}]
    assert (await api.post(f"{URL}/verify", json={"anchors": forged}, headers=owner)).json()["ok"] is False


@pytest.mark.parametrize("body", [[], {"anchors": "x"}, {"anchors": [1]}, {"other": 1}, {"anchors": [{}] * 2001}])
async def test_an_invalid_verify_body_is_refused(api: httpx.AsyncClient, people: People, body: object) -> None:
    answer = await api.post(f"{URL}/verify", json=body, headers=await people.headers("Owner"))
    assert answer.status_code == 422


async def test_verification_is_rate_limited(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    codes = [(await api.post(f"{URL}/verify", json={}, headers=owner)).status_code for _ in range(6)]
    assert codes[:4] == [200] * 4
    assert codes[-1] == 429


async def test_one_verification_at_a_time_and_a_long_log_in_parts(
    api: httpx.AsyncClient, people: People, database: Database
) -> None:
    owners = [await people.headers("Owner", tenant) for tenant in ("a", "b", "c")]
    for _ in range(3):
        await people.user("NOC")
        await seal_now(api, database)
    answers = await asyncio.gather(*(api.post(f"{URL}/verify", headers=headers) for headers in owners))
    assert sorted(answer.status_code for answer in answers) == [200, 429, 429]
    first = (await api.post(f"{URL}/verify", headers=owners[0])).json()
    assert (first["ok"], first["complete"]) == (True, True)
    rest = (await api.post(f"{URL}/verify", json={"after": 2}, headers=owners[0])).json()
    assert (rest["ok"], rest["seals"], rest["last_seal"]) == (True, first["seals"] - 2, first["last_seal"])


async def test_an_anchor_with_invalid_numbers_is_a_finding(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner") | {"Content-Type": "application/json"}
    body = '{"anchors": [{"no": 1e400}, {"no": {"a": 1}}, {}]}'
    answer = await api.post(f"{URL}/verify", content=body, headers=owner)
    assert (answer.status_code, [finding["kind"] for finding in answer.json()["findings"]]) == (
        200,
        ["not_an_anchor"] * 3,
    )
