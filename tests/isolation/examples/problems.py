"""Problems: lists, stories, acts, suppressions, the stream; five of them by their older paths, too."""

from typing import Any

from hashinsight.kit.ids import new_id
from tests.isolation.requests import Ask, example
from tests.isolation.world import World

_V1, _HOSTING = "/api/v1", "/hosting/api"
_ONE = f"{_V1}/problems/{{problem_id}}"
_MADE = """
with site as (
    insert into problem_sites (site_id, tenant_id, next_no, modes)
    select id, tenant_id, 1, '{}' from sites where id = %(site)s on conflict do nothing
), made as (
    insert into problem_events (id, tenant_id, site_id, event_no, miner_no, miner_id, issue_code, severity, status,
        start_ts, opened_ts, last_seen_ts, seen, dedup_key, evidence_json, zone_id, created_at, updated_at,
        p_fail_24h)
    select %(id)s, tenant_id, site_id, miner_no, miner_no, miner_id, 'offline', 'P0', 'open', now(), now(), now(), true,
        miner_id || ':offline',
        jsonb_build_array(jsonb_build_object('rule_code', 'offline', 'description', %(words)s::text)),
        zone_id, now(), now(), 0.5
    from miners where miner_id = %(miner)s and site_id = %(site)s
    returning *
), timeline as (
    insert into problem_timeline (id, tenant_id, site_id, problem_id, at, kind, actor_kind, message)
    select %(entry)s, tenant_id, site_id, id, now(), 'opened', 'system', %(words)s from made
)
insert into problem_pulse (problem_id, tenant_id, site_id, version, event_no, subject, issue, severity, status,
    start_ts, opened_ts, last_seen_ts, resolved_ts, recurrences, consecutive_ok, consecutive_fail, flap_since,
    flap_count, flapping, notified, escalated, predecessor)
select id, tenant_id, site_id, 0, event_no, miner_no, 1, 0, 1, 0, 0, 0, 'NaN', 0, 0, 1, 'NaN', 0, false, 127, false, -1
from made
"""


async def _problem(world: World, mark: str) -> str:
    """As a cycle would leave it, of a marked machine."""
    miner, problem_id = await world.miner(mark), str(new_id())
    values: dict[str, Any] = {"id": problem_id, "site": world.site_id, "miner": miner, "entry": new_id()}
    world.superuser.execute(_MADE, values | {"words": f"{mark}-evidence"})
    return problem_id


async def _suppression(world: World, mark: str) -> str:
    body = {"kind": "miner", "site_id": world.site, "miner_id": await world.miner(mark), "reason": f"{mark}-reason"}
    return str((await world.make(f"{_V1}/suppressions", body))["suppressions"][0]["id"])


@example(f"GET {_V1}/sites/{{site_id}}/health_summary")
@example(f"GET {_HOSTING}/sites/{{site_id}}/health_summary")
@example(f"GET {_V1}/sites/{{site_id}}/problems")
@example(f"GET {_HOSTING}/sites/{{site_id}}/problems")
@example(f"GET {_V1}/sites/{{site_id}}/risks")
@example(f"GET {_V1}/sites/{{site_id}}/temperature-limits")
async def of_a_site(world: World, mark: str) -> Ask:
    await _problem(world, mark)
    return Ask(path={"site_id": world.site_id})


@example(f"GET {_V1}/problems")
async def of_all_sites(world: World, mark: str) -> Ask:
    await _problem(world, mark)
    return Ask(query={"per_page": "500"})


@example(f"GET {_V1}/problems")
async def as_a_file(world: World, mark: str) -> Ask:
    await _problem(world, mark)
    return Ask(query={"format": "csv", "site_id": world.site})


@example(f"GET {_V1}/problems/counts")
async def counted(world: World, mark: str) -> Ask:
    await _problem(world, mark)
    return Ask(query={"site_id": world.site})


@example(f"GET {_V1}/problems/assignees")
async def assignees(world: World, mark: str) -> Ask:
    await world.user(mark)
    return Ask(query={"site_id": world.site})


@example(f"GET {_ONE}")
@example(f"GET {_ONE}/timeline")
async def details(world: World, mark: str) -> Ask:
    return Ask(path={"problem_id": await _problem(world, mark)})


@example(f"GET {_V1}/miners/{{miner_id}}/problems")
@example(f"GET {_HOSTING}/miners/{{miner_id}}/problems")
@example(f"GET {_V1}/miners/{{miner_id}}/health")
@example(f"GET {_V1}/miners/{{miner_id}}/peers")
async def of_a_machine(world: World, mark: str) -> Ask:
    await _problem(world, mark)
    return Ask(path={"miner_id": f"{mark}-miner"})


@example(f"POST {_V1}/miners/{{miner_id}}/suppress")
@example(f"POST {_HOSTING}/miners/{{miner_id}}/suppress")
async def suppress(world: World, mark: str) -> Ask:
    await _problem(world, mark)
    return Ask(path={"miner_id": f"{mark}-miner"}, body={"reason": "x"})


@example(f"POST {_V1}/miners/{{miner_id}}/unsuppress")
@example(f"POST {_HOSTING}/miners/{{miner_id}}/unsuppress")
async def unsuppress(world: World, mark: str) -> Ask:
    await _suppression(world, mark)
    return Ask(path={"miner_id": f"{mark}-miner"})


@example(f"POST {_ONE}/acknowledge")
@example(f"POST {_ONE}/start")
async def take(world: World, mark: str) -> Ask:
    return Ask(path={"problem_id": await _problem(world, mark)})


@example(f"POST {_ONE}/assign")
async def assign(world: World, mark: str) -> Ask:
    return Ask(path={"problem_id": await _problem(world, mark)}, body={"assignee": await world.user(mark)})


@example(f"POST {_ONE}/comment")
async def comment(world: World, mark: str) -> Ask:
    return Ask(path={"problem_id": await _problem(world, mark)}, body={"comment": "x"})


@example(f"POST {_ONE}/resolve")
async def resolve(world: World, mark: str) -> Ask:
    return Ask(path={"problem_id": await _problem(world, mark)}, body={"cause": "other"})


@example(f"POST {_V1}/problems/bulk")
async def bulk(world: World, mark: str) -> Ask:
    return Ask(body={"act": "comment", "ids": [await _problem(world, mark)], "comment": "x"})


@example(f"GET {_V1}/suppressions")
async def suppressions(world: World, mark: str) -> Ask:
    await _suppression(world, mark)
    return Ask(query={"limit": "1000"})


@example(f"GET {_V1}/suppressions")
async def suppressions_of_a_site(world: World, mark: str) -> Ask:
    await _suppression(world, mark)
    return Ask(query={"site_id": world.site, "miner_id": f"{mark}-miner"})


@example(f"POST {_V1}/suppressions")
async def suppress_a_machine(world: World, mark: str) -> Ask:
    return Ask(body={"kind": "miner", "site_id": world.site, "miner_id": await world.miner(mark), "reason": "x"})


@example(f"POST {_V1}/suppressions")
async def suppress_a_zone(world: World, mark: str) -> Ask:
    await world.zone(mark)
    return Ask(body={"kind": "zone", "site_id": world.site, "zone": f"{mark}-zonecode", "reason": "x"})


@example(f"POST {_V1}/suppressions")
async def suppress_a_group(world: World, mark: str) -> Ask:
    return Ask(body={"kind": "group", "group_id": await world.group(mark), "reason": "x"})


@example(f"POST {_V1}/suppressions")
async def suppress_a_site(world: World, _mark: str) -> Ask:
    return Ask(body={"kind": "site", "site_id": world.site, "reason": "x"})


@example(f"POST {_V1}/suppressions/{{suppression_id}}/lift")
async def lift(world: World, mark: str) -> Ask:
    """Lifted by the first who may: whoever may comes twice, so that one is made anew."""
    return Ask(path={"suppression_id": await _suppression(world, mark)})


@example(f"GET {_V1}/stream")
async def watch(world: World, mark: str) -> Ask:
    first = "00000000-0000-7000-8000-000000000000"
    world.superuser.execute("delete from problem_timeline")
    await _problem(world, mark)
    return Ask(query={"seconds": "0", "kinds": "problems,telemetry"}, more={"Last-Event-ID": first})
