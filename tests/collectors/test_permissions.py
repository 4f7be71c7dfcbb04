"""Every admin route: anonymous, another tenant, a narrower scope, a role that may not, and the rightful user."""

from typing import Any

import pytest

from hashinsight.kit.ids import new_id
from tests.collectors.collector_site import ADMIN, CollectorSite


class CollectorRoutes:
    """One of each, freshly made: a pending collector, an event, a draft."""

    def __init__(self, collector_site: CollectorSite) -> None:
        self.collector_site = collector_site

    async def routes(self) -> list[tuple[str, str, Any, int]]:
        """Method, path, body and the status that its rightful user gets."""
        collector_site = self.collector_site
        pending, _ = await collector_site.collector(f"p{new_id().hex}", credential="nothing")
        active, token = await collector_site.collector(f"a{new_id().hex}")
        off, _ = await collector_site.collector(f"d{new_id().hex}")
        await collector_site.post(f"collectors/{off}/disable")
        event = {"events": [{"kind": "miner_error"}, {"kind": "hashrate_drop"}]}
        headers = {"Authorization": f"Bearer {token}"}
        assert (await collector_site.api.post("/api/edge/v1/events", headers=headers, json=event)).status_code == 200
        first, second, *_ = await collector_site.events(active)
        drafts = []
        for _ in range(2):
            config = {"version": f"v{new_id().hex}", "data": {}, "collector_ids": [active]}
            drafts.append((await collector_site.post("collector-configs", config)).json()["id"])
        await collector_site.post(f"collector-configs/{drafts[1]}/activate")
        return [
            ("GET", f"collectors/{active}", None, 200),
            ("PATCH", f"collectors/{active}", {"notes": "moved"}, 200),
            ("GET", f"collectors/{active}/heartbeats", None, 200),
            ("POST", f"collectors/{active}/rotate-token", {"overlap_sec": 60}, 200),
            ("POST", f"collectors/{active}/revoke-tokens", None, 200),
            ("POST", f"collectors/{active}/disable", None, 200),
            ("POST", f"collectors/{off}/enable", None, 200),
            ("POST", f"collectors/{pending}/enrolment-code", {"life_hours": 1}, 200),
            ("POST", f"collectors/{pending}/approve", None, 200),
            ("POST", f"collector-events/{first['id']}/acknowledge", None, 200),
            ("POST", f"collector-events/{second['id']}/resolve", None, 200),
            ("GET", f"collector-configs/{drafts[0]}", None, 200),
            ("POST", f"collector-configs/{drafts[0]}/activate", None, 200),
            ("POST", f"collector-configs/{drafts[1]}/deprecate", None, 200),
        ]


async def two_grants(collector_site: CollectorSite, other: int) -> dict[str, str]:
    """Somebody who keeps the collectors of the collector_site's site and only looks at another."""
    user_id, email = await collector_site.people.user("NOC", email="both@example.com")
    grants = (await collector_site.get(f"users/{user_id}")).json()["grants"]
    await collector_site.api.delete(f"{ADMIN}/grants/{grants[0]['id']}", headers=collector_site.owner)
    for role, site in (("NOC", collector_site.site_id), ("Technician", other)):
        body = {"user_id": str(user_id), "role": role, "site_ids": [site]}
        answer = await collector_site.post("grants", body)
        assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {(await collector_site.people.sign_in(email)).access_token}"}


def is_read_by_all(route: tuple[str, str, Any, int]) -> bool:
    """Whoever sees a place sees its collectors in brief; heartbeats and configurations are for those who keep them."""
    return route[0] == "GET" and not route[1].endswith("heartbeats") and "collector-configs" not in route[1]


async def ask(collector_site: CollectorSite, route: tuple[str, str, Any, int], headers: dict[str, str] | None) -> int:
    method, path, body, _ = route
    answer = await collector_site.api.request(method, f"{ADMIN}/{path}", headers=headers or {}, json=body)
    return answer.status_code


async def test_each_route_serves_only_users_with_its_permission(collector_site: CollectorSite) -> None:
    await collector_site.site("b-1", "b")
    elsewhere = await collector_site.site("tx-2")
    yard = await collector_site.zone("yard")
    others = {
        "anonymous": (None, 401),
        "another tenant": (await collector_site.people.headers("Owner", "b"), 404),
        "another site": (await collector_site.people.headers("Owner", sites=[elsewhere]), 404),
        "a zone of the site": (await collector_site.people.headers("Owner", zones=[yard]), 404),
        "a group of machines": (
            await collector_site.people.headers("Owner", groups=[await collector_site.group("g")]),
            404,
        ),
    }
    routes = await CollectorRoutes(collector_site).routes()
    for route in routes:
        assert await ask(collector_site, route, collector_site.owner) == route[3], route
    for route in await CollectorRoutes(collector_site).routes():
        for who, (headers, status) in others.items():
            assert await ask(collector_site, route, headers) == status, (who, route[:2])


async def test_read_only_users_get_403(collector_site: CollectorSite) -> None:
    technician = await collector_site.people.headers("Technician")
    for route in await CollectorRoutes(collector_site).routes():
        about_events = "collector-events" in route[1]
        assert await ask(collector_site, route, technician) == (
            200 if is_read_by_all(route) or about_events else 403
        ), route[:2]
    customer = await collector_site.people.headers("Customer")
    for route in await CollectorRoutes(collector_site).routes():
        assert await ask(collector_site, route, customer) == (200 if is_read_by_all(route) else 403), route[:2]
    body = {"site_id": "tx-1", "name": "x", "credential": "nothing"}
    assert (await collector_site.post("collectors", body, technician)).status_code == 403
    assert (
        await collector_site.post("collector-configs", {"version": "v2", "data": {}}, technician)
    ).status_code == 403


async def test_noc_keeps_collectors_but_neither_sees_nor_makes_tokens(collector_site: CollectorSite) -> None:
    noc = await collector_site.people.headers("NOC")
    for route in await CollectorRoutes(collector_site).routes():
        secret = route[1].endswith(("rotate-token", "revoke-tokens", "enrolment-code"))
        assert await ask(collector_site, route, noc) == (403 if secret else 200), route[:2]
    for credential in ("token", "enrolment_code"):
        body = {"site_id": "tx-1", "name": "x", "credential": credential}
        assert (await collector_site.post("collectors", body, noc)).status_code == 403
    made = await collector_site.post("collectors", {"site_id": "tx-1", "name": "x", "credential": "nothing"}, noc)
    assert made.status_code == 201
    assert made.json()["collector"]["status"] == "pending"
    assert set(made.json()) == {"collector"}


async def test_lists_show_only_rows_in_scope(collector_site: CollectorSite) -> None:
    other_site = await collector_site.site("tx-2")
    hall = await collector_site.zone("hall")
    await collector_site.site("b-1", "b")
    owner_b = await collector_site.people.headers("Owner", "b")
    for name, more in {"here": {}, "in the hall": {"zone_id": "hall"}, "there": {"site_id": "tx-2"}}.items():
        await collector_site.collector(name, **more)
    assert (await collector_site.post("collectors", {"site_id": "b-1", "name": "theirs"}, owner_b)).status_code == 201
    collector_site.at(300)
    await collector_site.run_ticks("collectors_offline")
    collector_site.at(0)
    expected = {
        "whole": (collector_site.owner, {"here", "in the hall", "there"}),
        "site": (
            await collector_site.people.headers("Customer", sites=[collector_site.site_id]),
            {"here", "in the hall"},
        ),
        "other site": (await collector_site.people.headers("NOC", sites=[other_site]), {"there"}),
        "zone": (await collector_site.people.headers("Technician", zones=[hall]), {"in the hall"}),
        "group": (await collector_site.people.headers("Customer", groups=[await collector_site.group("g")]), set()),
        "another tenant": (owner_b, {"theirs"}),
    }
    for who, (headers, names) in expected.items():
        for path in ("collectors", "collectors/summary", "collector-configs/rollout"):
            answer = await collector_site.get(path, headers)
            if path.endswith("rollout") and who in ("site", "zone", "group"):
                assert answer.status_code == 403, "what collectors should run is for those who keep them"
                continue
            assert {collector["name"] for collector in answer.json()["collectors"]} == names, (who, path)
        answer = await collector_site.get("collector-events", headers)
        if who in ("site", "group"):
            assert answer.status_code == 403, "customers see machines, not what the collectors report"
            continue
        assert len(answer.json()["events"]) == len(names), who


async def test_acting_where_one_only_sees_is_403_and_where_one_does_not_see_404(collector_site: CollectorSite) -> None:
    """A person with two grants: keeps collectors at one site, only looks at another."""
    other = await collector_site.site("tx-2")
    await collector_site.site("tx-3")
    here, _ = await collector_site.collector("here")
    there, _ = await collector_site.collector("there", site_id="tx-2")
    far, _ = await collector_site.collector("far", site_id="tx-3")
    both = await two_grants(collector_site, other)
    statuses = [
        (await collector_site.post(f"collectors/{collector_id}/disable", None, both)).status_code
        for collector_id in (here, there, far)
    ]
    assert statuses == [200, 403, 404]
    for code, status in (("tx-1", 201), ("tx-2", 403), ("tx-3", 404), ("nowhere", 404)):
        new = {"site_id": code, "name": "new", "credential": "nothing"}
        assert (await collector_site.post("collectors", new, both)).status_code == status, code


async def test_the_keeper_of_a_zone_makes_collectors_for_that_zone_alone(collector_site: CollectorSite) -> None:
    hall = await collector_site.zone("hall")
    await collector_site.zone("yard")
    keeper = await collector_site.people.headers("OpsManager", zones=[hall])
    for zone, status in (("hall", 201), ("yard", 404), (None, 403), ("nowhere", 404)):
        body = {"site_id": "tx-1", "name": f"for {zone}", "zone_id": zone}
        assert (await collector_site.post("collectors", body, keeper)).status_code == status, zone


@pytest.mark.parametrize("path", ["collectors", "collectors/summary", "collector-configs", "collector-events"])
async def test_anonymous_lists_are_401(collector_site: CollectorSite, path: str) -> None:
    assert (await collector_site.api.get(f"{ADMIN}/{path}")).status_code == 401


BRIEF = {
    "id",
    "name",
    "site_id",
    "site_code",
    "zone_id",
    "status",
    "last_seen_at",
    "version",
    "active_miners",
    "total_miners",
}


async def test_read_only_users_see_collectors_in_brief(collector_site: CollectorSite) -> None:
    collector_id, token = await collector_site.collector(
        notes="behind the second switch", settings={"subnet": "secret"}
    )
    beat = {"version": "2.4.1", "miners_online": 7, "miners_total": 8, "extra_data": {"x": 1}}
    await collector_site.beat(token, beat)
    for role in ("Customer", "Technician"):
        headers = await collector_site.people.headers(role)
        collector = (await collector_site.get(f"collectors/{collector_id}", headers)).json()
        assert set(collector) == BRIEF, role
        assert (collector["version"], collector["active_miners"], collector["total_miners"]) == ("2.4.1", 7, 8)
        assert (await collector_site.get("collectors", headers)).json()["collectors"] == [collector]
        (row,) = (await collector_site.get("collectors/summary", headers)).json()["collectors"]
        assert set(row) == BRIEF - {"id"} | {"collector_id"}
        for path in (f"collectors/{collector_id}/heartbeats", "collector-configs", "collector-configs/rollout"):
            assert (await collector_site.get(path, headers)).status_code == 403, (role, path)
        assert (await collector_site.get(f"collectors/{new_id()}", headers)).status_code == 404
    for role in ("NOC", "Owner"):
        headers = await collector_site.people.headers(role)
        assert (await collector_site.get(f"collectors/{collector_id}", headers)).json()[
            "notes"
        ] == "behind the second switch"


async def test_a_user_sees_full_collectors_of_managed_sites_and_brief_ones_of_others(
    collector_site: CollectorSite,
) -> None:
    other = await collector_site.site("tx-2")
    here, _ = await collector_site.collector("here")
    there, _ = await collector_site.collector("there", site_id="tx-2")
    both = await two_grants(collector_site, other)
    shown = {
        collector["name"]: set(collector)
        for collector in (await collector_site.get("collectors", both)).json()["collectors"]
    }
    assert shown["there"] == BRIEF
    assert shown["here"] > BRIEF
    rows = {
        collector["name"]: collector
        for collector in (await collector_site.get("collectors/summary", both)).json()["collectors"]
    }
    assert ("open_alerts" in rows["here"], "open_alerts" in rows["there"]) == (True, False)
    assert "token" in (await collector_site.get(f"collectors/{here}", both)).json()
    assert set((await collector_site.get(f"collectors/{there}", both)).json()) == BRIEF
    assert (await collector_site.get(f"collectors/{here}/heartbeats", both)).status_code == 200
    assert (await collector_site.get(f"collectors/{there}/heartbeats", both)).status_code == 403


async def test_a_zone_that_one_does_not_see_is_404_by_its_code_and_by_its_id(collector_site: CollectorSite) -> None:
    hall, yard = await collector_site.zone("hall"), await collector_site.zone("yard")
    keeper = await collector_site.people.headers("OpsManager", zones=[hall])
    collector_id, _ = await collector_site.collector("of the hall", zone_id="hall")
    for zone in ("yard", yard, str(yard), "nowhere", "9" * 100):
        body = {"site_id": "tx-1", "name": "new", "zone_id": zone}
        assert (await collector_site.post("collectors", body, keeper)).status_code == 404, zone
        moved = await collector_site.api.patch(
            f"{ADMIN}/collectors/{collector_id}", headers=keeper, json={"zone_id": zone}
        )
        assert moved.status_code == 404, zone
    elsewhere = await collector_site.zone("hall", await collector_site.site("tx-2"))
    body = {"site_id": "tx-1", "name": "new", "zone_id": elsewhere}
    assert (await collector_site.post("collectors", body)).status_code == 404, "a zone of another site"


async def test_a_place_that_no_database_could_hold_is_422(collector_site: CollectorSite) -> None:
    assert (await collector_site.get("collectors", site_id="a\0b")).status_code == 422
    for body in ({"site_id": "a\0b"}, {"site_id": "tx-1", "zone_id": "a\0b"}):
        assert (await collector_site.post("collectors", {"name": "x", **body})).status_code == 422
