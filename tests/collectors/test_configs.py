"""Configuration versions: roll-out, and the difference between what should run and what runs."""

import asyncio
from typing import Any

import httpx
import pytest

from hashinsight.collectors.states import DEFAULT_CONFIG
from tests.collectors.collector_site import EDGE, CollectorSite, bearer


async def draft(collector_site: CollectorSite, version: str, **more: Any) -> str:
    answer = await collector_site.post(
        "collector-configs", {"version": version, "data": {"collection_interval": 20}} | more
    )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def activate(collector_site: CollectorSite, config_id: str) -> httpx.Response:
    return await collector_site.post(f"collector-configs/{config_id}/activate")


async def applied(collector_site: CollectorSite, token: str, version: str) -> httpx.Response:
    return await collector_site.api.post(f"{EDGE}/config/applied", headers=bearer(token), json={"version": version})


async def wanted(collector_site: CollectorSite, token: str) -> str:
    return str((await collector_site.call(token)).json()["version"])


async def test_every_tenant_starts_with_the_default(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    answer = (await collector_site.call(token)).json()
    assert answer == {"success": True, "version": "v1.0.0", "config": DEFAULT_CONFIG, "in_step": False}
    await collector_site.collector("south")
    (config,) = (await collector_site.get("collector-configs")).json()["configs"]
    assert (config["is_default"], config["status"]) == (True, "active")
    assert DEFAULT_CONFIG["retry"] == {"attempts": 3, "delays_sec": [5, 15, 30]}


async def test_a_draft_is_rolled_out_by_activating_and_the_difference_is_shown_until_all_run_it(
    collector_site: CollectorSite,
) -> None:
    north, north_token = await collector_site.collector("north")
    _, south_token = await collector_site.collector("south")
    for token in (north_token, south_token):
        assert (await applied(collector_site, token, "v1.0.0")).json() == {
            "success": True,
            "version": "v1.0.0",
            "known": True,
        }
    config_id = await draft(collector_site, "v1.1.0")
    assert await wanted(collector_site, north_token) == "v1.0.0", "a draft is nobody's"
    assert (await activate(collector_site, config_id)).json()["status"] == "active"
    assert await wanted(collector_site, north_token) == "v1.1.0"
    rows = (await collector_site.get("collector-configs/rollout")).json()["collectors"]
    assert [(row["wanted_version"], row["applied_version"], row["in_step"]) for row in rows] == [
        ("v1.1.0", "v1.0.0", False)
    ] * 2
    await applied(collector_site, north_token, "v1.1.0")
    behind = (await collector_site.get("collector-configs/rollout", only_behind=True)).json()["collectors"]
    assert [row["name"] for row in behind] == ["south"]
    assert (await collector_site.call(north_token)).json()["in_step"] is True
    shown = await collector_site.shown(north)
    assert (shown["config_version"], shown["collection_interval_sec"]) == ("v1.1.0", 20)
    changed = await collector_site.events(north, "config_changed")
    assert changed[0]["details"] == {"before": "v1.0.0", "after": "v1.1.0"}


async def test_saying_the_same_again_is_no_new_event(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    for _ in range(3):
        await applied(collector_site, token, "v1.0.0")
    assert len(await collector_site.events(collector_id, "config_changed")) == 1
    assert len(await collector_site.audited("collector_config_applied")) == 1


async def test_a_version_that_is_not_ours_is_noted_as_such(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector()
    assert (await applied(collector_site, token, "factory")).json()["known"] is False
    assert (await collector_site.shown(collector_id))["config_version"] == "factory"


async def test_one_for_listed_collectors_goes_before_one_for_all(collector_site: CollectorSite) -> None:
    north, north_token = await collector_site.collector("north")
    _, south_token = await collector_site.collector("south")
    await activate(collector_site, await draft(collector_site, "special", collector_ids=[north]))
    collector_site.at(10)
    await activate(collector_site, await draft(collector_site, "for-all"))
    assert await wanted(collector_site, north_token) == "special"
    assert await wanted(collector_site, south_token) == "for-all"


async def test_taking_a_version_back_returns_to_the_one_before(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    config_id = await draft(collector_site, "v2")
    await activate(collector_site, config_id)
    assert await wanted(collector_site, token) == "v2"
    taken = await collector_site.post(f"collector-configs/{config_id}/deprecate")
    assert (taken.json()["status"], taken.json()["deprecated_at"] is None) == ("deprecated", False)
    assert await wanted(collector_site, token) == "v1.0.0"


async def test_the_default_is_replaced_by_another_default_and_not_taken_back(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector()
    (first,) = (await collector_site.get("collector-configs")).json()["configs"]
    assert (await collector_site.post(f"collector-configs/{first['id']}/deprecate")).status_code == 409
    second = await draft(collector_site, "v2", is_default=True)
    assert (await activate(collector_site, second)).status_code == 200
    configs = {
        config["version"]: config["is_default"]
        for config in (await collector_site.get("collector-configs")).json()["configs"]
    }
    assert configs == {"v1.0.0": False, "v2": True}
    assert (await collector_site.post(f"collector-configs/{first['id']}/deprecate")).status_code == 200
    assert await wanted(collector_site, token) == "v2"


async def test_a_move_is_won_once(collector_site: CollectorSite) -> None:
    await collector_site.collector()
    config_id = await draft(collector_site, "v2")
    answers = await asyncio.gather(*(activate(collector_site, config_id) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    defaults = [await draft(collector_site, f"d{n}", is_default=True) for n in range(4)]
    answers = await asyncio.gather(*(activate(collector_site, default) for default in defaults))
    assert {answer.status_code for answer in answers} <= {200, 409}
    shown = (await collector_site.get("collector-configs")).json()["configs"]
    assert sum(config["is_default"] and config["status"] == "active" for config in shown) == 1


async def test_without_the_permission_no_configuration_is_handed_out(collector_site: CollectorSite) -> None:
    _, token = await collector_site.collector(permissions=["read"])
    answer = (await collector_site.call(token)).json()
    assert answer == {"success": True, "version": None, "config": {}, "in_step": True}
    beaten = (await collector_site.beat(token)).json()
    assert (beaten["config_version"], beaten["commands_allowed"]) == (None, False)


async def test_the_keeper_of_a_site_rolls_out_to_its_collectors_and_not_to_all(collector_site: CollectorSite) -> None:
    await collector_site.site("tx-2")
    here, _ = await collector_site.collector("here")
    there, _ = await collector_site.collector("there", site_id="tx-2")
    keeper = await collector_site.people.headers("NOC", sites=[collector_site.site_id])

    async def status(ids: list[str] | None, version: str) -> int:
        body: dict[str, Any] = {"version": version, "data": {}, "collector_ids": ids}
        return (await collector_site.post("collector-configs", body, keeper)).status_code

    assert await status([here], "mine") == 201
    assert await status(None, "all") == 403
    assert await status([here, there], "both") == 404
    mixed = await draft(collector_site, "mixed", collector_ids=[here, there])
    seen = (await collector_site.get(f"collector-configs/{mixed}", keeper)).json()
    assert seen["collector_ids"] == [here], "what lies outside is not named"
    assert (await collector_site.post(f"collector-configs/{mixed}/activate", None, keeper)).status_code == 403
    theirs = await draft(collector_site, "theirs", collector_ids=[there])
    assert (await collector_site.get(f"collector-configs/{theirs}", keeper)).status_code == 404


@pytest.mark.parametrize(
    "bad",
    [
        {"version": "", "data": {}},
        {"version": "a b", "data": {}},
        {"version": "v1", "data": []},
        {"version": "v1", "data": {"collection_interval": 0}},
        {"version": "v1", "data": {"heartbeat_interval": "30"}},
        {"version": "v1", "data": {"x": "y" * 20_000}},
        {"version": "v1", "data": {}, "collector_ids": []},
        {"version": "v1", "data": {}, "collector_ids": ["x"]},
        {"version": "v1", "data": {}, "is_default": True, "collector_ids": ["01980f7e-9c30-7f77-8c5d-1c3d4e5f6071"]},
    ],
)
async def test_a_bad_draft_is_422(collector_site: CollectorSite, bad: Any) -> None:
    assert (await collector_site.post("collector-configs", bad)).status_code == 422


async def test_a_version_exists_once(collector_site: CollectorSite) -> None:
    await draft(collector_site, "v2")
    answer = await collector_site.post("collector-configs", {"version": "v2", "data": {}})
    assert (answer.status_code, answer.json()["error_code"]) == (409, "VERSION_TAKEN")


async def test_only_an_active_version_for_this_collector_changes_its_intervals(collector_site: CollectorSite) -> None:
    north, token = await collector_site.collector("north")
    south, _ = await collector_site.collector("south")
    await draft(collector_site, "a-draft")
    await activate(collector_site, await draft(collector_site, "of-south", collector_ids=[south]))
    old = await draft(collector_site, "taken-back")
    await activate(collector_site, old)
    await collector_site.post(f"collector-configs/{old}/deprecate")
    for version in ("a-draft", "of-south", "taken-back", "factory"):
        assert (await applied(collector_site, token, version)).json()["known"] is (version != "factory")
        shown = await collector_site.shown(north)
        assert (shown["config_version"], shown["collection_interval_sec"]) == (version, 60), version
        rows = (await collector_site.get("collector-configs/rollout", only_behind=True)).json()["collectors"]
        assert {row["applied_version"] for row in rows if row["name"] == "north"} == {version}
    await activate(collector_site, await draft(collector_site, "of-north", collector_ids=[north]))
    await applied(collector_site, token, "of-north")
    assert (await collector_site.shown(north))["collection_interval_sec"] == 20
    entry = (await collector_site.audited("collector_config_applied"))[-1]
    assert (entry.before["collection_interval_sec"], entry.after["collection_interval_sec"]) == (60, 20)


async def test_without_the_permission_a_version_changes_no_interval(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector(permissions=["read"])
    await activate(collector_site, await draft(collector_site, "v2"))
    await applied(collector_site, token, "v2")
    assert (await collector_site.shown(collector_id))["collection_interval_sec"] == 60
