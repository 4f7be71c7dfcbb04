"""All settings: one typed class, read from the environment. Its table in the documentation is generated from here."""

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
        description="Folder of the embedded servers, the secret key and the logs. "
        "Default: `/var/lib/hashinsight` as root, else `~/.local/share/hashinsight`.",
    )
    host: str = Field("127.0.0.1", description="Address that the API listens on.")
    port: int = Field(8700, ge=1, le=65535, description="Port that the API and the console listen on.")
    api_processes: int = Field(1, ge=1, le=64, description="API processes that share the port.")
    database_url: SecretStr | None = Field(
        None, description="PostgreSQL 16 or newer to use in place of the embedded one: `postgresql://…`."
    )
    read_database_url: SecretStr | None = Field(
        None, description="A replica for lists and reports. Without it they read from the main server."
    )
    database_pool: int = Field(10, ge=1, le=200, description="Database connections kept by one process.")
    redis_url: SecretStr | None = Field(
        None,
        description="Redis or Valkey to use in place of the embedded one: `redis://…`, `rediss://…` or "
        "`unix://…`. It holds nothing that cannot be lost.",
    )
    secret_key: SecretStr | None = Field(
        None,
        description="Key that encrypts secrets in the database, at least 32 characters, the same on every machine. "
        "Without it, one is made once into `secret.key` in the data folder.",
    )
    service_user: str = Field(
        "hashinsight",
        pattern=r"^[a-z_][a-z0-9_-]*$",
        description="Started as root, the embedded servers run as this user; it is made if it is missing.",
    )
    disk_reserve_mb: int = Field(
        1024,
        ge=0,
        description="Below this much free space telemetry is refused with 503 until there is room again; below a "
        "quarter of it nothing is started.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least severe log line kept.")
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="`json` for machines, `text` for people; `auto` is text on a terminal."
    )
    metrics_token: SecretStr | None = Field(
        None,
        description="Bearer token that `/metrics` asks for. Without it, only calls from this machine are answered.",
    )
    body_limit_kb: int = Field(1024, ge=1, description="Largest request body, except where many machines are sent.")
    batch_limit_kb: int = Field(
        16384, ge=1, description="Largest telemetry upload, asset list, request for commands or batch of acks, as sent."
    )
    batch_unzipped_limit_kb: int = Field(131_072, ge=1, description="Largest telemetry upload, unzipped.")
    batch_samples: int = Field(20_000, ge=1, le=1_000_000, description="Most samples in one telemetry upload.")
    auto_register: bool = Field(
        True,  # noqa: FBT003 - pydantic's form of a default
        description="Whether a machine that a collector reports for the first time joins the inventory of its site.",
    )
    register_first_day: int = Field(
        25_000,
        ge=0,
        le=1_000_000,
        description="Most machines that join the inventory by one collector's uploads in 24 hours while its "
        "registration is open: on its first day, and when somebody opens it.",
    )
    register_per_call: int = Field(
        1000, ge=0, le=1_000_000, description="Most machines that join by one telemetry upload after that."
    )
    register_per_day: int = Field(
        5000,
        ge=0,
        le=1_000_000,
        description="Most machines that join by one collector's uploads in 24 hours after that.",
    )
    five_minutes_kept_days: int = Field(90, ge=30, le=90, description="How long rows of five minutes are kept.")
    daily_kept_days: int | None = Field(
        None, ge=365, description="How long rows of a day are kept. Without it, for ever."
    )
    rate_per_minute: int = Field(
        6000,
        ge=1,
        description="Requests a minute that one client address may make before it is answered 429.",
    )
    token_rate_per_minute: int = Field(
        3000,
        ge=1,
        description="The same for one token of a person, a key or a collector, wherever it is used.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses of reverse proxies, by comma, whose `X-Forwarded-*` headers are believed and who may "
        "open any number of connections.",
    )
    connections: int = Field(
        2000,
        ge=16,
        le=100_000,
        description="Connections that one API process keeps open. For another one, the oldest without a whole request "
        "head or the longest idle one is closed; where all are in use, it is answered 503.",
    )
    connections_per_address: int = Field(
        200, ge=1, le=100_000, description="The same from one client address (of IPv6: one /64 network)."
    )
    header_limit_kb: int = Field(32, ge=4, le=1024, description="Largest request line and headers; more is 431.")
    header_seconds: int = Field(10, ge=1, le=600, description="Time in which all headers of a request must come.")
    body_seconds: int = Field(
        30,
        ge=1,
        le=3600,
        description="Time in which a request's body must come, and a second more for each 1,000 bytes of it.",
    )
    audit_anchor: SecretStr | None = Field(
        None,
        description="Where the audit's seals are kept outside the database: the absolute path of a file that only "
        "grows, best on another machine, or an `https://` address that takes them by POST.",
    )
    stop_seconds: int = Field(20, ge=1, le=600, description="Time that a process gets to finish what it holds.")
    demo_miners: int = Field(
        2000,
        ge=0,
        le=100_000,
        description="Machines of the demo fleet that `make up` shows; without the demo, unused.",
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
            raise ValueError("it must be an absolute path or begin with https://")
        return value


def load_settings() -> Settings:
    """The settings, or a refusal in one sentence: a variable that nobody reads is a mistake, not a wish."""
    known = {name.upper() for name in Settings.model_fields}
    for name in sorted(os.environ):
        rest = name.upper().removeprefix(PREFIX)
        if name.upper().startswith(PREFIX) and rest not in known:
            near = difflib.get_close_matches(rest, known, n=1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else "docs/operations/settings.md lists all of them."
            raise OperatorError(f"{name} is not a setting of HashInsight: {hint}")
    try:
        settings = Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = PREFIX + str(first["loc"][0]).upper()
        raise OperatorError(f"{name} is not usable: {first['msg'].removeprefix('Value error, ')}.") from None
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
    """PGHOST, PGPORT, PGSERVICE … would lead every client in this process away from the embedded server."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


def _shown(default: Any) -> str:
    return "" if default is None or default == "" else f"`{default}`"


def _with_scheme(value: SecretStr | None, *schemes: str) -> SecretStr | None:
    """An address that can be read at all. What is wrong with it is said without repeating it."""
    if value is None:
        return None
    address = value.get_secret_value()
    if not address.startswith(schemes):
        raise ValueError(f"it must begin with {' or '.join(schemes)}")
    try:
        parts = urlsplit(address)
        readable = parts.port != 0 and bool(parts.hostname or parts.path.strip("/") or parts.query)
    except ValueError:
        readable = False
    if not readable:
        raise ValueError("it is not an address; special characters in a password must be written as %XX")
    return value
