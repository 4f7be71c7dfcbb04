"""What goes over the wire about people, keys and grants."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

from hashinsight.identity.models import ApiKey, Grant, User
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import Reach

Email = Annotated[str, StringConstraints(strip_whitespace=True, max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
Password = Annotated[SecretStr, Field(max_length=256)]
Code = Annotated[str, StringConstraints(strip_whitespace=True, min_length=6, max_length=16, pattern=r"^[0-9A-Za-z-]+$")]
Ids = Annotated[list[int], Field(min_length=1, max_length=1000, fail_fast=True)]

USER_ID = "01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a11"
KEY_ID = "01980f7e-7a10-7d55-8a3b-9a1b2c3d4e5f"
GRANT_ID = "01980f7e-8b20-7e66-9b4c-0b2c3d4e5f60"


def in_utc(instant: datetime) -> datetime:
    """A time without a zone is UTC."""
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant


def example(**fields: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})


class LoginBody(BaseModel):
    model_config = example(email="ops@example.com", password="correct horse battery", totp_code="123456")

    email: Email
    password: Password
    totp_code: Code | None = None
    cookie: bool = Field(False, description="Sign in a browser: tokens go into http-only cookies.")  # noqa: FBT003


class RefreshBody(BaseModel):
    model_config = example(refresh_token="hi_refresh_…")

    refresh_token: SecretStr | None = Field(None, max_length=200)


class CodeBody(BaseModel):
    model_config = example(code="123456")

    code: Code


class StepUpBody(BaseModel):
    """A code of the second factor, or the password of whoever has none."""

    model_config = example(code="123456")

    code: Code | None = None
    password: Password | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.code is None) == (self.password is None):
            raise ValueError("either a code or a password")
        return self


class OldPasswordBody(BaseModel):
    model_config = example(password="correct horse battery")

    password: Password


class PasswordBody(BaseModel):
    model_config = example(old_password="correct horse battery", new_password="staple of a better horse")

    old_password: Password
    new_password: Password


class NewPasswordBody(BaseModel):
    model_config = example(new_password="staple of a better horse")

    new_password: Password


class ReachBody(BaseModel):
    """The scope of a grant. With nothing given it is the whole tenant; of a Customer only with `whole_tenant`."""

    model_config = example(site_ids=[3])

    site_ids: Ids | None = None
    zone_ids: Ids | None = None
    group_ids: Ids | None = None
    whole_tenant: bool = Field(
        False,  # noqa: FBT003
        description="A Customer of every site of the tenant. Not together with sites, zones or groups.",
    )

    def reach(self) -> Reach:
        def some(ids: list[int] | None) -> tuple[int, ...] | None:
            return None if ids is None else tuple(ids)

        return Reach(some(self.site_ids), some(self.zone_ids), some(self.group_ids))


class NewUserBody(ReachBody):
    model_config = example(
        email="tech@example.com", name="Night shift", password="correct horse battery", role="Technician", site_ids=[3]
    )

    email: Email
    name: Name = ""
    password: Password
    role: Role


class ChangeUserBody(BaseModel):
    model_config = example(name="Day shift", state="disabled")

    name: Name | None = None
    state: Literal["active", "disabled"] | None = None


class NewGrantBody(ReachBody):
    model_config = example(user_id=USER_ID, role="NOC", site_ids=[3, 4])

    user_id: UUID
    role: Role


class NewKeyBody(ReachBody):
    model_config = example(name="grafana", role="Customer", site_ids=[3], expires_at="2027-01-01T00:00:00Z")

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    role: Role
    expires_at: Annotated[datetime, AfterValidator(in_utc)] | None = None


class ChangeTenantBody(BaseModel):
    model_config = example(require_totp=True)

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)] | None = None
    require_totp: bool | None = None


def show_user(user: User) -> dict[str, Any]:
    return {
        "id": str(user.id),
        "email": user.email,
        "name": user.name,
        "state": user.state,
        "has_totp": user.totp_confirmed_at is not None,
        "created_at": user.created_at,
        "last_login_at": user.last_login_at,
    }


def show_grant(grant: Grant) -> dict[str, Any]:
    return {
        "id": str(grant.id),
        "user_id": str(grant.user_id) if grant.user_id else None,
        "api_key_id": str(grant.api_key_id) if grant.api_key_id else None,
        "role": grant.role,
        "site_ids": grant.site_ids,
        "zone_ids": grant.zone_ids,
        "group_ids": grant.group_ids,
        "created_at": grant.created_at,
    }


def show_key(key: ApiKey, owners: Collection[UUID], *, now: datetime) -> dict[str, Any]:
    """`owners`: who owns the whole tenant now. A key of somebody who does not any more is refused."""
    return {
        "id": str(key.id),
        "name": key.name,
        "user_id": str(key.user_id) if key.user_id else None,
        "state": _key_state(key, owners, now=now),
        "key_start": key.key_start,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
    }


def _key_state(key: ApiKey, owners: Collection[UUID], *, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now:
        return "expired"
    return "active" if key.user_id is None or key.user_id in owners else "ended"
