"""What a verification finds, and how it is said. Pure."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from hashinsight.audit.chain import Seal

MAX_FINDINGS = 100
MAX_UNSEALED_AGE = timedelta(minutes=1)


class FindingKind(StrEnum):
    CHANGED = "changed"  # an entry does not say any more what was sealed
    REMOVED = "removed"  # a sealed entry is gone
    INSERTED = "inserted"  # an entry stands where everything was sealed without it
    BACKDATED = "backdated"  # an entry claims a time long before it was written
    SEAL_CHANGED = "seal_changed"
    SEAL_REMOVED = "seal_removed"
    NOT_SIGNED = "not_signed"  # the signature does not hold, or nobody vouches for its key
    CUT = "cut"  # an anchor knows seals that the log does not have
    REWRITTEN = "rewritten"  # an anchor knows this seal as another one
    UNSEALED = "unsealed"  # entries wait for a seal for too long, or can never get one
    UNGUARDED = "unguarded"  # the trigger that refuses changes is missing or off
    NOT_AN_ANCHOR = "not_an_anchor"


@dataclass(frozen=True)
class Finding:
    kind: FindingKind
    message: str
    seal: int | None = None
    entry_id: UUID | None = None
    tenant_id: str | None = None


@dataclass
class VerifyReport:
    """The first finding is the first place where something is wrong."""

    seals: int = 0
    entries: int = 0
    unsealed: int = 0
    oldest_unsealed_at: datetime | None = None
    last_seal: int = 0
    last_hash: str = ""
    anchors: int = 0
    findings: list[Finding] = field(default_factory=list)
    found: int = 0  # all of them; only the first are kept
    notes: list[str] = field(default_factory=list)
    complete: bool = True  # whether the end was reached
    vouched: dict[str, int] = field(default_factory=dict)  # seals by a key for which only the anchor speaks

    @property
    def ok(self) -> bool:
        return self.complete and self.found == 0

    def reached(self, seal: Seal) -> None:
        self.last_seal, self.last_hash = seal.no, seal.hash.hex()

    def tell_vouched(self) -> None:
        for key, count in self.vouched.items():
            said = f"{count} seals are signed by key {key}, for which only the anchor vouches"
            self.notes.append(f"{said}: right if the installation's secret was changed, else a forgery")

    def add(
        self,
        kind: FindingKind,
        message: str,
        *,
        seal: int | None = None,
        entry: bytes | None = None,
        tenant_id: str | None = None,
    ) -> None:
        self.found += 1
        if len(self.findings) < MAX_FINDINGS:
            entry_id = None if entry is None else UUID(bytes=entry)
            self.findings.append(Finding(kind, message, seal, entry_id, tenant_id))

    def fields(self, tenant_id: UUID | None = None) -> dict[str, Any]:
        """For people and scripts. A tenant learns that another's entry was touched, and not which."""

        def hides(finding: Finding) -> bool:
            foreign = finding.tenant_id is not None and finding.tenant_id != str(tenant_id)
            return tenant_id is not None and foreign

        return {
            "ok": self.ok,
            "complete": self.complete,
            "seals": self.seals,
            "entries": self.entries,
            "unsealed": self.unsealed,
            "oldest_unsealed_at": self.oldest_unsealed_at,
            "last_seal": self.last_seal,
            "last_hash": self.last_hash,
            "anchors": self.anchors,
            "found": self.found,
            "findings": [
                {
                    "kind": one.kind.value,
                    "seal": one.seal,
                    "entry_id": None if hides(one) else one.entry_id,
                    "message": one.message,
                }
                for one in self.findings
            ],
            "notes": self.notes,
        }
