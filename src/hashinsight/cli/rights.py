"""`hashinsight grant`, and the rest of `user`, `key` and `tenant`: taking rights away and giving them back."""

from typing import Annotated, Any

import typer

from hashinsight.cli.acting import act, say, shell_user, tenant_id_of
from hashinsight.cli.identity import (
    Json,
    Role,
    Sites,
    TenantRef,
    WholeTenant,
    check_reach,
    chosen_role,
    key_app,
    reach_of,
    tenant_app,
    user_app,
)

grant_app = typer.Typer(
    help="Grants: a role over the tenant, or over some of its sites, zones or groups.", no_args_is_help=True
)

Email = Annotated[str, typer.Option(help="The user's e-mail.")]
Zones = Annotated[list[int] | None, typer.Option("--zone", help="Id of a zone; may be given several times.")]
Groups = Annotated[list[int] | None, typer.Option("--group", help="Id of a group; may be given several times.")]


@grant_app.command("create")
def create_grant(
    email: Email,
    role: Role,
    *,
    site: Sites = None,
    zone: Zones = None,
    group: Groups = None,
    whole_tenant: WholeTenant = False,
    json: Json = False,
) -> None:
    """One more role for a user."""
    check_reach(role, site, zone, group, whole_tenant=whole_tenant)

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.schemas.accounts import GrantOut
        from hashinsight.identity.service.grants import create_grant as create
        from hashinsight.kit.clock import system_clock

        user = await _user(session, email)
        reach = await reach_of(session, user.tenant_id, site, zone, group)
        made = await create(
            session,
            shell_user(),
            user.tenant_id,
            chosen_role(role),
            reach,
            whole_tenant=whole_tenant,
            user_id=user.id,
            now=system_clock(),
        )
        return GrantOut.model_validate(made).model_dump(mode="json")

    made = act(work)
    say(made, f"{email} is {role} too (grant {made['id']})", as_json=json)


@grant_app.command("list")
def list_grants(email: Email, *, json: Json = False) -> None:
    """The grants of a user."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts
        from hashinsight.identity.schemas.accounts import GrantOut

        user = await _user(session, email)
        held = await accounts.list_grants_of(session, user_id=user.id)
        shown = [GrantOut.model_validate(grant).model_dump(mode="json") for grant in held]
        codes = await accounts.list_site_codes(session, user.tenant_id)
        return [one | {"site_codes": _codes(one["site_ids"], codes)} for one in shown]

    found = act(work)
    say(found, "\n".join(f"{one['id']}  {one['role']:15}  {_scope_of(one)}" for one in found), as_json=json)


def _codes(site_ids: list[int] | None, codes: dict[int, str]) -> list[str] | None:
    return None if site_ids is None else [codes.get(site_id, str(site_id)) for site_id in site_ids]


def _scope_of(grant: dict[str, Any]) -> str:
    named = {"sites": grant["site_codes"], "zones": grant["zone_ids"], "groups": grant["group_ids"]}
    parts = [f"{what} {', '.join(map(str, ids))}" for what, ids in named.items() if ids is not None]
    return "; ".join(parts) or "the whole tenant"


@grant_app.command("delete")
def delete_grant(grant_id: Annotated[str, typer.Argument()], *, json: Json = False) -> None:
    """Take a grant away; it counts from the next request on."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.grants import delete_grant as delete
        from hashinsight.kit.clock import system_clock

        await delete(session, shell_user(), _uuid(grant_id), now=system_clock())
        return {"id": grant_id, "deleted": True}

    say(act(work), f"grant {grant_id} is gone", as_json=json)


@user_app.command("disable")
def disable_user(email: Email, *, json: Json = False) -> None:
    """Shut a user out; all sessions end at once."""
    _change_state(email, "disabled", as_json=json)


@user_app.command("enable")
def enable_user(email: Email, *, json: Json = False) -> None:
    """Let a disabled user in again."""
    _change_state(email, "active", as_json=json)


@user_app.command("delete")
def delete_user(email: Email, *, json: Json = False) -> None:
    """Remove a user: sessions end, grants go, the record stays."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import delete_user as delete
        from hashinsight.kit.clock import system_clock

        user = await _user(session, email)
        await delete(session, shell_user(), user.id, now=system_clock())
        return {"id": str(user.id), "deleted": True}

    say(act(work), f"{email} is gone", as_json=json)


@user_app.command("unlock")
def unlock_user(email: Email, *, json: Json = False) -> None:
    """Open the door again for somebody who mistyped too often."""

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import unlock_user as unlock
        from hashinsight.kit.clock import system_clock
        from hashinsight.kit.crypto import Vault
        from hashinsight.kit.secret_key import load_secret_key

        user = await _user(session, email)
        await unlock(session, Vault(load_secret_key(settings)), shell_user(), user.id, now=system_clock())
        return {"id": str(user.id), "unlocked": True}

    say(act(work), f"{email} may try again", as_json=json)


@user_app.command("reset-totp")
def reset_totp(email: Email, *, json: Json = False) -> None:
    """Take the second factor off somebody who lost the phone and the recovery codes. All their sessions end."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.second_factor import reset_totp
        from hashinsight.kit.clock import system_clock

        user = await _user(session, email)
        await reset_totp(session, shell_user(), user.id, now=system_clock())
        return {"id": str(user.id), "has_totp": False}

    say(act(work), f"{email} has no second factor any more", as_json=json)


@key_app.command("list")
def list_keys(*, tenant: TenantRef = None, json: Json = False) -> None:
    """The keys of a tenant, revoked ones too. `ended`: whoever made it is no longer an owner."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts
        from hashinsight.identity.schemas.accounts import ApiKeyOut
        from hashinsight.kit.clock import system_clock

        tenant_id, now = await tenant_id_of(session, tenant), system_clock()
        owners = await accounts.list_owners(session, tenant_id)
        keys = await accounts.list_keys_of(session, tenant_id)
        return [ApiKeyOut.of(key, owners, now=now).model_dump(mode="json") for key in keys]

    found = act(work)
    lines = [f"{one['id']}  {one['state']:7}  {one['name']}" for one in found]
    say(found, "\n".join(lines), as_json=json)


@tenant_app.command("change")
def change_tenant(
    *,
    tenant: TenantRef = None,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    require_totp: Annotated[bool | None, typer.Option(help="Ask everybody for a second factor.")] = None,
    json: Json = False,
) -> None:
    """Another name, or a second factor asked of everybody."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.tenants import change_tenant as change
        from hashinsight.kit.clock import system_clock

        tenant_id = await tenant_id_of(session, tenant)
        made = await change(session, shell_user(), tenant_id, name=name, require_totp=require_totp, now=system_clock())
        return {"id": str(made.id), "name": made.name, "require_totp": made.require_totp}

    made = act(work)
    asked = "asks" if made["require_totp"] else "does not ask"
    say(made, f"tenant {made['name']} {asked} for a second factor", as_json=json)


def _change_state(email: str, state: str, *, as_json: bool) -> None:
    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import change_user
        from hashinsight.kit.clock import system_clock

        user = await _user(session, email)
        changed = await change_user(session, shell_user(), user.id, state=state, now=system_clock())
        return {"id": str(changed.id), "state": changed.state}

    say(act(work), f"{email} is {state}", as_json=as_json)


async def _user(session: Any, email: str) -> Any:
    from hashinsight.identity.queries import accounts
    from hashinsight.kit.errors import NotFound

    user = await accounts.find_user_by_email(session, email.strip().lower())
    if user is None:
        raise NotFound(f"no user has the e-mail {email}")
    return user


def _uuid(text: str) -> Any:
    from uuid import UUID

    from hashinsight.kit.errors import ValidationFailed

    try:
        return UUID(text)
    except ValueError:
        raise ValidationFailed(f"{text} is not an id") from None
