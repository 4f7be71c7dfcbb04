"""`hashinsight tenant`, `user` and `key`: people and their rights from the command line of the installation."""

import sys
from typing import Annotated, Any

import typer

from hashinsight.cli.acting import act, need_server, say, shell_user, tenant_id_of
from hashinsight.kit.errors import OperatorError

tenant_app = typer.Typer(help="Tenants of this installation.", no_args_is_help=True)
user_app = typer.Typer(help="Users, passwords and locks.", no_args_is_help=True)
key_app = typer.Typer(help="API keys for integrations.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
TenantRef = Annotated[str | None, typer.Option("--tenant", help="Name or id; may be left out when there is one.")]
Sites = Annotated[list[str] | None, typer.Option("--site", help="Code of a site; may be given several times.")]
WholeTenant = Annotated[
    bool, typer.Option("--whole-tenant", help="A Customer for every site of the tenant: has to be said.")
]
_OPTION_ERRORS = {
    "SCOPE_REQUIRED": (
        "a Customer without --site would see the whole tenant: name the sites with --site CODE, or say --whole-tenant."
    ),
    "SCOPE_CONFLICT": "--whole-tenant cannot be combined with --site, --zone or --group.",
}
Role = Annotated[str, typer.Option(help="Owner, OpsManager, NOC, Technician, CustomerSuccess or Customer.")]


@tenant_app.command("create")
def create_tenant(name: Annotated[str, typer.Option()], *, json: Json = False) -> None:
    """Make a tenant."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.tenants import create_tenant as create
        from hashinsight.kit.clock import system_clock

        made = await create(session, shell_user(), name, now=system_clock())
        return {"id": str(made.id), "name": made.name}

    made = act(work)
    say(made, f"tenant {made['name']} has the id {made['id']}", as_json=json)


@tenant_app.command("list")
def list_tenants(*, json: Json = False) -> None:
    """All tenants."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts

        return [{"id": str(one.id), "name": one.name} for one in await accounts.list_tenants(session)]

    found = act(work)
    say(found, "\n".join(f"{one['id']}  {one['name']}" for one in found), as_json=json)


@user_app.command("create")
def create_user(
    email: Annotated[str, typer.Option()],
    role: Role,
    *,
    tenant: TenantRef = None,
    name: Annotated[str, typer.Option()] = "",
    site: Sites = None,
    whole_tenant: WholeTenant = False,
    json: Json = False,
) -> None:
    """Make a user. The password is read from standard input, never from the command line."""
    check_reach(role, site, whole_tenant=whole_tenant)
    password = _password()

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service.users import NewUser
        from hashinsight.identity.service.users import create_user as create
        from hashinsight.kit.clock import system_clock

        tenant_id = await tenant_id_of(session, tenant)
        reach = await reach_of(session, tenant_id, site)
        new = NewUser(email, password, chosen_role(role), name, reach, whole_tenant)
        made = await create(session, shell_user(), tenant_id, new, now=system_clock())
        return {"id": str(made.id), "email": made.email, "role": role, "tenant_id": str(tenant_id)}

    made = act(work)
    say(made, f"user {made['email']} may sign in as {role}", as_json=json)


@user_app.command("password")
def set_password(email: Annotated[str, typer.Option()], *, json: Json = False) -> None:
    """Give a user a new password, read from standard input. All sessions end, a lock is opened."""
    password = _password()

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.identity.queries import accounts
        from hashinsight.identity.service.users import set_password as set_to
        from hashinsight.identity.service.users import unlock_user
        from hashinsight.kit.clock import system_clock
        from hashinsight.kit.crypto import Vault
        from hashinsight.kit.errors import NotFound
        from hashinsight.kit.secret_key import load_secret_key

        user = await accounts.find_user_by_email(session, email.strip().lower())
        if user is None:
            raise NotFound(f"no user has the e-mail {email}")
        now = system_clock()
        await set_to(session, shell_user(), user.id, password, now=now)
        await unlock_user(session, Vault(load_secret_key(settings)), shell_user(), user.id, now=now)
        return {"id": str(user.id), "email": user.email}

    made = act(work)
    say(made, f"{made['email']} has a new password; all sessions were ended", as_json=json)


@user_app.command("list")
def list_users(*, tenant: TenantRef = None, json: Json = False) -> None:
    """The users of a tenant."""

    async def work(session: Any, _settings: Any) -> list[dict[str, Any]]:
        from hashinsight.identity.queries import accounts
        from hashinsight.identity.schemas.accounts import UserOut

        users = await accounts.list_users_of(session, await tenant_id_of(session, tenant))
        return [UserOut.of(user).model_dump(mode="json") for user in users]

    found = act(work)
    say(found, "\n".join(f"{one['id']}  {one['state']:8}  {one['email']}" for one in found), as_json=json)


@key_app.command("create")
def create_key(
    name: Annotated[str, typer.Option()],
    role: Role,
    *,
    tenant: TenantRef = None,
    site: Sites = None,
    person: Annotated[
        str | None, typer.Option(help="E-mail of the owner it acts for: it ends with them. Without it, for nobody.")
    ] = None,
    whole_tenant: WholeTenant = False,
    json: Json = False,
) -> None:
    """Make an API key. It is printed this once."""
    check_reach(role, site, whole_tenant=whole_tenant)

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.identity.service import keys
        from hashinsight.kit.clock import system_clock

        tenant_id = await tenant_id_of(session, tenant)
        reach = await reach_of(session, tenant_id, site)
        key, secret = await keys.create_key(
            session,
            shell_user(),
            tenant_id,
            name=name,
            role=chosen_role(role),
            reach=reach,
            whole_tenant=whole_tenant,
            person_id=await _owner_id(session, tenant_id, person),
            now=system_clock(),
        )
        return {"id": str(key.id), "name": key.name, "key": secret}

    made = act(work)
    say(made, made["key"], as_json=json)


@key_app.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument()], *, json: Json = False) -> None:
    """Revoke an API key: it is refused from the next call on."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.identity.service import keys
        from hashinsight.kit.clock import system_clock
        from hashinsight.kit.errors import ValidationFailed

        try:
            chosen = UUID(key_id)
        except ValueError:
            raise ValidationFailed(f"{key_id} is not the id of a key") from None
        await keys.revoke_key(session, shell_user(), chosen, now=system_clock())
        return {"id": key_id, "revoked": True}

    say(act(work), f"key {key_id} is revoked", as_json=json)


async def _owner_id(session: Any, tenant_id: Any, email: str | None) -> Any:
    from hashinsight.identity.queries import accounts
    from hashinsight.kit.errors import NotFound

    if email is None:
        return None
    user = await accounts.find_user_by_email(session, email.strip().lower())
    if user is None or user.id not in await accounts.list_owners(session, tenant_id):
        raise NotFound(f"{email} is no owner of the whole tenant")
    return user.id


def _password() -> str:
    from hashinsight.kit.errors import OperatorError

    if sys.stdin.isatty():
        return str(typer.prompt("password", hide_input=True, confirmation_prompt=True))
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise OperatorError("the password is read from standard input, and nothing came.")
    return password


def chosen_role(text: str) -> Any:
    from hashinsight.identity.permissions import Role as Roles
    from hashinsight.kit.errors import ValidationFailed

    try:
        return Roles(text)
    except ValueError:
        raise ValidationFailed(f"{text} is not a role: choose one of {', '.join(Roles)}") from None


def check_reach(role: str, *named: list[Any] | None, whole_tenant: bool) -> None:
    """As the service checks it, in the words of the options, and before a password is asked for."""
    need_server()
    from hashinsight.identity.service.grants import check_scope
    from hashinsight.kit.errors import ValidationFailed

    try:
        check_scope(chosen_role(role), has_scope=any(named), whole_tenant=whole_tenant)
    except ValidationFailed as error:
        raise OperatorError(_OPTION_ERRORS.get(error.error_code, f"{error.message}.")) from None


async def reach_of(
    session: Any,
    tenant_id: Any,
    codes: list[str] | None,
    zones: list[int] | None = None,
    groups: list[int] | None = None,
) -> Any:
    """The scope of a grant: sites by code, zones and groups by id; nothing is the whole tenant."""
    from hashinsight.identity.queries import accounts
    from hashinsight.identity.scope import Reach
    from hashinsight.kit.errors import NotFound

    found = await accounts.list_sites_by_code(session, tenant_id, codes or [])
    missing = sorted(set(codes or []) - set(found))
    if missing:
        raise NotFound(f"the tenant has no site {', '.join(missing)}")
    sites = tuple(found[code] for code in codes) if codes else None
    return Reach(sites, tuple(zones) if zones else None, tuple(groups) if groups else None)
