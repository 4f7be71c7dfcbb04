"""Bodies and answers of the routes about users, grants, keys and the tenant."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from hashinsight.identity.models import ApiKey, User
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import Reach
from hashinsight.kit.web.times import AnyInstant

Email = Annotated[str, StringConstraints(strip_whitespace=True, max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Password = Annotated[SecretStr, Field(max_length=256)]
Ids = Annotated[list[int], Field(min_length=1, max_length=1000, fail_fast=True)]


def example(**fields: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})


class NewPasswordBody(BaseModel):
    model_config = example(new_password="staple of a better horse")

    new_password: Password


class ReachBody(BaseModel):
    """The scope of a grant; without sites, zones and groups the whole tenant: a Customer needs `whole_tenant`."""

    model_config = example(site_ids=[3])

    site_ids: Ids | None = None
    zone_ids: Ids | None = None
    group_ids: Ids | None = None
    whole_tenant: bool = Field(
        False,  # noqa: FBT003
        description="For a Customer of every site. Cannot be combined with sites, zones or groups.",
    )

    def reach(self) -> Reach:
        parts = (None if ids is None else tuple(ids) for ids in (self.site_ids, self.zone_ids, self.group_ids))
        return Reach(*parts)


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
    model_config = example(user_id="01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a11", role="NOC", site_ids=[3, 4])

    user_id: UUID
    role: Role


class NewKeyBody(ReachBody):
    model_config = example(name="grafana", role="Customer", site_ids=[3], expires_at="2027-01-01T00:00:00Z")

    name: Title
    role: Role
    expires_at: AnyInstant | None = None


class ChangeTenantBody(BaseModel):
    model_config = example(require_totp=True)

    name: Title | None = None
    require_totp: bool | None = None


class UserOut(BaseModel):
    id: UUID
    email: str
    name: str
    state: Literal["active", "disabled", "deleted"]
    has_totp: bool
    created_at: datetime
    last_login_at: datetime | None

    @classmethod
    def of(cls, user: User) -> Self:
        own = {name: getattr(user, name) for name in UserOut.model_fields if name != "has_totp"}
        return cls(has_totp=user.totp_confirmed_at is not None, **own)


class UserList(BaseModel):
    users: list[UserOut]
    next_cursor: str | None


class GrantOut(BaseModel):
    """A role over sites, zones and groups; all three null: for the whole tenant. Either a user's or a key's."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    user_id: UUID | None
    api_key_id: UUID | None
    role: Role
    site_ids: list[int] | None
    zone_ids: list[int] | None
    group_ids: list[int] | None
    created_at: datetime


class GrantList(BaseModel):
    grants: list[GrantOut]
    next_cursor: str | None


class UserDetail(UserOut):
    grants: list[GrantOut]


class ApiKeyOut(BaseModel):
    id: UUID
    name: str
    user_id: UUID | None = Field(description="Who created it; null: the server's command line.")
    state: Literal["active", "revoked", "expired", "ended"] = Field(
        description="`ended` while the user who created it is not an owner of the whole tenant."
    )
    key_start: str = Field(description="First characters, to tell keys apart.")
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey, owners: Collection[UUID], *, now: datetime) -> Self:
        """`owners`: users who own the whole tenant now."""
        own = {name: getattr(key, name) for name in ApiKeyOut.model_fields if name != "state"}
        return cls(state=_key_state(key, owners, now=now), **own)


def _key_state(
    key: ApiKey, owners: Collection[UUID], *, now: datetime
) -> Literal["active", "revoked", "expired", "ended"]:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now:
        return "expired"
    return "active" if key.user_id is None or key.user_id in owners else "ended"


class CreatedApiKey(ApiKeyOut):
    key: str = Field(description="Shown only once; send it as `X-API-Key`.")


class ApiKeyList(BaseModel):
    api_keys: list[ApiKeyOut]
    next_cursor: str | None


class TenantOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    require_totp: bool = Field(description="Every user needs a second factor.")


class TenantList(BaseModel):
    tenants: list[TenantOut]
