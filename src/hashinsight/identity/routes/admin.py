"""Users, grants and API keys of the caller's tenant, and the tenant itself."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request, Response

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity.access import ReadSession, Session, allowed, now_of, vault_of
from hashinsight.identity.permissions import Permission
from hashinsight.identity.queries import accounts
from hashinsight.identity.schemas.accounts import (
    ApiKeyList,
    ApiKeyOut,
    ChangeTenantBody,
    ChangeUserBody,
    CreatedApiKey,
    GrantList,
    GrantOut,
    NewGrantBody,
    NewKeyBody,
    NewPasswordBody,
    NewUserBody,
    TenantList,
    TenantOut,
    UserDetail,
    UserList,
    UserOut,
)
from hashinsight.identity.scope import Scope
from hashinsight.identity.service import grants, keys, second_factor, tenants, users
from hashinsight.kit.errors import Conflict, Forbidden, NotFound
from hashinsight.kit.web.error_handlers import exception_response
from hashinsight.kit.web.parameters import Cursor, Limit
from hashinsight.kit.web.responses import errors

router = APIRouter(prefix="/api/admin/v1", tags=["identity"])

AdminScope = Annotated[Scope, allowed(Permission.ADMIN, whole=True)]
# every change of users and their rights: by a user after a step-up
ActingAdminScope = Annotated[Scope, allowed(Permission.ADMIN, whole=True, step_up=True)]


@router.get("/users")
async def list_users(scope: AdminScope, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> UserList:
    """The tenant's users, newest last."""
    page = await accounts.list_users(session, scope, limit=limit, cursor=cursor)
    return UserList(users=[UserOut.of(user) for user in page.rows], next_cursor=page.next_cursor)


@router.post("/users", status_code=201, response_model=UserOut, responses=errors(404, 409))
async def create_user(
    request: Request, scope: ActingAdminScope, session: Session, body: NewUserBody
) -> UserOut | Response:
    """Create a user with a first grant: a role over the tenant, or over some of its sites, zones or groups.

    409 `EMAIL_TAKEN`: a user of this installation has this e-mail. 422 `SCOPE_REQUIRED`: a Customer without sites,
    zones and groups, and without `whole_tenant: true`. 422 `SCOPE_CONFLICT`: with both.
    """
    now = now_of(request)
    password = body.password.get_secret_value()
    new = users.NewUser(body.email, password, body.role, body.name, body.reach(), body.whole_tenant)
    try:
        return UserOut.of(await users.create_user(session, scope.actor, scope.tenant_id, new, now=now))
    except Conflict as error:  # reveals that the e-mail exists somewhere in the installation: recorded
        after = {"email": body.email.lower(), "error_code": error.error_code}
        await record(session, scope.actor, Action.USER_REFUSED, "user", tenant_id=scope.tenant_id, after=after, now=now)
        return exception_response(request.scope, error)


@router.get("/users/{user_id}", responses=errors(404))
async def get_user(_scope: AdminScope, session: ReadSession, user_id: UUID) -> UserDetail:
    """One user with their grants."""
    user = await accounts.get_user(session, user_id)
    held = await accounts.list_grants_of(session, user_id=user_id)
    return UserDetail(**dict(UserOut.of(user)), grants=[GrantOut.model_validate(grant) for grant in held])


@router.patch("/users/{user_id}", responses=errors(404, 409))
async def change_user(
    request: Request, scope: ActingAdminScope, session: Session, user_id: UUID, body: ChangeUserBody
) -> UserOut:
    """Rename, disable or enable a user. Disabling ends all sessions at once."""
    now = now_of(request)
    return UserOut.of(await users.change_user(session, scope.actor, user_id, name=body.name, state=body.state, now=now))


@router.delete("/users/{user_id}", status_code=204, responses=errors(404, 409))
async def delete_user(request: Request, scope: ActingAdminScope, session: Session, user_id: UUID) -> None:
    """Delete a user: sessions end, grants are removed, the audit log stays."""
    await users.delete_user(session, scope.actor, user_id, now=now_of(request))


@router.post("/users/{user_id}/password", status_code=204, responses=errors(404))
async def reset_password(
    request: Request, scope: ActingAdminScope, session: Session, user_id: UUID, body: NewPasswordBody
) -> None:
    """Set another user's password. All their sessions end.

    403 `OWN_ACCOUNT` for your own: use `/api/v1/auth/password` with the current one.
    """
    _check_other(scope, user_id, "change your own password with the current one: /api/v1/auth/password")
    new = body.new_password.get_secret_value()
    await users.set_password(session, scope.actor, user_id, new, now=now_of(request))


@router.post("/users/{user_id}/unlock", status_code=204, responses=errors(404))
async def unlock_user(request: Request, scope: ActingAdminScope, session: Session, user_id: UUID) -> None:
    """Unlock a user after too many failed logins."""
    await users.unlock_user(session, vault_of(request), scope.actor, user_id, now=now_of(request))


@router.post("/users/{user_id}/totp/reset", status_code=204, responses=errors(404))
async def reset_totp(request: Request, scope: ActingAdminScope, session: Session, user_id: UUID) -> None:
    """Remove the second factor of a user who lost the phone and the recovery codes. All their sessions end.

    403 `OWN_ACCOUNT` for your own: use `/api/v1/auth/totp/disable` with a code.
    """
    _check_other(scope, user_id, "turn your own second factor off with a code: /api/v1/auth/totp/disable")
    await second_factor.reset_totp(session, scope.actor, user_id, now=now_of(request))


def _check_other(scope: Scope, user_id: UUID, message: str) -> None:
    """A stolen session of an owner must not get around what protects that owner's account."""
    if scope.actor.id == str(user_id):
        raise Forbidden(message, code="OWN_ACCOUNT")


@router.get("/grants")
async def list_grants(scope: AdminScope, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> GrantList:
    """All grants of the tenant, of users and of keys."""
    page = await accounts.list_grants(session, scope, limit=limit, cursor=cursor)
    return GrantList(grants=[GrantOut.model_validate(grant) for grant in page.rows], next_cursor=page.next_cursor)


@router.post("/grants", status_code=201, responses=errors(404))
async def create_grant(request: Request, scope: ActingAdminScope, session: Session, body: NewGrantBody) -> GrantOut:
    """Add a role to a user. Grants add up. 422 `SCOPE_REQUIRED`, `SCOPE_CONFLICT` as for a new user."""
    user = await accounts.get_user(session, body.user_id)
    grant = await grants.create_grant(
        session,
        scope.actor,
        scope.tenant_id,
        body.role,
        body.reach(),
        whole_tenant=body.whole_tenant,
        user_id=user.id,
        now=now_of(request),
    )
    return GrantOut.model_validate(grant)


@router.delete("/grants/{grant_id}", status_code=204, responses=errors(404, 409))
async def delete_grant(request: Request, scope: ActingAdminScope, session: Session, grant_id: UUID) -> None:
    """Remove a grant; it stops counting with the next request."""
    await grants.delete_grant(session, scope.actor, grant_id, now=now_of(request))


@router.get("/tenants")
async def list_tenants(scope: AdminScope, session: ReadSession) -> TenantList:
    """The caller's own tenant: a list of one."""
    tenant = await accounts.find_tenant(session, scope.tenant_id)
    if tenant is None:
        raise NotFound("no such tenant")
    return TenantList(tenants=[TenantOut.model_validate(tenant)])


@router.patch("/tenants/{tenant_id}", responses=errors(404, 409))
async def change_tenant(
    request: Request, scope: ActingAdminScope, session: Session, tenant_id: UUID, body: ChangeTenantBody
) -> TenantOut:
    """Rename the tenant, or require a second factor of all users."""
    tenant = await tenants.change_tenant(
        session, scope.actor, tenant_id, name=body.name, require_totp=body.require_totp, now=now_of(request)
    )
    return TenantOut.model_validate(tenant)


@router.get("/api-keys")
async def list_api_keys(
    request: Request, scope: AdminScope, session: ReadSession, limit: Limit = 100, cursor: Cursor = None
) -> ApiKeyList:
    """The tenant's keys, also revoked ones. The secrets are not shown again."""
    page = await accounts.list_keys(session, scope, limit=limit, cursor=cursor)
    owners, now = await accounts.list_owners(session, scope.tenant_id), now_of(request)
    return ApiKeyList(api_keys=[ApiKeyOut.of(key, owners, now=now) for key in page.rows], next_cursor=page.next_cursor)


@router.post("/api-keys", status_code=201, responses=errors(404))
async def create_api_key(
    request: Request, scope: ActingAdminScope, session: Session, body: NewKeyBody
) -> CreatedApiKey:
    """Create a key with a role and scope of its own.

    It acts for you: you cannot approve what it requests, and it ends when you are no longer an owner. It cannot
    approve, nor change users, grants, keys and settings that protect the fleet. 422 `SCOPE_REQUIRED`,
    `SCOPE_CONFLICT` as for a new user.
    """
    now = now_of(request)
    key, secret = await keys.create_key(
        session,
        scope.actor,
        scope.tenant_id,
        name=body.name,
        role=body.role,
        reach=body.reach(),
        whole_tenant=body.whole_tenant,
        expires_at=body.expires_at,
        now=now,
    )
    created = ApiKeyOut.of(key, {key.user_id} if key.user_id else (), now=now)
    return CreatedApiKey(**dict(created), key=secret)


@router.delete("/api-keys/{key_id}", status_code=204, responses=errors(404))
async def revoke_api_key(request: Request, scope: ActingAdminScope, session: Session, key_id: UUID) -> None:
    """Revoke a key: it stops working with the next request."""
    await keys.revoke_key(session, scope.actor, key_id, now=now_of(request))
