"""The second factor: enrol, confirm, disable, and show again before dangerous acts."""

from typing import Any

from fastapi import APIRouter, Request, Response

from hashinsight.identity.access import (
    ACCESS_COOKIE,
    AnyPrincipal,
    EnrolSession,
    check_step_up,
    now_of,
    spend_try,
    vault_of,
)
from hashinsight.identity.claims import AccessToken
from hashinsight.identity.refusals import Refused
from hashinsight.identity.routes.auth import refusal, set_cookies
from hashinsight.identity.schemas import CodeBody
from hashinsight.identity.service import second_factor
from hashinsight.identity.tokens import ACCESS_LIFE
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.web.examples import answers

router = APIRouter(prefix="/api/v1/auth", tags=["auth"])


def _token(principal: AnyPrincipal) -> AccessToken:
    if principal.token is None:
        raise Forbidden("an API key has no second factor")
    return principal.token


@router.post(
    "/totp/begin",
    responses=answers({"secret": "JBSWY3DPEHPK3PXP", "uri": "otpauth://totp/HashInsight:ops%40example.com?secret=…"}),
)
async def begin(request: Request, principal: AnyPrincipal, session: EnrolSession) -> dict[str, str]:
    """A new secret for the authenticator. It counts once a first code has confirmed it."""
    user_id = _token(principal).user_id
    secret, uri = await second_factor.begin(session, vault_of(request), principal.actor, user_id, now=now_of(request))
    return {"secret": secret, "uri": uri}


@router.post("/totp/confirm", responses=answers({"recovery_codes": ["ABCDE-23456", "FGHJK-34567"]}))
async def confirm(request: Request, principal: AnyPrincipal, session: EnrolSession, body: CodeBody) -> Any:
    """Turn the second factor on. The recovery codes are shown this once."""
    await spend_try(request, "totp", principal)
    result = await second_factor.confirm(
        session, vault_of(request), principal.actor, _token(principal).user_id, body.code, now=now_of(request)
    )
    return refusal(request, result) if isinstance(result, Refused) else {"recovery_codes": result}


@router.post("/totp/disable", status_code=204)
async def disable(request: Request, principal: AnyPrincipal, session: EnrolSession) -> None:
    """Turn the second factor off, after having shown it again."""
    now = now_of(request)
    check_step_up(principal, now=now)
    await second_factor.disable(session, principal.actor, _token(principal).user_id, now=now)


@router.post("/step-up", responses=answers({"access_token": "eyJ…", "expires_in": 900}))
async def step_up(
    request: Request, response: Response, principal: AnyPrincipal, session: EnrolSession, body: CodeBody
) -> Any:
    """Show the second factor again: the new access token is good for dangerous acts for five minutes."""
    await spend_try(request, "totp", principal)
    result = await second_factor.step_up(
        session, vault_of(request), principal.actor, _token(principal), body.code, now=now_of(request)
    )
    if isinstance(result, Refused):
        return refusal(request, result)
    if ACCESS_COOKIE in request.cookies and "authorization" not in request.headers:
        set_cookies(request, response, result)
        return {"expires_in": int(ACCESS_LIFE.total_seconds())}
    return {"access_token": result, "expires_in": int(ACCESS_LIFE.total_seconds())}
