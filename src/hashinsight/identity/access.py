"""Access: who is calling, what they may do, and the database session that shows their rows only.

A route takes `scope: Annotated[Scope, allowed(Permission.SEE)]` and `session: Session` (or `ReadSession`). The session
is opened in the caller's tenant and sites: row-level security backs up every query that forgets the scope's predicate.
"""

import hmac
from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.identity.queries.sessions import find_api_key, find_session_user
from hashinsight.identity.scope import Scope
from hashinsight.identity.tokens import AccessToken, TokenExpired, read_access
from hashinsight.kit.clock import system_clock
from hashinsight.kit.crypto import Vault, token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import Forbidden, Unauthenticated
from hashinsight.kit.networks import network_of
from hashinsight.kit.web.state import get_database, publish_changes

ACCESS_COOKIE = "hi_access"
CSRF_HEADER = "x-csrf-token"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_REFUSALS_RECORDED_PER_MINUTE = 10
_SHORT_BODY_BYTES = 64 * 1024


def now_of(request: Request) -> datetime:
    """The time by the process's clock; tests give the application another clock."""
    clock = getattr(request.app.state, "clock", system_clock)
    now: datetime = clock()
    return now


def vault_of(request: Request) -> Vault:
    vault: Vault = request.app.state.vault
    return vault


def anonymous_actor(request: Request) -> Actor:
    """A client that has not signed in yet."""
    address = request.client.host if request.client else None
    return Actor(ActorKind.ANONYMOUS, None, request.state.request_id, address)


async def authenticate(request: Request) -> Caller:
    """The caller, by bearer token, API key or the console's cookie; 401 with a code of its own for everything else."""
    header = request.headers.get("authorization", "")
    key = request.headers.get("x-api-key")
    cookie = request.cookies.get(ACCESS_COOKIE)
    if header.lower().startswith("bearer "):
        return await _authenticate_token(request, header[7:].strip())
    if key:
        return await _authenticate_key(request, key)
    if cookie:
        caller = await _authenticate_token(request, cookie)
        if request.method not in _SAFE_METHODS:
            _check_csrf(request, caller)
        return caller
    raise Unauthenticated("not signed in: send a bearer token, an API key or the console's cookie")


async def _check_enrolled(caller: Annotated[Caller, Depends(authenticate)]) -> Caller:
    if caller.must_enrol:
        raise Forbidden("this tenant requires a second factor: set one up first", code="TOTP_ENROLMENT_REQUIRED")
    return caller


AnyCaller = Annotated[Caller, Depends(authenticate)]  # only for what a user without a second factor needs to set one up
CurrentCaller = Annotated[Caller, Depends(_check_enrolled)]


def allowed(permission: Permission, *, whole: bool = False, step_up: bool = False) -> Any:
    """A dependency: the caller's scope for this permission, or 401 or 403.

    `whole` is for what belongs to the tenant itself: the owner of one site must not become the owner of all.
    """

    async def scope_of(request: Request, caller: CurrentCaller) -> Scope:
        scope = caller.scope_for(permission)
        if whole and not scope.is_whole:
            raise Forbidden(f"this needs a role for the whole tenant: {permission.description}")
        if step_up:
            caller.check_step_up(now=now_of(request))
        return scope

    return Depends(scope_of)


async def _enrol_session(request: Request, caller: AnyCaller) -> AsyncIterator[AsyncSession]:
    async with get_database(request).transaction(caller.context()) as session:
        yield session


async def _session(request: Request, caller: CurrentCaller) -> AsyncIterator[AsyncSession]:
    async with get_database(request).transaction(caller.context()) as session:
        yield session
    publish_changes(request, session)


async def _read_session(request: Request, caller: CurrentCaller) -> AsyncIterator[AsyncSession]:
    async with get_database(request).reading(caller.context()) as session:
        yield session


Session = Annotated[AsyncSession, Depends(_session, scope="function")]
EnrolSession = Annotated[AsyncSession, Depends(_enrol_session, scope="function")]
ReadSession = Annotated[AsyncSession, Depends(_read_session, scope="function")]


def csrf_token(vault: Vault, session_id: UUID) -> str:
    return vault.fingerprint("csrf", str(session_id)).hex()


def _check_csrf(request: Request, caller: Caller) -> None:
    given = request.headers.get(CSRF_HEADER, "")
    expected = csrf_token(vault_of(request), caller.token.session_id) if caller.token else ""
    if not expected or not hmac.compare_digest(given.encode(), expected.encode()):
        raise Forbidden("the console's cookie was sent without its CSRF token", code="CSRF_FAILED")


async def _authenticate_token(request: Request, text: str) -> Caller:
    now = now_of(request)
    try:
        token = read_access(vault_of(request), text, now=now)
    except TokenExpired:
        raise Unauthenticated("this access token has expired: refresh it", code="TOKEN_EXPIRED") from None
    if token is None:
        await _record_refusal(request, "TOKEN_INVALID", entity_type="user")
        raise Unauthenticated("this access token was not issued here", code="TOKEN_INVALID")
    user = await find_session_user(get_database(request), token.tenant_id, token.user_id, token.session_id)
    if user is None or not user.is_active:
        await _record_token_refusal(request, token, "USER_NOT_ACTIVE")
        raise Unauthenticated("this user is disabled or deleted", code="USER_NOT_ACTIVE")
    if user.expires_at is None or user.revoked_at is not None or user.expires_at <= now:
        await _record_token_refusal(request, token, "SESSION_REVOKED")
        raise Unauthenticated("this session has ended: sign in again", code="SESSION_REVOKED")
    return Caller(
        tenant_id=token.tenant_id,
        actor=_actor(request, ActorKind.USER, token.user_id),
        grants=user.grants,
        touched=user.touched,
        token=token,
        person_id=token.user_id,
        has_totp=user.has_totp,
        must_enrol=user.require_totp and not user.has_totp,
    )


async def _authenticate_key(request: Request, secret: str) -> Caller:
    key = await find_api_key(get_database(request), token_hash(secret), now=now_of(request))
    if key is None:
        await _record_refusal(request, "API_KEY_INVALID", entity_type="user")
        raise Unauthenticated("this API key is unknown, expired or revoked", code="API_KEY_INVALID")
    if not key.is_backed:
        await _record_refusal(
            request, "API_KEY_ENDED", entity_type="api_key", entity_id=key.id, tenant_id=key.tenant_id
        )
        message = "the user who created this API key is no longer an owner: create a new key"
        raise Unauthenticated(message, code="API_KEY_ENDED")
    actor = _actor(request, ActorKind.API_KEY, key.id)
    return Caller(key.tenant_id, actor, key.grants, key.touched, person_id=key.user_id)


def _actor(request: Request, kind: ActorKind, actor_id: UUID) -> Actor:
    client = anonymous_actor(request)
    return Actor(kind, str(actor_id), client.request_id, client.address)


async def _record_token_refusal(request: Request, token: AccessToken, code: str) -> None:
    await _record_refusal(request, code, entity_type="user", entity_id=token.user_id, tenant_id=token.tenant_id)


async def _record_refusal(
    request: Request, code: str, *, entity_type: str, entity_id: UUID | None = None, tenant_id: UUID | None = None
) -> None:
    """One audit entry each, up to a limit: a flood is only counted in the metrics."""
    actor = anonymous_actor(request)
    if not await request.app.state.rates.spend(f"refused:{network_of(actor.address)}", _REFUSALS_RECORDED_PER_MINUTE):
        return
    context = Context(tenant=str(tenant_id) if tenant_id else None)
    async with get_database(request).transaction(context) as session:
        await record(
            session,
            actor,
            Action.TOKEN_REFUSED,
            entity_type,
            entity_id,
            tenant_id=tenant_id,
            after={"error_code": code},
            now=now_of(request),
        )


class AuthenticateFirst(APIRoute):
    """For routes with large bodies: authenticates before the body is read.

    FastAPI parses the body before it calls the dependencies, so an anonymous client could make the server parse
    megabytes. Short bodies are left to FastAPI: authenticating twice costs more than parsing them.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def authenticate_first(request: Request) -> Response:
            if not _has_short_body(request):
                await authenticate(request)
            return await handler(request)

        return authenticate_first


def _has_short_body(request: Request) -> bool:
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdecimal():
        return int(length) <= _SHORT_BODY_BYTES
    return "transfer-encoding" not in request.headers
