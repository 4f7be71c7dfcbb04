"""Payload keys: who may set them, what is shown, and what is kept."""

from base64 import b64decode, b64encode
from typing import Any

import pytest
from sqlalchemy import text

from hashinsight.kit.db.context import job_context
from hashinsight.kit.errors import EXIT_REFUSED
from hashinsight.kit.settings import Settings
from tests.collectors.collector_site import CollectorSite
from tests.collectors.test_cli import answer, command

KEY = b64encode(bytes(range(32))).decode()


async def path_of(collector_site: CollectorSite) -> str:
    collector_id, _ = await collector_site.collector()
    return f"/api/admin/v1/collectors/{collector_id}/payload-key"


async def test_signing_keys_need_the_permission_to_manage_them(collector_site: CollectorSite) -> None:
    path = await path_of(collector_site)
    assert (await collector_site.api.post(path, json={})).status_code == 401
    assert (await collector_site.api.delete(path)).status_code == 401
    stranger = await collector_site.people.headers("Owner", "b")
    assert (await collector_site.api.post(path, json={}, headers=stranger)).status_code == 404
    assert (await collector_site.api.delete(path, headers=stranger)).status_code == 404
    technician = await collector_site.people.headers("Technician", "a")
    assert (await collector_site.api.post(path, json={}, headers=technician)).status_code == 403
    assert (await collector_site.api.delete(path, headers=technician)).status_code == 403


async def test_a_key_that_we_make_is_shown_once_and_kept_sealed(collector_site: CollectorSite) -> None:
    path = await path_of(collector_site)
    made = (await collector_site.api.post(path, json={}, headers=collector_site.owner)).json()
    key = b64decode(made["payload_key"])
    assert len(key) == 32
    stored = await rows(collector_site, "select sealed from collector_payload_keys")
    assert len(stored) == 1
    assert key not in stored[0][0]
    shown = (await collector_site.api.get(path.removesuffix("/payload-key"), headers=collector_site.owner)).text
    assert made["payload_key"] not in shown
    (entry,) = await collector_site.audited("collector_payload_key_set")
    assert made["payload_key"] not in str(entry)


async def test_a_key_that_is_given_is_not_shown(collector_site: CollectorSite) -> None:
    path = await path_of(collector_site)
    made = await collector_site.api.post(path, json={"key_b64": KEY, "overlap_sec": 0}, headers=collector_site.owner)
    assert made.json()["payload_key"] is None
    again = await collector_site.api.post(path, json={"key_b64": KEY, "overlap_sec": 0}, headers=collector_site.owner)
    assert again.status_code == 200
    assert len(await rows(collector_site, "select from collector_payload_keys where good_until is null")) == 1
    assert (await collector_site.api.delete(path, headers=collector_site.owner)).json()["removed"] == 2
    assert await rows(collector_site, "select from collector_payload_keys") == []
    assert len(await collector_site.audited("collector_payload_keys_removed")) == 1


@pytest.mark.parametrize("given", ["", "short", "!" * 44, b64encode(bytes(31)).decode(), "x" * 300])
async def test_an_invalid_key_is_refused_and_not_echoed(collector_site: CollectorSite, given: str) -> None:
    answer = await collector_site.api.post(
        await path_of(collector_site), json={"key_b64": given}, headers=collector_site.owner
    )
    assert answer.status_code == 422
    assert not given or given not in answer.text
    assert await rows(collector_site, "select from collector_payload_keys") == []


def test_the_command_line_makes_takes_and_removes_keys(collector_site: CollectorSite, settings: Settings) -> None:
    answer(settings, "create", "--site", "tx-1", "--name", "north")
    made = answer(settings, "payload-key", "north")
    assert len(b64decode(made["payload_key"])) == 32
    given = command(settings, "payload-key", "north", "--stdin", "--json", stdin=KEY + "\n")
    assert given.returncode == 0, given.stderr
    assert KEY not in given.stdout
    bad = command(settings, "payload-key", "north", "--stdin", stdin="no key")
    assert bad.returncode == EXIT_REFUSED
    assert "no key" not in bad.stderr
    assert answer(settings, "payload-key", "north", "--remove")["removed"] == 2
    assert collector_site.site_id


async def rows(collector_site: CollectorSite, query: str) -> list[Any]:
    async with collector_site.database.transaction(job_context()) as session:
        return list((await session.execute(text(query))).all())
