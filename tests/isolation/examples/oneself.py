"""What people do about themselves: the caller is somebody new each time, who may lose the session and the password."""

import pyotp

from tests.isolation.requests import Ask, example
from tests.isolation.world import AUTH, Person, World, bearer
from tests.people import PASSWORD


async def _of(person: Person, body: object = None) -> Ask:
    return Ask(body=body, headers=person.headers, about_oneself=True)


@example(f"POST {AUTH}/login")
async def login(world: World, mark: str) -> Ask:
    del mark
    person = await world.person("a")
    return Ask(body={"email": person.email, "password": PASSWORD}, headers={})


@example(f"POST {AUTH}/refresh")
async def refresh(world: World, mark: str) -> Ask:
    del mark
    person = await world.person("a")
    tokens = await world.people.sign_in(person.email)
    return Ask(body={"refresh_token": tokens.refresh_token}, headers={})


@example(f"GET {AUTH}/me")
@example(f"POST {AUTH}/logout")
@example(f"POST {AUTH}/totp/disable")
async def about_myself(world: World, mark: str) -> Ask:
    del mark
    return await _of(await world.person("a"))


@example(f"POST {AUTH}/totp/begin")
async def begin(world: World, mark: str) -> Ask:
    del mark
    return await _of(await world.person("a"), {"password": PASSWORD})


@example(f"POST {AUTH}/password")
async def password(world: World, mark: str) -> Ask:
    del mark
    body = {"old_password": PASSWORD, "new_password": "quite another long phrase"}
    return await _of(await world.person("a"), body)


@example(f"POST {AUTH}/totp/confirm")
async def confirm(world: World, mark: str) -> Ask:
    del mark
    person = await world.person("a")
    secret = (await world.make(f"{AUTH}/totp/begin", {"password": PASSWORD}, person.headers))["secret"]
    return await _of(person, {"code": pyotp.TOTP(secret).at(world.people.clock())})


async def _recovery(world: World, person: Person) -> list[str]:
    """Turn the second factor on: the codes that are good for once each."""
    secret = (await world.make(f"{AUTH}/totp/begin", {"password": PASSWORD}, person.headers))["secret"]
    turned_on = await world.make(
        f"{AUTH}/totp/confirm", {"code": pyotp.TOTP(secret).at(world.people.clock())}, person.headers
    )
    codes: list[str] = turned_on["recovery_codes"]
    return codes


@example(f"POST {AUTH}/step-up")
async def step_up(world: World, mark: str) -> Ask:
    del mark
    person = await world.person("a")
    return await _of(person, {"code": (await _recovery(world, person))[0]})


@example(f"POST {AUTH}/totp/disable")
async def disable_after_step_up(world: World, mark: str) -> Ask:
    del mark
    person = await world.person("a")
    code = (await _recovery(world, person))[0]
    stepped_up = await world.make(f"{AUTH}/step-up", {"code": code}, person.headers)
    return Ask(headers=bearer(stepped_up["access_token"]), about_oneself=True)
