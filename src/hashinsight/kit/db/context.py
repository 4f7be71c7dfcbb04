"""A transaction's role, tenant and sites. Set per transaction, so a pooled connection carries nothing over."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    OWNER = "hi_owner"  # owns the tables, runs migrations
    APP = "hi_app"  # requests: rows of one tenant, or of some of its sites
    JOB = "hi_job"  # ticks: all tenants, where a policy allows it
    INGEST = "hi_ingest"  # may only insert raw samples, not read them


@dataclass(frozen=True)
class Context:
    """A transaction's role, tenant and sites. Without a tenant, the policies show no tenant's rows."""

    role: Role = Role.APP
    tenant: str | None = None
    sites: tuple[int, ...] | None = None  # None: all sites of the tenant
    read_only: bool = False
    statement_timeout_ms: int = 30_000
    idle_timeout_ms: int = 60_000
    by_index: bool = False  # for statements by key, planned once for any table size

    def as_settings(self) -> dict[str, str]:
        """PostgreSQL settings of this context; applied with `set_config(…, is_local => true)`."""
        return {
            "role": self.role.value,
            "app.tenant": self.tenant or "",
            "app.sites": "*" if self.sites is None else ",".join(map(str, self.sites)),
            "statement_timeout": str(self.statement_timeout_ms),
            "idle_in_transaction_session_timeout": str(self.idle_timeout_ms),
            "transaction_read_only": "on" if self.read_only else "off",
            "enable_seqscan": "off" if self.by_index else "on",
            "enable_bitmapscan": "off" if self.by_index else "on",
            "plan_cache_mode": "force_generic_plan" if self.by_index else "auto",
        }


def job_context(*, work_seconds: int = 600) -> Context:
    """For ticks, which may compute for minutes in a transaction: timeouts follow the work."""
    limit_ms = work_seconds * 1000
    return Context(Role.JOB, statement_timeout_ms=limit_ms, idle_timeout_ms=limit_ms)
