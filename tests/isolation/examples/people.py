"""Users, grants, keys, the tenant."""

from tests.isolation.requests import EXAMPLES, FRESH, Ask, example, plain
from tests.isolation.world import ADMIN, World

__all__ = ["EXAMPLES"]

_USERS = f"{ADMIN}/users/{{user_id}}"

plain(f"GET {ADMIN}/users", f"GET {ADMIN}/grants", f"GET {ADMIN}/api-keys", limit="1000")
plain(f"GET {ADMIN}/tenants")
plain("GET /healthz", "GET /readyz", "GET /metrics")


@example(f"POST {ADMIN}/users")
async def create_user(world: World, mark: str) -> Ask:
    del mark
    return Ask(
        body={
            "email": f"{FRESH}@example.com",
            "password": "a long enough phrase",
            "role": "Technician",
            "site_ids": [world.site_id],
        }
    )


@example(f"GET {_USERS}")
@example(f"DELETE {_USERS}")
@example(f"POST {_USERS}/unlock")
@example(f"POST {_USERS}/totp/reset")
async def of_a_user(world: World, mark: str) -> Ask:
    return Ask(path={"user_id": await world.user(mark)})


@example(f"PATCH {_USERS}")
async def change_user(world: World, mark: str) -> Ask:
    return Ask(path={"user_id": await world.user(mark)}, body={"name": FRESH, "state": "disabled"})


@example(f"POST {_USERS}/password")
async def reset_password(world: World, mark: str) -> Ask:
    return Ask(path={"user_id": await world.user(mark)}, body={"new_password": f"another phrase {FRESH}"})


@example(f"POST {ADMIN}/grants")
async def create_grant(world: World, mark: str) -> Ask:
    return Ask(body={"user_id": await world.user(mark), "role": "NOC"})


@example(f"POST {ADMIN}/grants")
async def create_grant_over_a_zone(world: World, mark: str) -> Ask:
    return Ask(body={"user_id": await world.user(mark), "role": "NOC", "zone_ids": [await world.zone(mark)]})


@example(f"DELETE {ADMIN}/grants/{{grant_id}}")
async def delete_grant(world: World, mark: str) -> Ask:
    made = await world.make(f"{ADMIN}/grants", {"user_id": await world.user(mark), "role": "NOC"})
    return Ask(path={"grant_id": made["id"]})


@example(f"PATCH {ADMIN}/tenants/{{tenant_id}}")
async def change_tenant(world: World, mark: str) -> Ask:
    del mark
    return Ask(path={"tenant_id": world.a}, body={"name": FRESH})


@example(f"POST {ADMIN}/api-keys")
async def create_key(world: World, mark: str) -> Ask:
    return Ask(body={"name": FRESH, "role": "Customer", "zone_ids": [await world.zone(mark)]})


@example(f"DELETE {ADMIN}/api-keys/{{key_id}}")
async def revoke_key(world: World, mark: str) -> Ask:
    body = {"name": f"{mark}-key", "role": "Customer", "whole_tenant": True}
    made = await world.make(f"{ADMIN}/api-keys", body)
    return Ask(path={"key_id": made["id"]})
