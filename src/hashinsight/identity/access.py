"""The access code: who is calling, what may they do, and the scope that everything below asks for.

A route takes `scope: Annotated[Scope, allowed(Permission.SEE)]` and `session: Session` (or `ReadSession`); the session
is opened in the caller's tenant and sites, so that row-level security holds what the scope's predicate might forget.
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
from hashinsight.identity.caller import Caller, SessionUser
from hashinsight.identity.permissions import Permission
from hashinsight.identity.queries import find_api_key, find_session_user
from hashinsight.identity.scope import Scope
from hashinsight.identity.tokens import STEP_UP_LIFE, AccessToken, Proof, TokenExpired, read_access
from hashinsight.kit.clock import system_clock
from hashinsight.kit.crypto import Vault, token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Forbidden, RateLimited, Unauthenticated
from hashinsight.kit.networks import network_of
from hashinsight.kit.web.state import get_database, publish_changes

ACCESS_COOKIE = "hi_access"
CSRF_HEADER = "x-csrf-token"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORGED_ENTRIES_PER_MINUTE = 10
_TRIES_PER_MINUTE = 20  # hashing costs; that guessing ends is held by `service.proofs`


def now_of(request: Request) -> datetime:
    """The process's clock; the application may carry another one."""
    clock = getattr(request.app.state, "clock", system_clock)
    now: datetime = clock()
    return now


def vault_of(request: Request) -> Vault:
    vault: Vault = request.app.state.vault
    return vault


def anonymous_actor(request: Request) -> Actor:
    """Whoever is at the door, before we know them."""
    address = request.client.host if request.client else None
    return Actor(ActorKind.ANONYMOUS, None, request.state.request_id, address)


async def authenticate(request: Request) -> Caller:
    """The caller, by bearer token, API key or the console's cookie; 401 with its own code for everything else."""
    header = request.headers.get("authorization", "")
    key = request.headers.get("x-api-key")
    cookie = request.cookies.get(ACCESS_COOKIE)
    if header.lower().startswith("bearer "):
        return await _by_token(request, header[7:].strip())
    if key:
        return await _by_key(request, key)
    if cookie:
        principal = await _by_token(request, cookie)
        if request.method not in _SAFE:
            _check_csrf(request, principal)
        return principal
    raise Unauthenticated("sign in first: send a bearer token, an API key or the console's cookie")


async def _enrolled(principal: Annotated[Caller, Depends(authenticate)]) -> Caller:
    if principal.must_enrol:
        raise Forbidden("this tenant asks for a second factor: enrol one first", code="TOTP_ENROLMENT_REQUIRED")
    return principal


AnyCaller = Annotated[Caller, Depends(authenticate)]  # only for what an unenrolled user needs to enrol
CurrentCaller = Annotated[Caller, Depends(_enrolled)]


def allowed(permission: Permission, *, whole: bool = False, step_up: bool = False) -> Any:
    """A dependency: the caller's scope for this permission, or 401 or 403.

    `whole` is for what belongs to the tenant as such: the owner of one site must not make himself owner of all.
    """

    async def scope(request: Request, principal: CurrentCaller) -> Scope:
        found = principal.scope_for(permission)
        if whole and not found.is_whole:
            raise Forbidden(f"this is for those who may do it in the whole tenant: {permission.value}")
        if step_up:
            check_step_up(principal, now=now_of(request))
        return found

    return Depends(scope)


def check_step_up(principal: Caller, *, now: datetime) -> None:
    """For dangerous acts: shown at most five minutes ago, the second factor, or by whoever has none the password."""
    token = get_token(principal)
    wanted = Proof.TOTP if principal.has_totp else Proof.PASSWORD
    is_fresh = token.stepped_up_at is not None and now - token.stepped_up_at <= STEP_UP_LIFE
    if is_fresh and token.stepped_up_by is wanted:
        return
    message = "enter a code of your second factor for this" if principal.has_totp else "enter your password for this"
    raise Forbidden(message, code="STEP_UP_REQUIRED", details={"proof": wanted.value})


def get_token(principal: Caller) -> AccessToken:
    """Of a person who is signed in. A key stands for nobody who could show a password or a code."""
    if principal.token is None:
        raise Forbidden("an API key cannot do this: sign in as a person", code="PERSON_REQUIRED")
    return principal.token


def get_session_user(principal: Caller) -> SessionUser:
    return SessionUser(get_token(principal), principal.actor, principal.context())


async def _enrol_session(request: Request, principal: AnyCaller) -> AsyncIterator[AsyncSession]:
    async with get_database(request).transaction(principal.context()) as session:
        yield session


async def _session(request: Request, principal: CurrentCaller) -> AsyncIterator[AsyncSession]:
    async with get_database(request).transaction(principal.context()) as session:
        yield session
    publish_changes(request, session)


async def _read_session(request: Request, principal: CurrentCaller) -> AsyncIterator[AsyncSession]:
    async with get_database(request).reading(principal.context()) as session:
        yield session


Session = Annotated[AsyncSession, Depends(_session, scope="function")]
EnrolSession = Annotated[AsyncSession, Depends(_enrol_session, scope="function")]
ReadSession = Annotated[AsyncSession, Depends(_read_session, scope="function")]


async def count_attempt(request: Request, what: str, principal: Caller) -> None:
    """A guess at a code or a password by somebody who is signed in: a few a minute and session.

    By session: whoever stole one of a user's must not keep the others from a step-up.
    """
    who = principal.token.session_id if principal.token else principal.actor.id
    if not await request.app.state.rates.spend(f"{what}:{who}", _TRIES_PER_MINUTE):
        raise RateLimited("too many tries: wait a minute", retry_after_sec=60)


def csrf_token(vault: Vault, session_id: UUID) -> str:
    return vault.fingerprint("csrf", str(session_id)).hex()


def _check_csrf(request: Request, principal: Caller) -> None:
    given = request.headers.get(CSRF_HEADER, "")
    wanted = csrf_token(vault_of(request), principal.token.session_id) if principal.token else ""
    if not wanted or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise Forbidden("the console's cookie needs its CSRF token beside it", code="CSRF_FAILED")


async def _by_token(request: Request, text: str) -> Caller:
    now = now_of(request)
    try:
        token = read_access(vault_of(request), text, now=now)
    except TokenExpired:
        raise Unauthenticated("this access token has expired: refresh it", code="TOKEN_EXPIRED") from None
    if token is None:
        await _record_refused(request, None, "TOKEN_INVALID")
        raise Unauthenticated("this access token is not one of ours", code="TOKEN_INVALID")
    found = await find_session_user(get_database(request), token.tenant_id, token.user_id, token.session_id)
    if found is None or not found.is_active:
        await _record_refused(request, token, "USER_NOT_ACTIVE")
        raise Unauthenticated("this user may not sign in any more", code="USER_NOT_ACTIVE")
    if found.expires_at is None or found.revoked_at is not None or found.expires_at <= now:
        await _record_refused(request, token, "SESSION_REVOKED")
        raise Unauthenticated("this session was ended", code="SESSION_REVOKED")
    return Caller(
        tenant_id=token.tenant_id,
        actor=_known(request, ActorKind.USER, token.user_id),
        grants=found.grants,
        touched=found.touched,
        token=token,
        person_id=token.user_id,
        has_totp=found.has_totp,
        must_enrol=found.require_totp and not found.has_totp,
    )


async def _by_key(request: Request, key: str) -> Caller:
    found = await find_api_key(get_database(request), token_hash(key), now=now_of(request))
    if found is None:
        await _record_refused(request, None, "API_KEY_INVALID")
        raise Unauthenticated("this API key is not known, expired or revoked", code="API_KEY_INVALID")
    if not found.is_backed:
        await _record_refused(request, None, "API_KEY_ENDED", tenant_id=found.tenant_id, key_id=found.id)
        raise Unauthenticated("whoever made this API key is no longer an owner: make a new one", code="API_KEY_ENDED")
    actor = _known(request, ActorKind.API_KEY, found.id)
    return Caller(found.tenant_id, actor, found.grants, found.touched, person_id=found.user_id)


def _known(request: Request, kind: ActorKind, known_as: UUID) -> Actor:
    seen = anonymous_actor(request)
    return Actor(kind, str(known_as), seen.request_id, seen.address)


async def _record_refused(
    request: Request,
    token: AccessToken | None,
    code: str,
    *,
    tenant_id: UUID | None = None,
    key_id: UUID | None = None,
) -> None:
    """One entry for each, but not one for each of a flood: the metrics count those."""
    actor = anonymous_actor(request)
    if not await request.app.state.rates.spend(f"refused:{network_of(actor.address)}", _FORGED_ENTRIES_PER_MINUTE):
        return
    database: Database = get_database(request)
    tenant_id = token.tenant_id if token else tenant_id
    async with database.transaction(Context(tenant=str(tenant_id) if tenant_id else None)) as session:
        await record(
            session,
            actor,
            Action.TOKEN_REFUSED,
            "user" if key_id is None else "api_key",
            token.user_id if token else key_id,
            tenant_id=tenant_id,
            after={"error_code": code},
            now=now_of(request),
        )


_SHORT_BODY_BYTES = 64 * 1024


class AuthenticateFirst(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def known_first(request: Request) -> Response:
            if not _is_short(request):
                await authenticate(request)
            return await answer(request)

        return known_first


def _is_short(request: Request) -> bool:
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdecimal():
        return int(announced) <= _SHORT_BODY_BYTES
    return "transfer-encoding" not in request.headers
