"""Machines keep their identity through every change."""

import pytest
from sqlalchemy import select

from hashinsight.audit.models import AuditEntry
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.inventory.admin_client import AdminClient

MAC = "02:1a:2b:3c:4d:5e"


async def make(client: AdminClient, miner_id: str = "m1", site: str = "one", **more: object) -> int:
    made = await client.ok("POST", "/miners", json={"site_id": site, "miner_id": miner_id, **more})
    number: int = made["miner_no"]
    return number


async def history(owner: AdminClient, miner_id: str) -> list[tuple[str, str | None, str | None, str]]:
    answer = await owner.ok("GET", f"/miners/{miner_id}/history")
    return [(row["field"], row["old"], row["new"], row["cause"]) for row in answer["changes"]]


async def test_an_id_at_two_sites_needs_the_site(owner: AdminClient) -> None:
    first, second = await make(owner), await make(owner, site="two")
    assert await owner.refused("GET", "/miners/m1") == (409, "AMBIGUOUS_MINER")
    assert await owner.refused("PATCH", "/miners/m1", json={"owner": "x"}) == (409, "AMBIGUOUS_MINER")
    chosen = {"miner_ids": ["m1"], "reason": "x"}
    assert await owner.refused("POST", "/miners/maintenance", json=chosen) == (409, "AMBIGUOUS_MINER")
    assert (await owner.ok("GET", "/miners/m1?site_id=one"))["miner"]["miner_no"] == first
    assert (await owner.ok("GET", "/miners/m1?site_id=2"))["miner"]["miner_no"] == second


async def test_a_machine_keeps_its_number_with_a_swapped_control_board(owner: AdminClient) -> None:
    number = await make(owner, mac=MAC, serial="S1", model="S19j Pro")
    changed = await owner.ok("PATCH", "/miners/m1", json={"mac": "02-1A-2B-3C-4D-77", "firmware": "LUX 1"})
    assert (changed["miner_no"], changed["mac"]) == (number, "02:1a:2b:3c:4d:77")
    assert sorted(await history(owner, "m1")) == [
        ("firmware", None, "LUX 1", "operator"),
        ("mac", MAC, "02:1a:2b:3c:4d:77", "operator"),
    ]


async def test_a_new_id_and_a_move_to_another_site_keep_number_groups_and_states(owner: AdminClient) -> None:
    number = await make(owner)
    await owner.ok("POST", "/groups", json={"name": "g", "miner_ids": ["m1"]})
    await owner.ok("POST", "/miners/maintenance", json={"miner_ids": ["m1"], "reason": "move"})
    await owner.ok("PATCH", "/miners/m1", json={"miner_id": "m1b"})
    moved = await owner.ok("PATCH", "/miners/m1b", json={"site_id": "two"})
    assert (moved["miner_no"], moved["site"]) == (number, "two")
    assert await history(owner, "m1b") == [
        ("site", "one", "two", "operator"),
        ("miner_id", "m1", "m1b", "operator"),
    ]
    assert await owner.miners(group_id=1) == ["m1b"]
    assert (await owner.ok("GET", "/miners/m1b"))["expected"]["state"] == "maintenance"


async def test_a_change_without_effect_leaves_no_history(owner: AdminClient, database: Database) -> None:
    await make(owner, owner="Bo")
    await owner.ok("PATCH", "/miners/m1", json={"owner": "Bo"})
    assert await history(owner, "m1") == []
    async with database.transaction(job_context()) as session:
        actions = list((await session.execute(select(AuditEntry.action).order_by(AuditEntry.id))).scalars())
    assert "miner_created" in actions
    assert "miner_changed" not in actions


async def test_every_change_is_audited_with_before_and_after(owner: AdminClient, database: Database) -> None:
    number = await make(owner, owner="Bo")
    await owner.ok("PATCH", "/miners/m1", json={"owner": "Cy"})
    await owner.ok("POST", "/miners/m1/retire", json={"reason": "sold"})
    async with database.transaction(job_context()) as session:
        query = select(AuditEntry).where(AuditEntry.entity_type == "miner").order_by(AuditEntry.id)
        entries = (await session.execute(query)).scalars().all()
    assert [entry.action for entry in entries] == ["miner_created", "miner_changed", "miner_retired"]
    assert (entries[1].before, entries[1].after) == ({"owner": "Bo"}, {"owner": "Cy"})
    assert entries[2].reason == "sold"
    assert {entry.entity_id for entry in entries} == {str(number)}
    assert entries[1].actor_kind == "user"


async def test_a_retired_machine_leaves_the_list_and_can_come_back(owner: AdminClient) -> None:
    await make(owner)
    await owner.ok("POST", "/miners/m1/retire", json={"reason": "sold"})
    assert await owner.miners() == []
    assert await owner.miners(state="retired") == ["m1"]
    assert await owner.refused("POST", "/miners", json={"site_id": "one", "miner_id": "m1"}) == (409, "MINER_EXISTS")
    await owner.ok("PATCH", "/miners/m1", json={"state": "in_service"})
    assert await owner.miners() == ["m1"]


async def test_the_expected_hashrate_is_the_operators_else_the_catalogues(owner: AdminClient) -> None:
    await make(owner, model="antminer_s19jpro")

    async def change(**values: object) -> tuple[str | None, float | None, str | None]:
        answer = await owner.ok("PATCH", "/miners/m1", json=values)
        return answer["model"], answer["expected_ths"], answer["expected_source"]

    assert await change(owner="x") == ("Antminer S19j Pro", 104, "catalogue")
    assert await change(expected_ths=99.5) == ("Antminer S19j Pro", 99.5, "operator")
    assert await change(model="S21") == ("Antminer S21", 99.5, "operator")
    assert await change(expected_ths=None) == ("Antminer S21", 200, "catalogue")
    assert await change(model="S19j Pro (100T)") == ("Antminer S19j Pro", 100, "operator")
    assert await change(model="home made", expected_ths=None) == ("home made", None, None)


async def test_a_serial_is_unique_in_the_tenant(owner: AdminClient) -> None:
    await make(owner, serial="S1")
    again = {"site_id": "two", "miner_id": "m2", "serial": "S1"}
    assert await owner.refused("POST", "/miners", json=again) == (409, "SERIAL_HELD")
    await make(owner, "m3")
    assert await owner.refused("PATCH", "/miners/m3", json={"serial": "S1"}) == (409, "SERIAL_HELD")


async def test_power_and_network_nodes_must_be_of_the_machines_site(owner: AdminClient) -> None:
    node = await owner.ok("POST", "/nodes", json={"site_id": "one", "kind": "pdu", "code": "P1"})
    below = {"site_id": "two", "kind": "pdu", "code": "P1", "parent_id": node["id"]}
    assert await owner.refused("POST", "/nodes", json=below) == (404, "NOT_FOUND")
    await make(owner, power_node_id=node["id"])
    other = {"site_id": "two", "miner_id": "m2", "power_node_id": node["id"]}
    assert await owner.refused("POST", "/miners", json=other) == (404, "NOT_FOUND")
    assert (await owner.ok("PATCH", "/miners/m1", json={"site_id": "two"}))["power_node_id"] is None


async def test_moving_to_another_zone_clears_the_rack(owner: AdminClient) -> None:
    await owner.load("one", "m1,S21,A,1,", "m2,S21,B,1,")
    assert (await owner.ok("PATCH", "/miners/m1", json={"zone": "B"}))["rack"] is None
    placed = await owner.ok("PATCH", "/miners/m1", json={"zone": "A", "rack": "1"})
    assert (placed["zone"], placed["rack"]) == ("A", "1")
    assert await owner.refused("PATCH", "/miners/m1", json={"rack": "9"}) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "bad",
    [
        {"miner_id": ""},
        {"miner_id": "a/b"},
        {"miner_id": "export"},
        {"miner_id": "x" * 65},
        {"miner_id": "a\u0000b"},
        {"miner_id": "=1+1"},
        {"miner_id": "\U0001f600"},
        {"mac": "02:1a"},
        {"mac": "00:00:00:00:00:00"},
        {"expected_ths": 0},
        {"expected_ths": 1e9},
        {"expected_ths": "NaN"},
        {"owner": "a\u202eb"},
        {"power_node_id": 2**31},
        {"ip": "10.0.0.1"},
    ],
)
async def test_hostile_values_are_refused(owner: AdminClient, bad: dict[str, object]) -> None:
    body = {"site_id": "one", "miner_id": "m1"} | bad
    assert await owner.refused("POST", "/miners", json=body) == (422, "VALIDATION_FAILED")


async def test_paging_through_the_list_loses_no_machine(owner: AdminClient) -> None:
    names = sorted(f"m{n:03d}" for n in range(57))
    await owner.load("one", *names, header="miner_id")
    seen: list[str] = []
    cursor = None
    while True:
        query = {"limit": 10} | ({"cursor": cursor} if cursor else {})
        answer = await owner.ok("GET", "/miners", params=query)
        seen += [miner["miner_id"] for miner in answer["miners"]]
        cursor = answer["next_cursor"]
        if cursor is None:
            break
    assert seen == names
