"""`hashinsight tenant` and `hashinsight user`: tenants, users, passwords and locks."""

import sys
from typing import Annotated, Any

import typer

from hashinsight.cli.context import JsonOption, TenantOption, find_tenant_id, open_vault, run_transaction, shell_user
from hashinsight.cli.grants import (
    EmailOption,
    RoleOption,
    SitesOption,
    WholeTenantOption,
    check_reach,
    find_reach,
    get_user,
    parse_role,
)
from hashinsight.cli.output import print_result, print_table
from hashinsight.kit.errors import OperatorError

tenant_app = typer.Typer(help="Tenants of this installation.", no_args_is_help=True)
user_app = typer.Typer(help="Users: accounts, passwords, locks, two-factor authentication.", no_args_is_help=True)


@tenant_app.command("create")
def create_tenant(name: Annotated[str, typer.Option(help="Name of the tenant.")], *, json: JsonOption = False) -> None:
    """Create a tenant."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.tenants import create_tenant as create
        from hashinsight.kit.clock import system_clock

        tenant = await create(session, shell_user(), name, now=system_clock())
        return {"id": str(tenant.id), "name": tenant.name}

    tenant = run_transaction(work)
    print_result(tenant, f"created tenant {tenant['name']}, id {tenant['id']}", as_json=json)


@tenant_app.command("list")
def list_tenants(*, json: JsonOption = False) -> None:
    """List all tenants."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts

        return [{"id": str(tenant.id), "name": tenant.name} for tenant in await accounts.list_tenants(session)]

    print_table(run_transaction(work), "tenants", {"id": "id", "name": "name"}, as_json=json)


@tenant_app.command("change")
def change_tenant(
    *,
    tenant: TenantOption = None,
    name: Annotated[str | None, typer.Option(help="New name.")] = None,
    require_totp: Annotated[bool | None, typer.Option(help="Require two-factor authentication for all users.")] = None,
    json: JsonOption = False,
) -> None:
    """Rename a tenant, or require two-factor authentication for all its users."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.tenants import change_tenant as change
        from hashinsight.kit.clock import system_clock

        tenant_id, now = await find_tenant_id(session, tenant), system_clock()
        changed = await change(session, shell_user(), tenant_id, name=name, require_totp=require_totp, now=now)
        return {"id": str(changed.id), "name": changed.name, "require_totp": changed.require_totp}

    changed = run_transaction(work)
    state = "required" if changed["require_totp"] else "optional"
    print_result(changed, f"tenant {changed['name']}: two-factor authentication {state}", as_json=json)


@user_app.command("create")
def create_user(
    email: EmailOption,
    role: RoleOption,
    *,
    tenant: TenantOption = None,
    name: Annotated[str, typer.Option(help="Display name.")] = "",
    site: SitesOption = None,
    whole_tenant: WholeTenantOption = False,
    json: JsonOption = False,
) -> None:
    """Create a user. The password is read from standard input, never from the command line."""
    check_reach(role, site, whole_tenant=whole_tenant)
    password = _read_password()

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import NewUser
        from hashinsight.identity.service.users import create_user as create
        from hashinsight.kit.clock import system_clock

        tenant_id = await find_tenant_id(session, tenant)
        reach = await find_reach(session, tenant_id, site)
        new = NewUser(email, password, parse_role(role), name, reach, whole_tenant)
        user = await create(session, shell_user(), tenant_id, new, now=system_clock())
        return {"id": str(user.id), "email": user.email, "role": role, "tenant_id": str(tenant_id)}

    user = run_transaction(work)
    print_result(user, f"created user {user['email']} with role {role}", as_json=json)


@user_app.command("list")
def list_users(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the users of a tenant."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts
        from hashinsight.identity.schemas.accounts import UserOut

        users = await accounts.list_users_of(session, await find_tenant_id(session, tenant))
        return [UserOut.of(user).model_dump() for user in users]

    print_table(run_transaction(work), "users", {"id": "id", "state": "state", "e-mail": "email"}, as_json=json)


@user_app.command("password")
def set_password(email: EmailOption, *, json: JsonOption = False) -> None:
    """Set a new password, read from standard input. Signs the user out everywhere and unlocks the account."""
    password = _read_password()

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import set_password as set_to
        from hashinsight.identity.service.users import unlock_user
        from hashinsight.kit.clock import system_clock

        user, now = await get_user(session, email), system_clock()
        await set_to(session, shell_user(), user.id, password, now=now)
        await unlock_user(session, open_vault(settings), shell_user(), user.id, now=now)
        return {"id": str(user.id), "email": user.email}

    user = run_transaction(work)
    print_result(user, f"{user['email']}: password changed, signed out everywhere", as_json=json)


@user_app.command("disable")
def disable_user(email: EmailOption, *, json: JsonOption = False) -> None:
    """Disable a user: no sign-in, and all sessions end at once."""
    _change_state(email, "disabled", as_json=json)


@user_app.command("enable")
def enable_user(email: EmailOption, *, json: JsonOption = False) -> None:
    """Enable a disabled user."""
    _change_state(email, "active", as_json=json)


@user_app.command("delete")
def delete_user(email: EmailOption, *, json: JsonOption = False) -> None:
    """Delete a user: sessions end and grants are removed; the audit log keeps the user's entries."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import delete_user as delete
        from hashinsight.kit.clock import system_clock

        user = await get_user(session, email)
        await delete(session, shell_user(), user.id, now=system_clock())
        return {"id": str(user.id), "deleted": True}

    print_result(run_transaction(work), f"deleted user {email}", as_json=json)


@user_app.command("unlock")
def unlock_user(email: EmailOption, *, json: JsonOption = False) -> None:
    """Unlock an account that was locked after too many failed sign-ins."""

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import unlock_user as unlock
        from hashinsight.kit.clock import system_clock

        user = await get_user(session, email)
        await unlock(session, open_vault(settings), shell_user(), user.id, now=system_clock())
        return {"id": str(user.id), "unlocked": True}

    print_result(run_transaction(work), f"unlocked {email}", as_json=json)


@user_app.command("reset-totp")
def reset_totp(email: EmailOption, *, json: JsonOption = False) -> None:
    """Turn off two-factor authentication for a user who lost phone and recovery codes. Ends all sessions."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.second_factor import reset_totp
        from hashinsight.kit.clock import system_clock

        user = await get_user(session, email)
        await reset_totp(session, shell_user(), user.id, now=system_clock())
        return {"id": str(user.id), "has_totp": False}

    print_result(run_transaction(work), f"{email}: two-factor authentication is off", as_json=json)


def _change_state(email: str, state: str, *, as_json: bool) -> None:
    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import change_user
        from hashinsight.kit.clock import system_clock

        user = await get_user(session, email)
        changed = await change_user(session, shell_user(), user.id, state=state, now=system_clock())
        return {"id": str(changed.id), "state": changed.state}

    print_result(run_transaction(work), f"{email}: {state}", as_json=as_json)


def _read_password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("password", hide_input=True, confirmation_prompt=True))
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise OperatorError("no password on standard input: pipe it in, or run this in a terminal.")
    return password
