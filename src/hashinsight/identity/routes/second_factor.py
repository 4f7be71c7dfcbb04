"""The second factor: enrol, confirm, disable, and show again before dangerous acts."""

from typing import Any

from fastapi import APIRouter, Request, Response

from hashinsight.identity.access import (
    ACCESS_COOKIE,
    AnyCaller,
    EnrolSession,
    check_step_up,
    count_attempt,
    get_session_user,
    get_token,
    now_of,
    vault_of,
)
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.routes.auth import refusal, set_cookies
from hashinsight.identity.schemas import CodeBody, OldPasswordBody, StepUpBody
from hashinsight.identity.service import second_factor
from hashinsight.identity.tokens import ACCESS_LIFE
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/v1/auth", tags=["auth"])


@router.post(
    "/totp/begin",
    responses=answers({"secret": "JBSWY3DPEHPK3PXP", "uri": "otpauth://totp/HashInsight:ops%40example.com?secret=…"}),
)
async def begin(request: Request, principal: AnyCaller, body: OldPasswordBody) -> Any:
    """A new secret for the authenticator, for the password. It counts once a first code has confirmed it.

    `INVALID_CREDENTIALS` (403), and after five wrong passwords `PASSWORD_LOCKED` (429, with `Retry-After`).
    """
    person, password = get_session_user(principal), body.password.get_secret_value()
    await count_attempt(request, "password", principal)
    database, vault = get_database(request), vault_of(request)
    result = await second_factor.begin_totp(database, vault, person, password, now=now_of(request))
    return refusal(request, result) if isinstance(result, AccessRefusal) else {"secret": result[0], "uri": result[1]}


@router.post("/totp/confirm", responses=answers({"recovery_codes": ["ABCDE-23456", "FGHJK-34567"]}))
async def confirm(request: Request, principal: AnyCaller, session: EnrolSession, body: CodeBody) -> Any:
    """Turn the second factor on. The recovery codes are shown this once."""
    await count_attempt(request, "totp", principal)
    result = await second_factor.confirm_totp(
        session, vault_of(request), principal.actor, get_token(principal), body.code, now=now_of(request)
    )
    return refusal(request, result) if isinstance(result, AccessRefusal) else {"recovery_codes": result}


@router.post("/totp/disable", status_code=204)
async def disable(request: Request, principal: AnyCaller, session: EnrolSession) -> None:
    """Turn the second factor off, after having shown it again."""
    now = now_of(request)
    check_step_up(principal, now=now)
    await second_factor.disable_totp(session, principal.actor, get_token(principal).user_id, now=now)


@router.post("/step-up", responses=answers({"access_token": "eyJ…", "expires_in": 900}))
async def step_up(request: Request, response: Response, principal: AnyCaller, body: StepUpBody) -> Any:
    """Show the second factor again, or the password where there is none: good for dangerous acts for five minutes.

    Needed where a refusal says `STEP_UP_REQUIRED`; its `details.proof` says which of both. After five wrong ones
    `TOTP_LOCKED` or `PASSWORD_LOCKED` (429, with `Retry-After`), for this session alone; one more
    wrong one after that ends the session.
    """
    person, given = get_session_user(principal), body.password
    await count_attempt(request, "totp", principal)
    shown = second_factor.GivenProof(body.code, None if given is None else given.get_secret_value())
    database, vault = get_database(request), vault_of(request)
    result = await second_factor.step_up(database, vault, person, shown, now=now_of(request))
    if isinstance(result, AccessRefusal):
        return refusal(request, result)
    if ACCESS_COOKIE in request.cookies and "authorization" not in request.headers:
        set_cookies(request, response, result)
        return {"expires_in": int(ACCESS_LIFE.total_seconds())}
    return {"access_token": result, "expires_in": int(ACCESS_LIFE.total_seconds())}
