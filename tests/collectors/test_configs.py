"""Configuration versions: roll-out, and the difference between what should run and what runs."""

import asyncio
from typing import Any

import httpx
import pytest

from hashinsight.collectors.states import DEFAULT_CONFIG
from tests.collectors.collector_site import EDGE, CollectorSite, bearer


async def draft(scene: CollectorSite, version: str, **more: Any) -> str:
    answer = await scene.post("collector-configs", {"version": version, "data": {"collection_interval": 20}} | more)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def activate(scene: CollectorSite, config_id: str) -> httpx.Response:
    return await scene.post(f"collector-configs/{config_id}/activate")


async def applied(scene: CollectorSite, token: str, version: str) -> httpx.Response:
    return await scene.api.post(f"{EDGE}/config/applied", headers=bearer(token), json={"version": version})


async def wanted(scene: CollectorSite, token: str) -> str:
    return str((await scene.call(token)).json()["version"])


async def test_every_tenant_starts_with_the_default(scene: CollectorSite) -> None:
    _, token = await scene.collector()
    answer = (await scene.call(token)).json()
    assert answer == {"success": True, "version": "v1.0.0", "config": DEFAULT_CONFIG, "in_step": False}
    await scene.collector("south")
    (config,) = (await scene.get("collector-configs")).json()["configs"]
    assert (config["is_default"], config["status"]) == (True, "active")
    assert DEFAULT_CONFIG["retry"] == {"attempts": 3, "delays_sec": [5, 15, 30]}


async def test_a_draft_is_rolled_out_by_activating_and_the_difference_is_shown_until_all_run_it(
    scene: CollectorSite,
) -> None:
    north, north_token = await scene.collector("north")
    _, south_token = await scene.collector("south")
    for token in (north_token, south_token):
        assert (await applied(scene, token, "v1.0.0")).json() == {"success": True, "version": "v1.0.0", "known": True}
    config_id = await draft(scene, "v1.1.0")
    assert await wanted(scene, north_token) == "v1.0.0", "a draft is nobody's"
    assert (await activate(scene, config_id)).json()["status"] == "active"
    assert await wanted(scene, north_token) == "v1.1.0"
    rows = (await scene.get("collector-configs/rollout")).json()["collectors"]
    assert [(row["wanted_version"], row["applied_version"], row["in_step"]) for row in rows] == [
        ("v1.1.0", "v1.0.0", False)
    ] * 2
    await applied(scene, north_token, "v1.1.0")
    behind = (await scene.get("collector-configs/rollout", only_behind=True)).json()["collectors"]
    assert [row["name"] for row in behind] == ["south"]
    assert (await scene.call(north_token)).json()["in_step"] is True
    shown = await scene.shown(north)
    assert (shown["config_version"], shown["collection_interval_sec"]) == ("v1.1.0", 20)
    changed = await scene.events(north, "config_changed")
    assert changed[0]["details"] == {"before": "v1.0.0", "after": "v1.1.0"}


async def test_saying_the_same_again_is_no_new_event(scene: CollectorSite) -> None:
    collector_id, token = await scene.collector()
    for _ in range(3):
        await applied(scene, token, "v1.0.0")
    assert len(await scene.events(collector_id, "config_changed")) == 1
    assert len(await scene.audited("collector_config_applied")) == 1


async def test_a_version_that_is_not_ours_is_noted_as_such(scene: CollectorSite) -> None:
    collector_id, token = await scene.collector()
    assert (await applied(scene, token, "factory")).json()["known"] is False
    assert (await scene.shown(collector_id))["config_version"] == "factory"


async def test_one_for_listed_collectors_goes_before_one_for_all(scene: CollectorSite) -> None:
    north, north_token = await scene.collector("north")
    _, south_token = await scene.collector("south")
    await activate(scene, await draft(scene, "special", collector_ids=[north]))
    scene.at(10)
    await activate(scene, await draft(scene, "for-all"))
    assert await wanted(scene, north_token) == "special"
    assert await wanted(scene, south_token) == "for-all"


async def test_taking_a_version_back_returns_to_the_one_before(scene: CollectorSite) -> None:
    _, token = await scene.collector()
    config_id = await draft(scene, "v2")
    await activate(scene, config_id)
    assert await wanted(scene, token) == "v2"
    taken = await scene.post(f"collector-configs/{config_id}/deprecate")
    assert (taken.json()["status"], taken.json()["deprecated_at"] is None) == ("deprecated", False)
    assert await wanted(scene, token) == "v1.0.0"


async def test_the_default_is_replaced_by_another_default_and_not_taken_back(scene: CollectorSite) -> None:
    _, token = await scene.collector()
    (first,) = (await scene.get("collector-configs")).json()["configs"]
    assert (await scene.post(f"collector-configs/{first['id']}/deprecate")).status_code == 409
    second = await draft(scene, "v2", is_default=True)
    assert (await activate(scene, second)).status_code == 200
    configs = {one["version"]: one["is_default"] for one in (await scene.get("collector-configs")).json()["configs"]}
    assert configs == {"v1.0.0": False, "v2": True}
    assert (await scene.post(f"collector-configs/{first['id']}/deprecate")).status_code == 200
    assert await wanted(scene, token) == "v2"


async def test_a_move_is_won_once(scene: CollectorSite) -> None:
    await scene.collector()
    config_id = await draft(scene, "v2")
    answers = await asyncio.gather(*(activate(scene, config_id) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    defaults = [await draft(scene, f"d{n}", is_default=True) for n in range(4)]
    answers = await asyncio.gather(*(activate(scene, one) for one in defaults))
    assert {answer.status_code for answer in answers} <= {200, 409}
    shown = (await scene.get("collector-configs")).json()["configs"]
    assert sum(one["is_default"] and one["status"] == "active" for one in shown) == 1


async def test_without_the_permission_no_configuration_is_handed_out(scene: CollectorSite) -> None:
    _, token = await scene.collector(permissions=["read"])
    answer = (await scene.call(token)).json()
    assert answer == {"success": True, "version": None, "config": {}, "in_step": True}
    beaten = (await scene.beat(token)).json()
    assert (beaten["config_version"], beaten["commands_allowed"]) == (None, False)


async def test_the_keeper_of_a_site_rolls_out_to_its_collectors_and_not_to_all(scene: CollectorSite) -> None:
    await scene.site("tx-2")
    here, _ = await scene.collector("here")
    there, _ = await scene.collector("there", site_id="tx-2")
    keeper = await scene.people.headers("NOC", sites=[scene.site_id])

    async def status(ids: list[str] | None, version: str) -> int:
        body: dict[str, Any] = {"version": version, "data": {}, "collector_ids": ids}
        return (await scene.post("collector-configs", body, keeper)).status_code

    assert await status([here], "mine") == 201
    assert await status(None, "all") == 403
    assert await status([here, there], "both") == 404
    mixed = await draft(scene, "mixed", collector_ids=[here, there])
    seen = (await scene.get(f"collector-configs/{mixed}", keeper)).json()
    assert seen["collector_ids"] == [here], "what lies outside is not named"
    assert (await scene.post(f"collector-configs/{mixed}/activate", None, keeper)).status_code == 403
    theirs = await draft(scene, "theirs", collector_ids=[there])
    assert (await scene.get(f"collector-configs/{theirs}", keeper)).status_code == 404


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
async def test_a_bad_draft_is_422(scene: CollectorSite, bad: Any) -> None:
    assert (await scene.post("collector-configs", bad)).status_code == 422


async def test_a_version_exists_once(scene: CollectorSite) -> None:
    await draft(scene, "v2")
    answer = await scene.post("collector-configs", {"version": "v2", "data": {}})
    assert (answer.status_code, answer.json()["error_code"]) == (409, "VERSION_TAKEN")


async def test_only_an_active_version_for_this_collector_changes_its_intervals(scene: CollectorSite) -> None:
    north, token = await scene.collector("north")
    south, _ = await scene.collector("south")
    await draft(scene, "a-draft")
    await activate(scene, await draft(scene, "of-south", collector_ids=[south]))
    old = await draft(scene, "taken-back")
    await activate(scene, old)
    await scene.post(f"collector-configs/{old}/deprecate")
    for version in ("a-draft", "of-south", "taken-back", "factory"):
        assert (await applied(scene, token, version)).json()["known"] is (version != "factory")
        shown = await scene.shown(north)
        assert (shown["config_version"], shown["collection_interval_sec"]) == (version, 60), version
        rows = (await scene.get("collector-configs/rollout", only_behind=True)).json()["collectors"]
        assert {row["applied_version"] for row in rows if row["name"] == "north"} == {version}
    await activate(scene, await draft(scene, "of-north", collector_ids=[north]))
    await applied(scene, token, "of-north")
    assert (await scene.shown(north))["collection_interval_sec"] == 20
    entry = (await scene.audited("collector_config_applied"))[-1]
    assert (entry.before["collection_interval_sec"], entry.after["collection_interval_sec"]) == (60, 20)


async def test_without_the_permission_a_version_changes_no_interval(scene: CollectorSite) -> None:
    collector_id, token = await scene.collector(permissions=["read"])
    await activate(scene, await draft(scene, "v2"))
    await applied(scene, token, "v2")
    assert (await scene.shown(collector_id))["collection_interval_sec"] == 60
