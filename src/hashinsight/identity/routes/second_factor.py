"""Second factor: set up, confirm, turn off, and step up before dangerous actions."""

from fastapi import APIRouter, Request, Response

from hashinsight.identity.access import ACCESS_COOKIE, AnyCaller, EnrolSession, now_of, vault_of
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.routes.auth import count_attempt, refusal_response, set_cookies
from hashinsight.identity.schemas.login import (
    AccessTokenOut,
    CookieRefreshed,
    CurrentPasswordBody,
    RecoveryCodes,
    StepUpBody,
    TotpCodeBody,
    TotpSecret,
)
from hashinsight.identity.service import second_factor
from hashinsight.identity.tokens import ACCESS_LIFE
from hashinsight.kit.web.responses import errors
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/v1/auth", tags=["auth"])


@router.post("/totp/begin", response_model=TotpSecret, responses=errors(409))
async def begin_totp(request: Request, caller: AnyCaller, body: CurrentPasswordBody) -> TotpSecret | Response:
    """Create a new secret for an authenticator app; needs the password. A first code confirms it.

    `INVALID_CREDENTIALS` (403); after five wrong passwords `PASSWORD_LOCKED` (429, with `Retry-After`).
    """
    caller.get_token()
    await count_attempt(request, "password", caller)
    password = body.password.get_secret_value()
    result = await second_factor.begin_totp(
        get_database(request), vault_of(request), caller, password, now=now_of(request)
    )
    if isinstance(result, AccessRefusal):
        return refusal_response(request, result)
    secret, uri = result
    return TotpSecret(secret=secret, uri=uri)


@router.post("/totp/confirm", response_model=RecoveryCodes, responses=errors(409))
async def confirm_totp(
    request: Request, caller: AnyCaller, session: EnrolSession, body: TotpCodeBody
) -> RecoveryCodes | Response:
    """Turn the second factor on. The recovery codes are shown this once."""
    await count_attempt(request, "totp", caller)
    result = await second_factor.confirm_totp(session, vault_of(request), caller, body.code, now=now_of(request))
    if isinstance(result, AccessRefusal):
        return refusal_response(request, result)
    return RecoveryCodes(recovery_codes=result)


@router.post("/totp/disable", status_code=204)
async def disable_totp(request: Request, caller: AnyCaller, session: EnrolSession) -> None:
    """Turn the second factor off; needs a step-up."""
    now = now_of(request)
    caller.check_step_up(now=now)
    await second_factor.disable_totp(session, caller.actor, caller.get_token().user_id, now=now)


@router.post("/step-up", response_model=AccessTokenOut | CookieRefreshed, responses=errors(409))
async def step_up(
    request: Request, response: Response, caller: AnyCaller, body: StepUpBody
) -> AccessTokenOut | CookieRefreshed | Response:
    """Enter the second factor again, or the password without one: allows dangerous actions for five minutes.

    Needed where an answer is 403 `STEP_UP_REQUIRED`; its `details.proof` says which of the two. After five wrong ones
    `TOTP_LOCKED` or `PASSWORD_LOCKED` (429, with `Retry-After`) for this session; the next wrong one ends the session.
    """
    caller.get_token()
    await count_attempt(request, "totp", caller)
    proof = second_factor.GivenProof(body.code, None if body.password is None else body.password.get_secret_value())
    result = await second_factor.step_up(get_database(request), vault_of(request), caller, proof, now=now_of(request))
    if isinstance(result, AccessRefusal):
        return refusal_response(request, result)
    expires_in = int(ACCESS_LIFE.total_seconds())
    if ACCESS_COOKIE in request.cookies and "authorization" not in request.headers:
        set_cookies(request, response, result)
        return CookieRefreshed(expires_in=expires_in)
    return AccessTokenOut(access_token=result, expires_in=expires_in)
