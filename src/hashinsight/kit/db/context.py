"""Who a transaction acts as. Set for one transaction at a time, so that a pooled connection carries nothing over."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    OWNER = "hi_owner"  # owns the tables, runs migrations
    APP = "hi_app"  # requests: sees the rows of one tenant, and of some of its sites where the scope is narrower
    JOB = "hi_job"  # ticks: sees all tenants, where a policy says so
    INGEST = "hi_ingest"  # adds raw samples and can do nothing else, not even look at them


@dataclass(frozen=True)
class Context:
    """A transaction's role, tenant and sites. Without a tenant, the policies show no tenant's rows at all."""

    role: Role = Role.APP
    tenant: str | None = None
    sites: tuple[int, ...] | None = None  # None: all sites of the tenant
    read_only: bool = False
    statement_timeout_ms: int = 30_000
    idle_timeout_ms: int = 60_000
    by_index: bool = False  # for statements that name their rows by keys, planned once and for any size of the tables

    def as_settings(self) -> dict[str, str]:
        """PostgreSQL settings that make this context; applied with `set_config(…, is_local => true)`."""
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
    """For ticks: computing for minutes inside a transaction is their trade, so the time-outs follow the work."""
    limit_ms = work_seconds * 1000
    return Context(Role.JOB, statement_timeout_ms=limit_ms, idle_timeout_ms=limit_ms)
