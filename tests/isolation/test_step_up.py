"""Every operation that changes something, by a session that showed nothing again and by an owner's key."""

from datetime import timedelta

import pytest

from hashinsight.identity.permissions import Role
from hashinsight.identity.tokens import AccessToken, read_access, sign_access
from tests.isolation.examples import EXAMPLES
from tests.isolation.requests import Ask, Example, error_code, send
from tests.isolation.step_ups import NEEDED, NOT_NEEDED, SOMETIMES
from tests.isolation.world import ADMIN, AUTH, World, bearer, is_for_collectors, new_mark

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHANGES = [
    pytest.param(operation, examples[0], id=operation)
    for operation, examples in EXAMPLES.items()
    if not operation.startswith("GET ") and not is_for_collectors(operation)
]
STEP_UP, PERSON = (403, "STEP_UP_REQUIRED"), (403, "PERSON_REQUIRED")


def tags_of(world: World, operation: str) -> list[str]:
    method, path = operation.split(" ", 1)
    tags: list[str] = world.app.openapi()["paths"][path][method.lower()]["tags"]
    return tags


def of_before(world: World, headers: dict[str, str]) -> dict[str, str]:
    """The same session, six minutes after its owner showed anything."""
    vault, now = world.app.state.vault, world.people.clock()
    token = read_access(vault, headers["Authorization"].removeprefix("Bearer "), now=now)
    assert token is not None
    return bearer(sign_access(vault, AccessToken(token.tenant_id, token.user_id, token.session_id), now=now))


async def key_of(world: World, role: Role) -> dict[str, str]:
    made = await world.make(f"{ADMIN}/api-keys", {"name": f"{role} key", "role": role, "whole_tenant": True})
    return {"X-API-Key": made["key"]}


async def test_every_change_by_people_is_in_one_list_of_those_that_need_a_step_up_and_those_that_do_not(
    world: World,
) -> None:
    changes = {
        f"{method.upper()} {path}"
        for path, methods in world.app.openapi()["paths"].items()
        for method in methods
        if method != "get" and not is_for_collectors(f"{method.upper()} {path}")
    }
    listed = [*NEEDED, *SOMETIMES, *NOT_NEEDED]
    assert len(listed) == len(set(listed))
    assert changes - set(listed) == set(), "new: who may do it with a session that was stolen an hour ago?"
    assert set(listed) - changes == set()
    for operation in NOT_NEEDED:
        assert "identity" not in tags_of(world, operation), "nothing that changes people does without"


async def refusals(world: World, operation: str, ask: Ask) -> tuple[object, object]:
    """What a session that showed nothing again is answered, and what a key of an owner."""
    stale = of_before(world, dict(world.owner.headers))
    by_session = error_code(await send(world.api, operation, ask, stale))
    return by_session, error_code(await send(world.api, operation, ask, await key_of(world, Role.OWNER)))


@pytest.mark.parametrize(("operation", "example"), CHANGES)
async def test_changes_of_users_and_protection_need_a_step_up(world: World, operation: str, example: Example) -> None:
    ask = await example(world, new_mark())
    headers = dict(world.owner.headers if ask.headers is None else ask.headers)
    stale = of_before(world, headers) if headers else {}  # signing in needs nobody who is signed in
    by_session = error_code(await send(world.api, operation, ask, stale))
    by_key = error_code(await send(world.api, operation, ask, await key_of(world, Role.OWNER)))
    if operation in NEEDED:
        assert (by_session, by_key) == (STEP_UP, PERSON)
    elif operation in NOT_NEEDED:
        assert by_session != STEP_UP
        assert operation.split(" ")[1].startswith(AUTH) or by_key != PERSON


@pytest.mark.parametrize(("operation", "example"), CHANGES)
async def test_changes_of_users_are_for_owners_only_even_after_a_step_up(
    world: World, operation: str, example: Example
) -> None:
    if "identity" not in tags_of(world, operation):
        return
    ask = await example(world, new_mark())
    for role in Role:
        if role is Role.OWNER:
            continue
        person = await world.people.headers(role.value)
        for headers in (person, of_before(world, person), await key_of(world, role)):
            answer = error_code(await send(world.api, operation, ask, headers))
            assert answer == (403, "FORBIDDEN"), (role, answer)
    shown = await send(world.api, operation, ask, dict(world.owner.headers))
    assert shown.is_success, shown.text


@pytest.mark.parametrize("section", ["approval", "pools", "thresholds", "rules"])
async def test_every_section_of_the_settings_that_protects_asks_for_it(world: World, section: str) -> None:
    headers, operation = dict(world.owner.headers), f"PATCH {ADMIN}/settings"
    read = (await send(world.api, f"GET {ADMIN}/settings", Ask(), headers)).json()
    sections = set(read["settings"]) - {"prices"}
    assert sections == {"approval", "pools", "thresholds", "rules"}, "a new section: does it protect something?"
    ask = Ask(body={"version": read["version"], section: read["settings"][section]})
    prices = Ask(body={"version": read["version"], "prices": read["settings"]["prices"]})
    key = await key_of(world, Role.OWNER)
    assert error_code(await send(world.api, operation, ask, of_before(world, headers))) == STEP_UP
    assert error_code(await send(world.api, operation, ask, key)) == PERSON
    for anybody in (of_before(world, headers), key):
        assert (await send(world.api, operation, prices, anybody)).is_success
        prices.body["version"] = (await send(world.api, f"GET {ADMIN}/settings", Ask(), headers)).json()["version"]


async def test_a_command_in_an_emergency_and_a_change_of_pools_ask_for_it_and_a_fan_does_not(world: World) -> None:
    headers, operation = of_before(world, dict(world.owner.headers)), f"POST {ADMIN}/commands"
    named = {"site_id": world.site, "miner_ids": [await world.miner(new_mark())]}
    fan = {"command_type": "set_fan", "params": {"speed": 50}}
    pool = {"command_type": "set_pool", "params": {"pool_id": "p1"}}
    for body, protected in ((fan, False), (fan | {"emergency": True, "priority": "safety"}, True), (pool, True)):
        by_session = await send(world.api, operation, Ask(body=named | body), headers)
        by_key = await send(world.api, operation, Ask(body=named | body), await key_of(world, Role.OWNER))
        assert (error_code(by_session) == STEP_UP, error_code(by_key) == PERSON) == (protected, protected), body


async def test_turning_signing_off_needs_a_step_up(world: World) -> None:
    collector_id, _ = await world.collector(new_mark())
    await world.make(f"{ADMIN}/collectors/{collector_id}/signing-keys", {"key_id": "k1", "signs_after_sec": 0})
    operation = f"PUT {ADMIN}/collectors/{{collector_id}}/signing"
    on, off = (Ask(path={"collector_id": collector_id}, body={"on": value}) for value in (True, False))
    headers, key = dict(world.owner.headers), await key_of(world, Role.OWNER)
    assert (await send(world.api, operation, on, key)).is_success
    assert error_code(await send(world.api, operation, off, of_before(world, headers))) == STEP_UP
    assert error_code(await send(world.api, operation, off, key)) == PERSON
    assert (await send(world.api, operation, off, headers)).is_success


async def test_approving_a_collector_needs_a_step_up_and_listing_does_not(
    world: World,
) -> None:
    headers, operation = dict(world.owner.headers), f"POST {ADMIN}/collectors"
    for credential in ("token", "enrolment_code"):
        ask = Ask(body={"site_id": world.site, "name": new_mark(), "credential": credential})
        assert await refusals(world, operation, ask) == (STEP_UP, PERSON)
        assert (await send(world.api, operation, ask, headers)).is_success
    for anybody in (of_before(world, headers), await key_of(world, Role.OWNER)):
        ask = Ask(body={"site_id": world.site, "name": new_mark(), "credential": "nothing"})
        assert (await send(world.api, operation, ask, anybody)).is_success


async def test_raising_collector_permissions_needs_a_step_up_and_lowering_does_not(
    world: World,
) -> None:
    marks = new_mark(), new_mark()
    zones = [await world.zone(mark) for mark in marks]
    collector_id, _ = await world.collector(marks[0])
    operation, headers = f"PATCH {ADMIN}/collectors/{{collector_id}}", dict(world.owner.headers)
    steps = (
        ({"zone_id": zones[0], "permissions": ["read"], "collection_interval_sec": 10}, False),
        ({"zone_id": zones[0], "permissions": ["read"], "notes": "the same"}, False),
        ({"zone_id": zones[1]}, True),
        ({"zone_id": None}, True),
        ({"permissions": ["read", "control"]}, True),
        ({"collection_interval_sec": 60}, True),
        ({"heartbeat_interval_sec": 3600}, True),
        ({"registration_open_until": (world.people.clock() + timedelta(days=1)).isoformat()}, True),
        ({"registration_open_until": None}, False),
        ({"heartbeat_interval_sec": 60, "permissions": []}, False),
    )
    for body, is_wider in steps:
        ask = Ask(path={"collector_id": collector_id}, body=body)
        if is_wider:
            assert await refusals(world, operation, ask) == (STEP_UP, PERSON), body
            assert (await send(world.api, operation, ask, headers)).is_success
        else:
            assert (await send(world.api, operation, ask, of_before(world, headers))).is_success, body
