"""Who sees and changes what: anonymous, another tenant, a narrower scope, another role, an owner."""

from typing import Any

import httpx
import pytest

from tests.inventory.admin_client import ADMIN, AdminClient, SignIn

SETTINGS = {"version": 0, "thresholds": {"debounce_cycles": 3}}
MINER = {"site_id": "one", "miner_id": "new"}
CHOSEN = {"site_id": "one", "miner_ids": ["m1"], "reason": "fans"}
READS = [
    "/sites",
    "/sites/one",
    "/zones",
    "/zones/1",
    "/racks",
    "/nodes",
    "/groups",
    "/groups/1",
    "/miners",
    "/miners/m1",
    "/miners/m1/history",
    "/miners/export?site_id=one",
    "/settings",
]
WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/sites", {"code": "three", "name": "Three"}),
    ("PATCH", "/sites/one", {"name": "One"}),
    ("POST", "/zones", {"site_id": "one", "code": "Z"}),
    ("PATCH", "/zones/1", {"name": "A1"}),
    ("POST", "/racks", {"site_id": "one", "zone": "A", "code": "9"}),
    ("POST", "/nodes", {"site_id": "one", "kind": "pdu", "code": "P1"}),
    ("POST", "/groups", {"name": "g2", "miner_ids": ["m1"], "site_id": "one"}),
    ("PATCH", "/groups/1", {"add": ["m2"], "site_id": "one"}),
    ("POST", "/groups/2/refresh", {}),
    ("POST", "/miners", MINER),
    ("PATCH", "/miners/m1", {"owner": "Bo"}),
    ("POST", "/miners/maintenance", CHOSEN),
    ("POST", "/miners/maintenance/end", CHOSEN),
    ("POST", "/miners/import?site_id=one", {}),
    ("POST", "/miners/m1/retire", {"reason": "sold"}),
    ("PATCH", "/settings", SETTINGS),
    ("DELETE", "/groups/1", {}),
]


def options(path: str, body: dict[str, Any]) -> dict[str, Any]:
    if "import" in path:
        return {"content": "miner_id\nm9"}
    return {"json": body} if body else {}


@pytest.fixture
async def fleet(owner: AdminClient) -> AdminClient:
    """Zones A (1) and B (2) at one, C (3) at two; the group 1 lists m1 and m3, the group 2 is by filter."""
    await owner.load("one", "m1,S21,A,1,Aurora", "m2,S21,A,1,Bo", "m3,S19,B,1,Aurora")
    await owner.load("two", "m4,S21,C,1,Aurora")
    await owner.ok("POST", "/groups", json={"name": "listed", "miner_ids": ["m1", "m3"]})
    await owner.ok("POST", "/groups", json={"name": "bo", "filter": {"owner": "Bo"}})
    return owner


async def test_an_owner_may_and_an_anonymous_client_may_not(fleet: AdminClient, api: httpx.AsyncClient) -> None:
    for path in READS:
        assert (await api.get(ADMIN + path)).status_code == 401, path
        assert (await fleet("GET", path)).status_code == 200, path
    for method, path, body in WRITES:
        assert (await api.request(method, ADMIN + path, **options(path, body))).status_code == 401, path
        answer = await fleet(method, path, **options(path, body))
        assert answer.is_success, f"{path}: {answer.text}"


@pytest.mark.usefixtures("fleet")
async def test_another_tenant_sees_nothing(sign_in: SignIn) -> None:
    stranger = await sign_in(tenant="b")
    named = [path for path in READS if path.count("/") > 1 or "?" in path]
    for path in named:
        assert await stranger.refused("GET", path) == (404, "NOT_FOUND"), path
    for path, name in (("/sites", "sites"), ("/zones", "zones"), ("/groups", "groups"), ("/miners", "miners")):
        assert (await stranger.ok("GET", path))[name] == []
    for method, path, body in WRITES:
        if path not in ("/sites", "/settings", "/groups"):
            assert await stranger.refused(method, path, **options(path, body)) == (404, "NOT_FOUND"), path
    assert await stranger.refused("POST", "/groups", json=WRITES[6][2]) == (404, "NOT_FOUND")
    taken = await stranger.refused("POST", "/sites", json={"code": "one", "name": "mine"})
    assert taken == (409, "SITE_EXISTS")


@pytest.mark.parametrize("role", ["Technician", "CustomerSuccess", "Customer"])
async def test_a_role_without_the_permission_reads_but_cannot_write(
    fleet: AdminClient, sign_in: SignIn, role: str
) -> None:
    reader = await sign_in(role)
    for path in READS:
        assert (await reader("GET", path)).status_code == 200, path
    for method, path, body in WRITES:
        assert await reader.refused(method, path, **options(path, body)) == (403, "FORBIDDEN"), path
    assert await fleet.miners() == ["m1", "m2", "m3", "m4"]


@pytest.mark.usefixtures("fleet")
async def test_a_site_scope_ends_at_the_site(sign_in: SignIn) -> None:
    noc = await sign_in("NOC", sites=[1])
    assert await noc.miners() == ["m1", "m2", "m3"]
    assert [site["code"] for site in (await noc.ok("GET", "/sites"))["sites"]] == ["one"]
    assert await noc.refused("GET", "/miners/m4") == (404, "NOT_FOUND")
    assert await noc.refused("GET", "/sites/two") == (404, "NOT_FOUND")
    assert await noc.refused("POST", "/miners", json=MINER | {"site_id": "two"}) == (404, "NOT_FOUND")
    assert await noc.refused("POST", "/miners/import?site_id=two", content="miner_id\nx") == (404, "NOT_FOUND")
    assert await noc.refused("POST", "/sites", json={"code": "three", "name": "3"}) == (403, "FORBIDDEN")
    assert await noc.refused("PATCH", "/miners/m1", json={"site_id": "two"}) == (404, "NOT_FOUND")
    assert await noc.refused("GET", "/settings") == (403, "FORBIDDEN")
    await noc.ok("POST", "/miners", json=MINER)
    await noc.load("one", "m5,S21,A,1,")


@pytest.mark.usefixtures("fleet")
async def test_a_zone_scope_ends_at_the_zone(sign_in: SignIn) -> None:
    noc = await sign_in("NOC", zones=[1])
    assert await noc.miners() == ["m1", "m2"]
    assert (await noc.ok("GET", "/sites/one"))["miners"] == 2
    assert [zone["code"] for zone in (await noc.ok("GET", "/zones"))["zones"]] == ["A"]
    assert await noc.refused("GET", "/miners/m3") == (404, "NOT_FOUND")
    assert "m3" not in (await noc("GET", "/miners/export?site_id=one")).text
    assert await noc.refused("PATCH", "/miners/m3", json={"owner": "x"}) == (404, "NOT_FOUND")
    assert await noc.refused("PATCH", "/miners/m1", json={"zone": "B"}) == (404, "NOT_FOUND")
    assert await noc.refused("PATCH", "/miners/m1", json={"zone": None}) == (403, "FORBIDDEN")
    assert await noc.refused("POST", "/miners", json=MINER) == (403, "FORBIDDEN")
    assert await noc.refused("POST", "/miners/import?site_id=one", content="miner_id\nx") == (403, "FORBIDDEN")
    assert await noc.refused("POST", "/zones", json={"site_id": "one", "code": "Q"}) == (403, "FORBIDDEN")
    assert await noc.refused("POST", "/groups", json={"name": "x", "miner_ids": ["m1"]}) == (403, "FORBIDDEN")
    assert await noc.refused("POST", "/miners/maintenance", json=CHOSEN | {"miner_ids": ["m3"]}) == (404, "NOT_FOUND")
    everything = {"filter": {"site_id": "one"}, "reason": "x"}
    assert (await noc.ok("POST", "/miners/maintenance", json=everything))["machines"] == 2
    assert (await noc.ok("POST", "/miners", json=MINER | {"zone": "A"}))["zone"] == "A"


@pytest.mark.usefixtures("fleet")
async def test_a_group_scope_is_its_machines_and_cannot_be_widened_by_the_caller(sign_in: SignIn) -> None:
    noc = await sign_in("NOC", groups=[1])
    (grant,) = (await noc._api.get("/api/v1/auth/me", headers=noc._headers)).json()["grants"]
    assert (grant["site_ids"], grant["group_ids"], grant["touches"]) == (None, [1], [1])
    assert await noc.miners() == ["m1", "m3"]
    assert await noc.refused("GET", "/miners/m2") == (404, "NOT_FOUND")
    assert [(group["name"], group["members"]) for group in (await noc.ok("GET", "/groups"))["groups"]] == [
        ("listed", 2)
    ]
    assert await noc.refused("PATCH", "/groups/1", json={"add": ["m1"]}) == (403, "FORBIDDEN")
    assert await noc.refused("POST", "/groups/2/refresh") == (404, "NOT_FOUND")
    assert await noc.refused("PATCH", "/miners/m1", json={"zone": None}) == (403, "FORBIDDEN")
    assert await noc.refused("POST", "/miners", json=MINER) == (403, "FORBIDDEN")
    assert (await noc.ok("PATCH", "/miners/m1", json={"owner": "x"}))["owner"] == "x"


async def test_a_grant_to_see_a_machine_does_not_allow_a_role_over_others_to_change_it(
    fleet: AdminClient, sign_in: SignIn
) -> None:
    mixed = await sign_in("Customer")
    me = (await mixed._api.get("/api/v1/auth/me", headers=mixed._headers)).json()
    user = me.get("id") or me["user"]["id"]
    await fleet.ok("POST", "/grants", json={"user_id": user, "role": "NOC", "site_ids": [2]})
    me = (await mixed._api.get("/api/v1/auth/me", headers=mixed._headers)).json()
    assert "command" in me["may"]  # somewhere: the grants say where
    rights = {grant["role"]: (grant["touches"], "command" in grant["may"]) for grant in me["grants"]}
    assert rights == {"Customer": (None, False), "NOC": ([2], True)}
    assert await mixed.refused("PATCH", "/miners/m1", json={"owner": "x"}) == (403, "FORBIDDEN")
    assert await mixed.refused("PATCH", "/sites/one", json={"name": "x"}) == (403, "FORBIDDEN")
    assert await mixed.refused("POST", "/miners", json=MINER) == (403, "FORBIDDEN")
    assert await mixed.refused("POST", "/miners/maintenance", json=CHOSEN) == (404, "NOT_FOUND")
    assert (await mixed.ok("PATCH", "/miners/m4", json={"owner": "x"}))["owner"] == "x"


async def test_a_site_is_found_by_number_or_code_only(fleet: AdminClient) -> None:
    assert (await fleet.ok("GET", "/sites/1"))["code"] == "one"
    assert await fleet.miners(site_id=2) == await fleet.miners(site_id="two") == ["m4"]
    assert (await fleet.ok("GET", "/sites/ONE"))["code"] == "one"
    for ref in ("99", "99999999999999999999", "nowhere", "0ne"):
        assert await fleet.refused("GET", f"/sites/{ref}") == (404, "NOT_FOUND"), ref
    assert await fleet.refused("POST", "/sites", json={"code": "42", "name": "x"}) == (422, "VALIDATION_FAILED")
