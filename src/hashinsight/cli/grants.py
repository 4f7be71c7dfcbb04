"""`hashinsight grant` and `hashinsight key`: roles of users, and API keys of integrations."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import (
    JsonOption,
    TenantOption,
    find_tenant_id,
    need_server,
    parse_id,
    run_transaction,
    shell_user,
)
from hashinsight.cli.output import print_result, print_table
from hashinsight.kit.errors import NotFound, OperatorError, ValidationFailed

grant_app = typer.Typer(
    help="Grants: a role for the whole tenant, or for some sites, zones or groups.", no_args_is_help=True
)
key_app = typer.Typer(help="API keys for integrations.", no_args_is_help=True)

EmailOption = Annotated[str, typer.Option("--email", help="E-mail of the user.")]
RoleOption = Annotated[
    str, typer.Option("--role", help="Owner, OpsManager, NOC, Technician, CustomerSuccess or Customer.")
]
SitesOption = Annotated[list[str] | None, typer.Option("--site", help="Only this site, by code; repeat for more.")]
ZonesOption = Annotated[list[int] | None, typer.Option("--zone", help="Only this zone, by id; repeat for more.")]
GroupsOption = Annotated[list[int] | None, typer.Option("--group", help="Only this group, by id; repeat for more.")]
WholeTenantOption = Annotated[
    bool, typer.Option("--whole-tenant", help="Give a Customer access to all sites of the tenant.")
]
_OPTION_ERRORS = {
    "SCOPE_REQUIRED": (
        "a Customer without --site would see the whole tenant: name the sites with --site CODE, or pass --whole-tenant."
    ),
    "SCOPE_CONFLICT": "--whole-tenant cannot be combined with --site, --zone or --group.",
}


@grant_app.command("create")
def create_grant(
    email: EmailOption,
    role: RoleOption,
    *,
    site: SitesOption = None,
    zone: ZonesOption = None,
    group: GroupsOption = None,
    whole_tenant: WholeTenantOption = False,
    json: JsonOption = False,
) -> None:
    """Give a user another role."""
    check_reach(role, site, zone, group, whole_tenant=whole_tenant)

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.schemas.accounts import GrantOut
        from hashinsight.identity.service.grants import create_grant as create
        from hashinsight.kit.clock import system_clock

        user = await get_user(session, email)
        grant = await create(
            session,
            shell_user(),
            user.tenant_id,
            parse_role(role),
            await find_reach(session, user.tenant_id, site, zone, group),
            whole_tenant=whole_tenant,
            user_id=user.id,
            now=system_clock(),
        )
        return GrantOut.model_validate(grant).model_dump()

    grant = run_transaction(work)
    print_result(grant, f"{email}: granted {role} (grant {grant['id']})", as_json=json)


@grant_app.command("list")
def list_grants(email: EmailOption, *, json: JsonOption = False) -> None:
    """List the roles of a user and what each covers."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts
        from hashinsight.identity.schemas.accounts import GrantOut

        user = await get_user(session, email)
        grants = await accounts.list_grants_of(session, user_id=user.id)
        codes = await accounts.list_site_codes(session, user.tenant_id)
        rows = [GrantOut.model_validate(grant).model_dump() for grant in grants]
        return [row | {"site_codes": _site_codes(row["site_ids"], codes)} for row in rows]

    rows = run_transaction(work)
    shown = rows if json else [row | {"covers": _covers(row)} for row in rows]
    print_table(shown, "grants", {"id": "id", "role": "role", "covers": "covers"}, as_json=json)


@grant_app.command("delete")
def delete_grant(grant_id: Annotated[str, typer.Argument(metavar="GRANT_ID")], *, json: JsonOption = False) -> None:
    """Remove a role from a user; effective from the next request."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.grants import delete_grant as delete
        from hashinsight.kit.clock import system_clock

        await delete(session, shell_user(), parse_id(grant_id), now=system_clock())
        return {"id": grant_id, "deleted": True}

    print_result(run_transaction(work), f"deleted grant {grant_id}", as_json=json)


@key_app.command("create")
def create_key(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    role: RoleOption,
    *,
    tenant: TenantOption = None,
    site: SitesOption = None,
    person: Annotated[
        str | None,
        typer.Option(help="E-mail of the owner it belongs to; ends when they stop being an owner. Default: no person."),
    ] = None,
    whole_tenant: WholeTenantOption = False,
    json: JsonOption = False,
) -> None:
    """Create an API key. It is printed once."""
    check_reach(role, site, whole_tenant=whole_tenant)

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service import keys
        from hashinsight.kit.clock import system_clock

        tenant_id = await find_tenant_id(session, tenant)
        key, secret = await keys.create_key(
            session,
            shell_user(),
            tenant_id,
            name=name,
            role=parse_role(role),
            reach=await find_reach(session, tenant_id, site),
            whole_tenant=whole_tenant,
            person_id=None if person is None else await _get_owner_id(session, tenant_id, person),
            now=system_clock(),
        )
        return {"id": str(key.id), "name": key.name, "key": secret}

    key = run_transaction(work)
    print_result(key, key["key"], as_json=json)


@key_app.command("list")
def list_keys(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the API keys of a tenant, including revoked ones. `ended`: the user it belongs to is no longer an owner."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts
        from hashinsight.identity.schemas.accounts import ApiKeyOut
        from hashinsight.kit.clock import system_clock

        tenant_id, now = await find_tenant_id(session, tenant), system_clock()
        owners = await accounts.list_owners(session, tenant_id)
        keys = await accounts.list_keys_of(session, tenant_id)
        return [ApiKeyOut.of(key, owners, now=now).model_dump() for key in keys]

    print_table(run_transaction(work), "keys", {"id": "id", "state": "state", "name": "name"}, as_json=json)


@key_app.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument(metavar="KEY_ID")], *, json: JsonOption = False) -> None:
    """Revoke an API key; it is rejected from the next request on."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service import keys
        from hashinsight.kit.clock import system_clock

        await keys.revoke_key(session, shell_user(), parse_id(key_id), now=system_clock())
        return {"id": key_id, "revoked": True}

    print_result(run_transaction(work), f"revoked key {key_id}", as_json=json)


async def get_user(session: Any, email: str) -> Any:
    from hashinsight.identity.queries import accounts

    user = await accounts.find_user_by_email(session, email.strip().lower())
    if user is None:
        raise NotFound(f"there is no user {email}")
    return user


async def _get_owner_id(session: Any, tenant_id: Any, email: str) -> Any:
    from hashinsight.identity.queries import accounts

    user = await accounts.find_user_by_email(session, email.strip().lower())
    if user is None or user.id not in await accounts.list_owners(session, tenant_id):
        raise NotFound(f"{email} is not an owner of the whole tenant")
    return user.id


def parse_role(text: str) -> Any:
    from hashinsight.identity.permissions import Role

    try:
        return Role(text)
    except ValueError:
        raise ValidationFailed(f"{text} is not a role: choose one of {', '.join(Role)}") from None


def check_reach(role: str, *scopes: list[Any] | None, whole_tenant: bool) -> None:
    """As the service checks it, but in terms of options and before a password is asked for."""
    need_server()
    from hashinsight.identity.service.grants import check_scope

    try:
        check_scope(parse_role(role), has_scope=any(scopes), whole_tenant=whole_tenant)
    except ValidationFailed as error:
        raise OperatorError(_OPTION_ERRORS.get(error.error_code, f"{error.message}.")) from None


async def find_reach(
    session: Any,
    tenant_id: Any,
    site_codes: list[str] | None,
    zones: list[int] | None = None,
    groups: list[int] | None = None,
) -> Any:
    """The scope of a grant: sites by code, zones and groups by id; without any, the whole tenant."""
    from hashinsight.identity.queries import accounts
    from hashinsight.identity.scope import Reach

    ids = await accounts.list_sites_by_code(session, tenant_id, site_codes or [])
    missing = sorted(set(site_codes or []) - set(ids))
    if missing:
        raise NotFound(f"the tenant has no site {', '.join(missing)}")
    sites = tuple(ids[code] for code in site_codes) if site_codes else None
    return Reach(sites, tuple(zones) if zones else None, tuple(groups) if groups else None)


def _site_codes(site_ids: list[int] | None, codes: dict[int, str]) -> list[str] | None:
    return None if site_ids is None else [codes.get(site_id, str(site_id)) for site_id in site_ids]


def _covers(grant: dict[str, Any]) -> str:
    scopes = {"sites": grant["site_codes"], "zones": grant["zone_ids"], "groups": grant["group_ids"]}
    parts = [f"{kind} {', '.join(map(str, ids))}" for kind, ids in scopes.items() if ids is not None]
    return "; ".join(parts) or "whole tenant"
