"""Tables of tenants, users, sessions, keys and grants."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model

_TENANT = "tenants.id"


class Tenant(Model):
    """The company that owns the data: the unit of isolation."""

    __tablename__ = "tenants"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    require_totp: Mapped[bool] = mapped_column(server_default="false")
    created_at: Mapped[datetime]


class User(Model):
    """States: active ⇄ disabled → deleted. A deleted user's row stays; the e-mail can be used again."""

    __tablename__ = "users"
    __table_args__ = (
        CheckConstraint("state in ('active', 'disabled', 'deleted')", name="state"),
        Index("uq_users_email", "email", unique=True, postgresql_where=text("state <> 'deleted'")),
        Index("ix_users_tenant_id", "tenant_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(_TENANT))
    email: Mapped[str]  # always lower case
    name: Mapped[str]
    password_hash: Mapped[str]
    state: Mapped[str] = mapped_column(server_default="active")
    totp_key: Mapped[bytes | None]  # encrypted
    totp_confirmed_at: Mapped[datetime | None]
    totp_last_step: Mapped[int] = mapped_column(BigInteger, server_default="0")  # a code is good for one use
    created_at: Mapped[datetime]
    last_login_at: Mapped[datetime | None]


class RecoveryCode(Model):
    __tablename__ = "recovery_codes"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), primary_key=True)
    code_hash: Mapped[bytes] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(_TENANT))
    used_at: Mapped[datetime | None]


class LoginSession(Model):
    """One login with all its refresh tokens: they are revoked together."""

    __tablename__ = "login_sessions"
    __table_args__ = (
        CheckConstraint("kind in ('token', 'cookie')", name="kind"),
        Index("ix_login_sessions_user_id", "user_id", postgresql_where=text("revoked_at is null")),
        Index("ix_login_sessions_came_from", "user_id", "created_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(_TENANT))
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    kind: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    revoked_reason: Mapped[str | None]
    address: Mapped[str | None]
    user_agent: Mapped[str | None]


class RefreshToken(Model):
    __tablename__ = "refresh_tokens"
    __table_args__ = (Index("ix_refresh_tokens_session_id", "session_id"),)

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(_TENANT))
    session_id: Mapped[UUID] = mapped_column(ForeignKey("login_sessions.id"))
    issued_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class LoginFailures(Model):
    """A counter of failed attempts: by e-mail and network, by e-mail, by user and proof; also for unknown e-mails.

    `account` is the fingerprint of the e-mail: an owner unlocks all counters of an account together.
    """

    __tablename__ = "login_failures"
    __table_args__ = (Index("ix_login_failures_account", "account"), Index("ix_login_failures_last_at", "last_at"))

    fingerprint: Mapped[bytes] = mapped_column(primary_key=True)
    account: Mapped[bytes]
    failures: Mapped[int]
    last_at: Mapped[datetime]
    blocked_until: Mapped[datetime | None]


class ApiKey(Model):
    __tablename__ = "api_keys"
    __table_args__ = (
        Index("uq_api_keys_key_hash", "key_hash", unique=True),
        Index("ix_api_keys_tenant_id", "tenant_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(_TENANT))
    name: Mapped[str]
    key_hash: Mapped[bytes]
    key_start: Mapped[str]  # first characters, to tell keys apart
    created_at: Mapped[datetime]
    created_by: Mapped[str | None]
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))  # who created it
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


class Grant(Model):
    """A role over a scope, for a user or a key. Without sites, zones and groups: the whole tenant."""

    __tablename__ = "grants"
    __table_args__ = (
        CheckConstraint("(user_id is null) <> (api_key_id is null)", name="one_holder"),
        CheckConstraint(
            "role in ('Owner', 'OpsManager', 'NOC', 'Technician', 'CustomerSuccess', 'Customer')", name="role"
        ),
        Index("ix_grants_user_id", "user_id"),
        Index("ix_grants_api_key_id", "api_key_id"),
        Index("ix_grants_tenant_id", "tenant_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(_TENANT))
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    api_key_id: Mapped[UUID | None] = mapped_column(ForeignKey("api_keys.id"))
    role: Mapped[str]
    site_ids: Mapped[list[int] | None] = mapped_column(ARRAY(Integer))
    zone_ids: Mapped[list[int] | None] = mapped_column(ARRAY(Integer))
    group_ids: Mapped[list[int] | None] = mapped_column(ARRAY(Integer))
    created_at: Mapped[datetime]
