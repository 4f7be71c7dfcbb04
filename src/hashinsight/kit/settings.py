"""All settings, read from the environment. The table in the documentation is generated from here."""

import difflib
import os
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from hashinsight.kit.errors import OperatorError

PREFIX = "HASHINSIGHT_"


def default_data_dir() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/hashinsight")
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "hashinsight"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", env_ignore_empty=True)

    data_dir: Path = Field(
        default_factory=default_data_dir,
        description="Data folder: embedded servers, secret key, logs. "
        "Default: `/var/lib/hashinsight` as root, else `~/.local/share/hashinsight`.",
    )
    host: str = Field("127.0.0.1", description="Listen address of the API.")
    port: int = Field(8700, ge=1, le=65535, description="Listen port of the API and the console.")
    api_processes: int = Field(1, ge=1, le=64, description="Number of API processes sharing the port.")
    database_url: SecretStr | None = Field(
        None, description="External PostgreSQL 16 or newer instead of the embedded one: `postgresql://…`."
    )
    read_database_url: SecretStr | None = Field(
        None, description="Read replica for lists and reports. Default: the main server."
    )
    database_pool: int = Field(10, ge=1, le=200, description="Size of the database connection pool of each process.")
    redis_url: SecretStr | None = Field(
        None,
        description="External Redis or Valkey instead of the embedded one: `redis://…`, `rediss://…` or `unix://…`. "
        "Holds no data that must survive.",
    )
    secret_key: SecretStr | None = Field(
        None,
        description="Encrypts secrets in the database; at least 32 characters, the same on every machine. "
        "Default: generated once, in `secret.key` in the data folder.",
    )
    service_user: str = Field(
        "hashinsight",
        pattern=r"^[a-z_][a-z0-9_-]*$",
        description="User of the embedded servers when started as root; created if missing.",
    )
    disk_reserve_mb: int = Field(
        1024,
        ge=0,
        description="Telemetry is refused with 503 while less disk space (MB) is free; below a quarter of it nothing "
        "starts.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Minimum log level.")
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="`json`, `text`, or `auto`: text on a terminal, else JSON."
    )
    metrics_token: SecretStr | None = Field(
        None,
        description="Bearer token for `/metrics`. Without it, metrics are available on this machine only.",
    )
    body_limit_kb: int = Field(1024, ge=1, description="Maximum request body, except for bulk requests.")
    batch_limit_kb: int = Field(
        16384, ge=1, description="Maximum body of bulk requests: telemetry, asset lists, commands, ack batches."
    )
    batch_unzipped_limit_kb: int = Field(131_072, ge=1, description="Maximum telemetry upload after decompression.")
    batch_samples: int = Field(20_000, ge=1, le=1_000_000, description="Maximum samples per telemetry upload.")
    auto_register: bool = Field(
        True,  # noqa: FBT003 - pydantic's signature
        description="Add a machine to the site's inventory when a collector first reports it.",
    )
    register_first_day: int = Field(
        25_000,
        ge=0,
        le=1_000_000,
        description="Maximum machines added in 24 hours by one collector while its registration is open: on its first "
        "day, and when reopened.",
    )
    register_per_call: int = Field(
        1000, ge=0, le=1_000_000, description="Maximum machines added by one telemetry upload after that."
    )
    register_per_day: int = Field(
        5000,
        ge=0,
        le=1_000_000,
        description="Maximum machines added in 24 hours by one collector after that.",
    )
    five_minutes_kept_days: int = Field(90, ge=30, le=90, description="Retention of 5-minute data, in days.")
    daily_kept_days: int | None = Field(
        None, ge=365, description="Retention of daily data, in days. Default: unlimited."
    )
    rate_per_minute: int = Field(
        6000,
        ge=1,
        description="Requests per minute from one client address; above it, 429.",
    )
    token_rate_per_minute: int = Field(
        3000,
        ge=1,
        description="Requests per minute with one token of a person, API key or collector.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses of reverse proxies, comma-separated. Their `X-Forwarded-*` headers are trusted and they "
        "may open any number of connections.",
    )
    connections: int = Field(
        2000,
        ge=16,
        le=100_000,
        description="Maximum open connections of one API process. For a new one, the oldest with an incomplete request "
        "head or the longest idle one is closed; if all are busy, the answer is 503.",
    )
    connections_per_address: int = Field(
        200, ge=1, le=100_000, description="Maximum open connections from one client address (IPv6: one /64 network)."
    )
    header_limit_kb: int = Field(32, ge=4, le=1024, description="Maximum request line and headers; above it, 431.")
    header_seconds: int = Field(10, ge=1, le=600, description="Timeout for receiving all headers of a request.")
    body_seconds: int = Field(
        30,
        ge=1,
        le=3600,
        description="Timeout for receiving a request body, plus 1 s per 1,000 bytes.",
    )
    audit_anchor: SecretStr | None = Field(
        None,
        description="Copy of the audit seals outside the database: absolute path of an append-only file, preferably on "
        "another machine, or an `https://` address that accepts POST.",
    )
    stop_seconds: int = Field(20, ge=1, le=600, description="Time for a process to finish its work at shutdown.")
    demo_miners: int = Field(
        2000,
        ge=0,
        le=100_000,
        description="Machines in the demo fleet of `make up`; unused without the demo.",
    )

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("database_url", "read_database_url")
    @classmethod
    def _postgres(cls, value: SecretStr | None) -> SecretStr | None:
        return _with_scheme(value, "postgresql://", "postgres://")

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: SecretStr | None) -> SecretStr | None:
        return _with_scheme(value, "redis://", "rediss://", "unix://")

    @field_validator("audit_anchor")
    @classmethod
    def _anchor(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("/", "https://", "http://127.0.0.1")):
            raise ValueError("must be an absolute path or start with https://")
        return value


def load_settings() -> Settings:
    """Raises OperatorError for an invalid setting and for an unknown variable, which is probably a typo."""
    known = {name.upper() for name in Settings.model_fields}
    for name in sorted(os.environ):
        rest = name.upper().removeprefix(PREFIX)
        if name.upper().startswith(PREFIX) and rest not in known:
            near = difflib.get_close_matches(rest, known, n=1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else "see docs/operations/settings.md."
            raise OperatorError(f"{name} is not a known setting: {hint}")
    try:
        settings = Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = PREFIX + str(first["loc"][0]).upper()
        raise OperatorError(f"{name} is invalid: {first['msg'].removeprefix('Value error, ')}.") from None
    if settings.database_url is None:
        _forget_other_servers()
    return settings


def settings_table() -> str:
    """The settings as a Markdown table, for docs/operations/settings.md."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = None if field.default_factory else field.default
        lines.append(f"| `{PREFIX}{name.upper()}` | {_shown(default)} | {field.description} |")
    return "\n".join(lines) + "\n"


def _forget_other_servers() -> None:
    """PGHOST, PGPORT, PGSERVICE … would direct clients in this process to another server than the embedded one."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


def _shown(default: Any) -> str:
    return "" if default is None or default == "" else f"`{default}`"


def _with_scheme(value: SecretStr | None, *schemes: str) -> SecretStr | None:
    """Check the form of an address. Errors never repeat it: it may hold a password."""
    if value is None:
        return None
    address = value.get_secret_value()
    if not address.startswith(schemes):
        raise ValueError(f"must start with {' or '.join(schemes)}")
    try:
        parts = urlsplit(address)
        readable = parts.port != 0 and bool(parts.hostname or parts.path.strip("/") or parts.query)
    except ValueError:
        readable = False
    if not readable:
        raise ValueError("not a valid address; special characters in a password must be written as %XX")
    return value
