"""Signing in and out, for programs (tokens) and for the console (http-only cookies with a CSRF token)."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity import queries
from hashinsight.identity.access import (
    ACCESS_COOKIE,
    AnyCaller,
    EnrolSession,
    anonymous_actor,
    check_step_up,
    count_attempt,
    csrf_token,
    get_session_user,
    now_of,
    vault_of,
)
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.permissions import Permission, Role, may
from hashinsight.identity.schemas import LoginBody, PasswordBody, RefreshBody, show_user
from hashinsight.identity.scope import Reach
from hashinsight.identity.service.login import Credentials, Tokens, login, logout, refresh
from hashinsight.identity.service.users import change_password
from hashinsight.identity.tokens import REFRESH_LIFE
from hashinsight.kit.errors import Forbidden, RateLimited, Unauthenticated
from hashinsight.kit.networks import network_of
from hashinsight.kit.web.error_handlers import error_response
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/v1/auth", tags=["auth"])

REFRESH_COOKIE = "hi_refresh"
_REFRESH_PATH = "/api/v1/auth"
_TRIES_PER_MINUTE = 30
_REFRESHES_PER_MINUTE = 120
_TOKENS = {"access_token": "eyJ…", "refresh_token": "hi_refresh_…", "expires_in": 900}


@router.post("/login", responses=answers(_TOKENS))
async def sign_in(request: Request, response: Response, body: LoginBody) -> Any:
    """Sign in with e-mail and password, and the code of the second factor where there is one.

    Refusals: `INVALID_CREDENTIALS`, `TOTP_REQUIRED`, `TOTP_WRONG`, `TOTP_REPLAYED` (401); `LOGIN_SLOWED`,
    `LOGIN_LOCKED` (too many wrong passwords for this account from this network) and `TOTP_LOCKED` (429, with
    `Retry-After`). For a user without a second factor, dangerous acts need no step-up for the first five minutes.
    """
    vault, actor = vault_of(request), anonymous_actor(request)
    email = body.email.lower()
    # by address alone: a limit by e-mail would let strangers keep its owner out
    if not await request.app.state.rates.spend(f"login-from:{network_of(actor.address)}", _TRIES_PER_MINUTE):
        raise RateLimited("too many logins: wait a minute", retry_after_sec=60)
    given = Credentials(
        email=email,
        password=body.password.get_secret_value(),
        code=body.totp_code,
        kind="cookie" if body.cookie else "token",
        user_agent=request.headers.get("user-agent"),
    )
    result = await login(get_database(request), vault, actor, given, now=now_of(request))
    return _answer(request, response, result, by_cookie=body.cookie)


@router.post("/refresh", responses=answers(_TOKENS))
async def renew(request: Request, response: Response, body: RefreshBody) -> Any:
    """A new pair of tokens for an unused refresh token, from the body or from the console's cookie.

    Each is good for once: using one a second time ends the whole session (`REFRESH_REUSED`).
    """
    given = body.refresh_token.get_secret_value() if body.refresh_token else None
    cookie = request.cookies.get(REFRESH_COOKIE)
    if given is None and cookie is not None and request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise Forbidden("the console's cookie is taken from the console alone", code="CSRF_FAILED")
    if not await request.app.state.rates.spend(
        f"refresh-from:{network_of(anonymous_actor(request).address)}", _REFRESHES_PER_MINUTE
    ):
        raise RateLimited("too many refreshes: wait a minute", retry_after_sec=60)
    token = given or cookie
    if token is None:
        raise Unauthenticated("a refresh token is missing", code="REFRESH_UNKNOWN")
    result = await refresh(
        get_database(request), vault_of(request), anonymous_actor(request), token, now=now_of(request)
    )
    return _answer(request, response, result, by_cookie=given is None)


@router.post("/logout", status_code=204)
async def sign_out(request: Request, response: Response, principal: AnyCaller, session: EnrolSession) -> None:
    """End this session: its refresh token and its access tokens are refused from now on."""
    if principal.token is None:
        raise Forbidden("an API key has no session: revoke it instead")
    now = now_of(request)
    await logout(session, principal.actor, principal.tenant_id, principal.token.session_id, now=now)
    response.delete_cookie(ACCESS_COOKIE)
    response.delete_cookie(REFRESH_COOKIE, path=_REFRESH_PATH)


@router.get(
    "/me",
    responses=answers(
        {
            "tenant_id": "01980f7e-0000-7000-8000-000000000001",
            "actor": {"kind": "user", "id": "01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a11"},
            "user": {"email": "ops@example.com", "name": "Ops"},
            "grants": [
                {
                    "role": "OpsManager",
                    "site_ids": None,
                    "zone_ids": [4],
                    "group_ids": None,
                    "touches": [3],
                    "may": ["acknowledge", "command", "see"],
                }
            ],
            "may": ["acknowledge", "command", "see"],
            "must_enrol_totp": False,
            "csrf_token": None,
        }
    ),
)
async def me(request: Request, principal: AnyCaller) -> dict[str, Any]:
    """Who the caller is, with which roles over which scope; `may` names what one of the grants allows somewhere.

    A grant's own `may` holds at the sites that it `touches`, or everywhere when that is null; of a site that it touches
    by a zone or a group, only for the machines of these.
    """
    user: dict[str, Any] | None = None
    csrf: str | None = None
    async with get_database(request).reading(principal.context()) as session:
        grants = [await _show_grant(session, role, reach) for role, reach in principal.grants]
        if principal.token is not None:
            found = await queries.find_user(session, principal.token.user_id)
            user = show_user(found) if found else None
    if principal.token is not None:
        csrf = csrf_token(vault_of(request), principal.token.session_id)
    return {
        "tenant_id": str(principal.tenant_id),
        "actor": {"kind": principal.actor.kind.value, "id": principal.actor.id},
        "user": user,
        "grants": grants,
        "may": sorted({right for grant in grants for right in grant["may"]}),
        "must_enrol_totp": principal.must_enrol,
        "csrf_token": csrf,
    }


async def _show_grant(session: AsyncSession, role: Role, reach: Reach) -> dict[str, Any]:
    parts = await queries.list_sites_of_parts(session, reach.zones or (), reach.groups or ())
    return {
        "role": role.value,
        "site_ids": reach.sites,
        "zone_ids": reach.zones,
        "group_ids": reach.groups,
        "touches": None if reach.is_whole else sorted({*(reach.sites or ()), *parts}),
        "may": sorted(one.name.lower() for one in Permission if may(role, one)),
    }


@router.post("/password", status_code=204, response_class=Response)
async def set_own_password(request: Request, principal: AnyCaller, body: PasswordBody) -> Response:
    """Change one's own password, with the old one. Every other session of this user ends.

    Whoever has a second factor shows it again before (`STEP_UP_REQUIRED`). After five wrong passwords `PASSWORD_LOCKED`
    (429, with `Retry-After`).
    """
    person, now = get_session_user(principal), now_of(request)
    if principal.has_totp:
        check_step_up(principal, now=now)
    await count_attempt(request, "password", principal)
    refused = await change_password(
        get_database(request),
        vault_of(request),
        person,
        old=body.old_password.get_secret_value(),
        new=body.new_password.get_secret_value(),
        now=now,
    )
    return Response(status_code=204) if refused is None else refusal(request, refused)


def refusal(request: Request, refused: AccessRefusal) -> JSONResponse:
    """A recorded refusal as an answer: returned, so that the record is committed."""
    return error_response(
        request.scope, refused.status, refused.code, refused.message, retry_after_sec=refused.retry_after_sec
    )


def _answer(request: Request, response: Response, result: Tokens | AccessRefusal, *, by_cookie: bool) -> Any:
    if isinstance(result, AccessRefusal):
        return refusal(request, result)
    if not by_cookie:
        return {
            "access_token": result.access_token,
            "refresh_token": result.refresh_token,
            "expires_in": result.expires_in,
        }
    set_cookies(request, response, result.access_token, result.refresh_token)
    return {"expires_in": result.expires_in, "csrf_token": _csrf(request, result.session_id)}


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


def _csrf(request: Request, session_id: UUID) -> str:
    return csrf_token(vault_of(request), session_id)
