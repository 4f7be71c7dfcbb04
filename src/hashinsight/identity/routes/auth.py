"""Signing in and out: programs with tokens, the console with http-only cookies and a CSRF token."""

from typing import Literal

from fastapi import APIRouter, Request, Response
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.access import (
    ACCESS_COOKIE,
    AnyCaller,
    EnrolSession,
    anonymous_actor,
    csrf_token,
    now_of,
    vault_of,
)
from hashinsight.identity.caller import AccessRefusal, Caller
from hashinsight.identity.permissions import Permission, Role, may
from hashinsight.identity.queries import accounts
from hashinsight.identity.schemas.accounts import UserOut
from hashinsight.identity.schemas.login import (
    ActorOut,
    CallerGrant,
    CallerOut,
    CookieSession,
    LoginBody,
    PasswordBody,
    RefreshBody,
    TokenPair,
)
from hashinsight.identity.scope import Reach
from hashinsight.identity.service.login import Credentials, Tokens, login, logout, refresh
from hashinsight.identity.service.users import change_password
from hashinsight.identity.tokens import REFRESH_LIFE
from hashinsight.kit.errors import Forbidden, RateLimited, Unauthenticated
from hashinsight.kit.networks import network_of
from hashinsight.kit.web.error_handlers import error_response
from hashinsight.kit.web.responses import errors
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/v1/auth", tags=["auth"])

REFRESH_COOKIE = "hi_refresh"
_REFRESH_PATH = "/api/v1/auth"
_LOGINS_PER_MINUTE = 30
_REFRESHES_PER_MINUTE = 120
_ATTEMPTS_PER_MINUTE = 20  # hashing is expensive; `service.proofs` is what stops guessing


@router.post("/login", response_model=TokenPair | CookieSession, responses=errors(401))
async def sign_in(request: Request, response: Response, body: LoginBody) -> TokenPair | CookieSession | Response:
    """Sign in with e-mail and password, and a code of the second factor where there is one.

    Errors: `INVALID_CREDENTIALS`, `TOTP_REQUIRED`, `TOTP_WRONG`, `TOTP_REPLAYED` (401); `LOGIN_SLOWED`,
    `LOGIN_LOCKED` (too many wrong passwords for this account from this network) and `TOTP_LOCKED` (429, with
    `Retry-After`). Without a second factor, dangerous actions need no step-up for the first five minutes.
    """
    actor = anonymous_actor(request)
    # by address only: a limit by e-mail would let strangers lock its owner out
    if not await request.app.state.rates.spend(f"login-from:{network_of(actor.address)}", _LOGINS_PER_MINUTE):
        raise RateLimited("too many logins: wait a minute", retry_after_sec=60)
    credentials = Credentials(
        email=body.email.lower(),
        password=body.password.get_secret_value(),
        code=body.totp_code,
        kind="cookie" if body.cookie else "token",
        user_agent=request.headers.get("user-agent"),
    )
    result = await login(get_database(request), vault_of(request), actor, credentials, now=now_of(request))
    return _token_response(request, response, result, by_cookie=body.cookie)


@router.post("/refresh", response_model=TokenPair | CookieSession, responses=errors(401, 403))
async def refresh_tokens(
    request: Request, response: Response, body: RefreshBody
) -> TokenPair | CookieSession | Response:
    """New tokens for an unused refresh token, from the body or from the console's cookie.

    A refresh token is good for one use: using it again ends the session (`REFRESH_REUSED`).
    """
    given = body.refresh_token.get_secret_value() if body.refresh_token else None
    cookie = request.cookies.get(REFRESH_COOKIE)
    if given is None and cookie is not None and request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise Forbidden("the console's cookie is accepted from the console only", code="CSRF_FAILED")
    actor = anonymous_actor(request)
    if not await request.app.state.rates.spend(f"refresh-from:{network_of(actor.address)}", _REFRESHES_PER_MINUTE):
        raise RateLimited("too many refreshes: wait a minute", retry_after_sec=60)
    token = given or cookie
    if token is None:
        raise Unauthenticated("no refresh token was sent", code="REFRESH_UNKNOWN")
    result = await refresh(get_database(request), vault_of(request), actor, token, now=now_of(request))
    return _token_response(request, response, result, by_cookie=given is None)


@router.post("/logout", status_code=204)
async def sign_out(request: Request, response: Response, caller: AnyCaller, session: EnrolSession) -> None:
    """End this session: its refresh token and its access tokens stop working at once."""
    if caller.token is None:
        raise Forbidden("an API key has no session: revoke it instead")
    await logout(session, caller.actor, caller.tenant_id, caller.token.session_id, now=now_of(request))
    response.delete_cookie(ACCESS_COOKIE)
    response.delete_cookie(REFRESH_COOKIE, path=_REFRESH_PATH)


@router.get("/me")
async def get_caller(request: Request, caller: AnyCaller) -> CallerOut:
    """The caller with roles and scopes; `may` lists what any of the grants allows somewhere.

    A grant's own `may` applies at the sites that it `touches`, or everywhere when that is null; at a site that it
    touches by a zone or a group, only for the machines of those.
    """
    user = csrf = None
    async with get_database(request).reading(caller.context()) as session:
        grants = [await _caller_grant(session, role, reach) for role, reach in caller.grants]
        if caller.token is not None:
            user = await accounts.find_user(session, caller.token.user_id)
            csrf = csrf_token(vault_of(request), caller.token.session_id)
    return CallerOut(
        tenant_id=caller.tenant_id,
        actor=ActorOut(kind=caller.actor.kind, id=caller.actor.id),
        user=UserOut.of(user) if user else None,
        grants=grants,
        may=sorted({permission for grant in grants for permission in grant.may}),
        must_enrol_totp=caller.must_enrol,
        csrf_token=csrf,
    )


async def _caller_grant(session: AsyncSession, role: Role, reach: Reach) -> CallerGrant:
    part_sites = await accounts.list_sites_of_parts(session, reach.zones or (), reach.groups or ())
    return CallerGrant(
        role=role,
        site_ids=_listed(reach.sites),
        zone_ids=_listed(reach.zones),
        group_ids=_listed(reach.groups),
        touches=None if reach.is_whole else sorted({*(reach.sites or ()), *part_sites}),
        may=sorted(permission for permission in Permission if may(role, permission)),
    )


def _listed(ids: tuple[int, ...] | None) -> list[int] | None:
    return None if ids is None else list(ids)


@router.post("/password", status_code=204, response_class=Response)
async def change_own_password(request: Request, caller: AnyCaller, body: PasswordBody) -> Response:
    """Change your own password; needs the current one. Your other sessions end.

    With a second factor it needs a step-up (`STEP_UP_REQUIRED`). After five wrong passwords `PASSWORD_LOCKED` (429,
    with `Retry-After`).
    """
    now = now_of(request)
    caller.get_token()
    if caller.has_totp:
        caller.check_step_up(now=now)
    await count_attempt(request, "password", caller)
    refusal = await change_password(
        get_database(request),
        vault_of(request),
        caller,
        old=body.old_password.get_secret_value(),
        new=body.new_password.get_secret_value(),
        now=now,
    )
    return Response(status_code=204) if refusal is None else refusal_response(request, refusal)


async def count_attempt(request: Request, proof: Literal["password", "totp"], caller: Caller) -> None:
    """Limits attempts at a code or a password per session: a stolen session must not block the user's others."""
    holder = caller.token.session_id if caller.token else caller.actor.id
    if not await request.app.state.rates.spend(f"{proof}:{holder}", _ATTEMPTS_PER_MINUTE):
        raise RateLimited("too many attempts: wait a minute", retry_after_sec=60)


def refusal_response(request: Request, refusal: AccessRefusal) -> Response:
    """A recorded refusal is returned, not raised, so that its audit entry is committed."""
    return error_response(
        request.scope, refusal.status, refusal.code, refusal.message, retry_after_sec=refusal.retry_after_sec
    )


def _token_response(
    request: Request, response: Response, result: Tokens | AccessRefusal, *, by_cookie: bool
) -> TokenPair | CookieSession | Response:
    if isinstance(result, AccessRefusal):
        return refusal_response(request, result)
    if not by_cookie:
        return TokenPair(
            access_token=result.access_token, refresh_token=result.refresh_token, expires_in=result.expires_in
        )
    set_cookies(request, response, result.access_token, result.refresh_token)
    return CookieSession(expires_in=result.expires_in, csrf_token=csrf_token(vault_of(request), result.session_id))


def set_cookies(request: Request, response: Response, access: str, refresh_token: str | None = None) -> None:
    secure = request.url.scheme == "https"
    life = int(REFRESH_LIFE.total_seconds())
    response.set_cookie(ACCESS_COOKIE, access, max_age=life, httponly=True, secure=secure, samesite="strict")
    if refresh_token is not None:
        response.set_cookie(
            REFRESH_COOKIE,
            refresh_token,
            max_age=life,
            path=_REFRESH_PATH,
            httponly=True,
            secure=secure,
            samesite="strict",
        )
