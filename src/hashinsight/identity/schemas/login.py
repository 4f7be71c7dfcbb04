"""Bodies and answers of the routes about signing in, second factors and the caller."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, Field, SecretStr, StringConstraints, model_validator

from hashinsight.audit.actions import ActorKind
from hashinsight.identity.permissions import Permission, Role
from hashinsight.identity.schemas.accounts import Email, Password, UserOut, example

Code = Annotated[str, StringConstraints(strip_whitespace=True, min_length=6, max_length=16, pattern=r"^[0-9A-Za-z-]+$")]


class LoginBody(BaseModel):
    model_config = example(email="ops@example.com", password="correct horse battery", totp_code="123456")

    email: Email
    password: Password
    totp_code: Code | None = None
    cookie: bool = Field(False, description="Sign in a browser: tokens go into http-only cookies.")  # noqa: FBT003


class RefreshBody(BaseModel):
    model_config = example(refresh_token="hi_refresh_…")

    refresh_token: SecretStr | None = Field(None, max_length=200)


class TotpCodeBody(BaseModel):
    model_config = example(code="123456")

    code: Code


class StepUpBody(BaseModel):
    """A code of the second factor, or the password where there is none."""

    model_config = example(code="123456")

    code: Code | None = None
    password: Password | None = None

    @model_validator(mode="after")
    def _code_or_password(self) -> Self:
        if (self.code is None) == (self.password is None):
            raise ValueError("send either code or password")
        return self


class CurrentPasswordBody(BaseModel):
    model_config = example(password="correct horse battery")

    password: Password


class PasswordBody(BaseModel):
    model_config = example(old_password="correct horse battery", new_password="staple of a better horse")

    old_password: Password
    new_password: Password


class TokenPair(BaseModel):
    access_token: str = Field(description="Send it as `Authorization: Bearer …`.")
    refresh_token: str = Field(description="Valid for one refresh.")
    expires_in: int = Field(description="Lifetime of the access token, in seconds.")


class CookieSession(BaseModel):
    """The console's sign-in: the tokens are in http-only cookies."""

    expires_in: int = Field(description="Lifetime of the access token, in seconds.")
    csrf_token: str = Field(description="Send it as `X-CSRF-Token` with every change.")


class AccessTokenOut(BaseModel):
    access_token: str
    expires_in: int


class CookieRefreshed(BaseModel):
    """The console's step-up: the new access token is in its cookie."""

    expires_in: int


class TotpSecret(BaseModel):
    model_config = example(secret="JBSWY3DPEHPK3PXP", uri="otpauth://totp/HashInsight:ops%40example.com?secret=…")

    secret: str
    uri: str = Field(description="For the QR code of an authenticator app.")


class RecoveryCodes(BaseModel):
    model_config = example(recovery_codes=["ABCDE-23456", "FGHJK-34567"])

    recovery_codes: list[str] = Field(description="Shown only once; each code works for one sign-in without the phone.")


class ActorOut(BaseModel):
    kind: ActorKind
    id: str | None


class CallerGrant(BaseModel):
    role: Role
    site_ids: list[int] | None
    zone_ids: list[int] | None
    group_ids: list[int] | None
    touches: list[int] | None = Field(description="Sites the grant covers; null: the whole tenant.")
    may: list[Permission]


class CallerOut(BaseModel):
    """The caller with their grants; `may` has what any of the grants allows somewhere."""

    tenant_id: UUID
    actor: ActorOut
    user: UserOut | None
    grants: list[CallerGrant]
    may: list[Permission]
    must_enrol_totp: bool
    csrf_token: str | None
