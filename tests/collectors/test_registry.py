"""Creating and changing collectors, and the summary."""

from typing import Any

import pytest

from hashinsight.collectors.schemas.collectors import (
    CollectorBrief,
    CollectorDetails,
    CollectorOut,
    SummaryBrief,
    SummaryOut,
)
from tests.collectors.collector_site import ADMIN, EDGE, CollectorSite, bearer


async def patch(collector_site: CollectorSite, collector_id: str, body: Any) -> Any:
    return await collector_site.api.patch(f"{ADMIN}/collectors/{collector_id}", headers=collector_site.owner, json=body)


async def test_a_site_may_be_named_by_id_or_code(collector_site: CollectorSite) -> None:
    for n, site in enumerate((collector_site.site_id, str(collector_site.site_id), "tx-1")):
        answer = await collector_site.post("collectors", {"site_id": site, "name": f"c{n}"})
        assert answer.status_code == 201, answer.text
        assert answer.json()["collector"]["site_id"] == collector_site.site_id
        assert len((await collector_site.get("collectors", site_id=site)).json()["collectors"]) == n + 1
    assert (await collector_site.get("collectors", site_id="tx-9")).status_code == 404
    assert (await collector_site.get("collectors", site_id="9" * 40)).status_code == 404


async def test_the_token_is_shown_when_it_is_made_and_never_again(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    assert token.startswith("hi_collector_")
    for path in (f"collectors/{collector_id}", "collectors", "collectors/summary"):
        assert token not in (await collector_site.get(path)).text
    dates = (await collector_site.shown(collector_id))["token"]
    assert set(dates) == {"issued_at", "expires_at", "revoked_at"}


async def test_a_name_is_unique_in_its_site(collector_site: CollectorSite) -> None:
    await collector_site.site("tx-2")
    await collector_site.collector("north")
    taken = await collector_site.post("collectors", {"site_id": "tx-1", "name": "north"})
    assert (taken.status_code, taken.json()["error_code"]) == (409, "NAME_TAKEN")
    south, _ = await collector_site.collector("south")
    assert (await patch(collector_site, south, {"name": "north"})).status_code == 409
    await collector_site.collector("north", site_id="tx-2")
    assert (await collector_site.shown(south))["name"] == "south"


async def test_only_given_fields_change_and_the_audit_has_before_and_after(
    collector_site: CollectorSite,
) -> None:
    hall = await collector_site.zone("hall")
    collector_id, _ = await collector_site.collector(notes="old")
    changes = {"notes": None, "zone_id": "hall", "heartbeat_interval_sec": 120, "permissions": ["read"]}
    answer = await patch(collector_site, collector_id, changes)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["notes"], body["zone_id"], body["heartbeat_interval_sec"]) == (None, hall, 120)
    assert (body["permissions"], body["offline_after_sec"], body["name"]) == (["read"], 360, "north")
    (entry,) = await collector_site.audited("collector_changed")
    assert entry.before["notes"] == "old"
    assert entry.after == {"notes": None, "zone_id": hall, "heartbeat_interval_sec": 120, "permissions": ["read"]}
    assert (await patch(collector_site, collector_id, {"name": "north"})).status_code == 200
    assert len(await collector_site.audited("collector_changed")) == 1, "nothing changed, nothing to record"


async def test_secrets_in_settings_reach_the_collector_but_not_the_audit_log(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector()
    for word in ("hunter2", "hunter3"):
        settings = {"pool_password": word, "shards": 4, "upstream": f"https://ann:{word}@proxy.invalid"}
        answer = await patch(collector_site, collector_id, {"settings": settings})
        assert answer.json()["settings"] == settings
    entries = await collector_site.audited("collector_changed")
    assert [entry.after["settings"]["shards"] for entry in entries] == [4, 4]
    assert "hunter" not in str([(entry.before, entry.after) for entry in entries])


@pytest.mark.parametrize(
    "bad",
    [
        {"name": ""},
        {"name": None},
        {"name": "x" * 121},
        {"name": "a\0b"},
        {"heartbeat_interval_sec": 0},
        {"collection_interval_sec": -5},
        {"collection_interval_sec": 10**12},
        {"permissions": ["root"]},
        {"permissions": None},
        {"settings": {"x": "y" * 20_000}},
        {"status": "active"},
        {"token": "mine"},
    ],
)
async def test_bad_changes_are_422(collector_site: CollectorSite, bad: Any) -> None:
    collector_id, _ = await collector_site.collector()
    assert (await patch(collector_site, collector_id, bad)).status_code == 422


async def test_every_act_has_an_audit_entry_with_its_actor(collector_site: CollectorSite) -> None:
    collector_id, _ = await collector_site.collector(credential="enrolment_code")
    for verb in ("approve", "disable", "enable", "revoke-tokens"):
        assert (await collector_site.post(f"collectors/{collector_id}/{verb}")).status_code == 200
    assert (await collector_site.post(f"collectors/{collector_id}/rotate-token", {})).status_code == 200
    for action in (
        "collector_created",
        "enrolment_code_issued",
        "collector_approved",
        "collector_disabled",
        "collector_enabled",
        "collector_tokens_revoked",
        "collector_token_issued",
    ):
        (entry,) = await collector_site.audited(action)
        assert (entry.actor_kind, entry.entity_id) == ("user", collector_id)
        assert entry.request_id


async def test_the_summary_is_one_row_a_collector_with_open_alerts_by_severity(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector("north")
    await collector_site.collector("south")
    await collector_site.beat(token, {"cpu_usage": 5, "memory_usage": 6, "miners_online": 7, "miners_total": 8})
    events = [{"kind": "miner_error"}, {"kind": "miner_error"}, {"kind": "local_protection"}]
    await collector_site.api.post(f"{EDGE}/events", headers=bearer(token), json={"events": events})
    resolved = (await collector_site.events(collector_id, "local_protection"))[0]["id"]
    await collector_site.post(f"collector-events/{resolved}/resolve")
    north, south = (await collector_site.get("collectors/summary")).json()["collectors"]
    assert north["open_alerts"] == {"info": 1, "warning": 0, "error": 2, "critical": 0}
    assert (north["cpu_usage"], north["memory_usage"], north["active_miners"], north["total_miners"]) == (5, 6, 7, 8)
    for row in (north, south):
        assert (row["pending_commands"], row["commands_24h"]["dispatched"]) == (0, 0)
    assert south["open_alerts"] == {"info": 0, "warning": 0, "error": 0, "critical": 0}
    assert (south["status"], south["last_heartbeat_at"]) == ("active", None)
    page = (await collector_site.get("collectors/summary", limit=1)).json()
    assert len(page["collectors"]) == 1
    assert (await collector_site.get("collectors/summary", limit=1, cursor=page["next_cursor"])).json()[
        "collectors"
    ] == [south]


async def test_managers_see_collectors_in_full_and_others_in_brief(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    await collector_site.beat(token)
    customer = await collector_site.people.headers("CustomerSuccess")

    async def fields(path: str, name: str, headers: dict[str, str]) -> set[str]:
        answer = await collector_site.api.get(f"{ADMIN}/{path}", headers=headers)
        return set(answer.json()[name][0])

    assert set(await collector_site.shown(collector_id)) == set(CollectorDetails.model_fields)
    assert await fields("collectors", "collectors", collector_site.owner) == set(CollectorOut.model_fields)
    assert await fields("collectors", "collectors", customer) == set(CollectorBrief.model_fields)
    assert await fields("collectors/summary", "collectors", collector_site.owner) == set(SummaryOut.model_fields)
    assert await fields("collectors/summary", "collectors", customer) == set(SummaryBrief.model_fields)
