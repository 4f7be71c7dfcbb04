"""Every operation that changes something, by a session that showed nothing again and by an owner's key."""

import pytest

from hashinsight.identity.claims import AccessToken
from hashinsight.identity.permissions import Role
from hashinsight.identity.tokens import read_access, sign_access
from tests.isolation.asking import Ask, Example, error_code, send
from tests.isolation.examples import EXAMPLES
from tests.isolation.world import ADMIN, AUTH, World, bearer, is_for_collectors, new_mark

pytestmark = pytest.mark.asyncio(loop_scope="module")

# beside all that changes people, grants, keys and the tenant
PROTECTED = {
    f"PATCH {ADMIN}/settings",
    f"POST {ADMIN}/commands/{{command_id}}/approve",
    f"POST {ADMIN}/batches/{{batch_id}}/approve",
    f"POST {AUTH}/totp/disable",
}
# of what people do about themselves
NEEDS_NONE = {
    f"POST {AUTH}/login": "shows the password",
    f"POST {AUTH}/refresh": "gives a token that showed nothing",
    f"POST {AUTH}/logout": "takes away",
    f"POST {AUTH}/password": "shows the old password; with a second factor its code as well",
    f"POST {AUTH}/totp/begin": "shows the password",
    f"POST {AUTH}/totp/confirm": "shows a code of what was begun",
    f"POST {AUTH}/step-up": "is how one shows it",
}
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


def is_protected(world: World, operation: str) -> bool:
    """A new operation on people and their rights is, unless somebody says above why not."""
    tags = tags_of(world, operation)
    return operation in PROTECTED or "identity" in tags or ("auth" in tags and operation not in NEEDS_NONE)


def of_before(world: World, headers: dict[str, str]) -> dict[str, str]:
    """The same session, six minutes after its owner showed anything."""
    vault, now = world.app.state.vault, world.people.clock()
    token = read_access(vault, headers["Authorization"].removeprefix("Bearer "), now=now)
    assert token is not None
    return bearer(sign_access(vault, AccessToken(token.tenant_id, token.user_id, token.session_id), now=now))


async def key_of(world: World, role: Role) -> dict[str, str]:
    made = await world.make(f"{ADMIN}/api-keys", {"name": f"{role} key", "role": role})
    return {"X-API-Key": made["key"]}


@pytest.mark.parametrize(("operation", "example"), CHANGES)
async def test_what_changes_people_and_protection_asks_a_person_to_show_it_again(
    world: World, operation: str, example: Example
) -> None:
    ask = await example(world, new_mark())
    headers = dict(world.owner.headers if ask.headers is None else ask.headers)
    stale = of_before(world, headers) if headers else {}  # signing in needs nobody who is signed in
    by_session = error_code(await send(world.api, operation, ask, stale))
    by_key = error_code(await send(world.api, operation, ask, await key_of(world, Role.OWNER)))
    if is_protected(world, operation):
        assert (by_session, by_key) == (STEP_UP, PERSON)
    else:
        assert by_session != STEP_UP


@pytest.mark.parametrize(("operation", "example"), CHANGES)
async def test_what_changes_people_is_the_owners_alone_however_much_somebody_else_shows(
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


async def test_signing_is_turned_off_by_a_person_who_has_just_shown_it(world: World) -> None:
    collector_id, _ = await world.collector(new_mark())
    await world.make(f"{ADMIN}/collectors/{collector_id}/signing-keys", {"key_id": "k1", "signs_after_sec": 0})
    operation = f"PUT {ADMIN}/collectors/{{collector_id}}/signing"
    on, off = (Ask(path={"collector_id": collector_id}, body={"on": value}) for value in (True, False))
    headers, key = dict(world.owner.headers), await key_of(world, Role.OWNER)
    assert (await send(world.api, operation, on, key)).is_success
    assert error_code(await send(world.api, operation, off, of_before(world, headers))) == STEP_UP
    assert error_code(await send(world.api, operation, off, key)) == PERSON
    assert (await send(world.api, operation, off, headers)).is_success
