"""The report of a verification. Pure."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from hashinsight.audit.chain import Seal

MAX_FINDINGS = 100
MAX_UNSEALED_AGE = timedelta(minutes=1)


class FindingKind(StrEnum):
    CHANGED = "changed"  # an entry differs from what was sealed
    REMOVED = "removed"  # a sealed entry is missing
    INSERTED = "inserted"  # an entry was added to a part that was already sealed
    BACKDATED = "backdated"  # an entry claims a time long before it was written
    SEAL_CHANGED = "seal_changed"
    SEAL_REMOVED = "seal_removed"
    NOT_SIGNED = "not_signed"  # the signature is invalid, or its key is not trusted
    CUT = "cut"  # an anchor has seals that the log does not have
    REWRITTEN = "rewritten"  # an anchor has another seal with this number
    UNSEALED = "unsealed"  # entries wait for a seal too long, or can never get one
    UNGUARDED = "unguarded"  # the trigger that blocks changes is missing or off
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
    found: int = 0  # all findings; only the first are kept
    notes: list[str] = field(default_factory=list)
    complete: bool = True  # whether the end of the log was reached
    vouched: dict[str, int] = field(default_factory=dict)  # seals by key that only the anchor vouches for

    @property
    def ok(self) -> bool:
        return self.complete and self.found == 0

    def reached(self, seal: Seal) -> None:
        self.last_seal, self.last_hash = seal.no, seal.hash.hex()

    def note_vouched(self) -> None:
        for key, count in self.vouched.items():
            signed = f"{count} seals are signed with key {key}, which only the anchor vouches for"
            self.notes.append(f"{signed}: expected if the installation's secret was changed, otherwise a forgery")

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
        """For people and scripts. A tenant learns that an entry of another one was touched, but not which."""

        def is_hidden(finding: Finding) -> bool:
            is_foreign = finding.tenant_id is not None and finding.tenant_id != str(tenant_id)
            return tenant_id is not None and is_foreign

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
                    "kind": finding.kind.value,
                    "seal": finding.seal,
                    "entry_id": None if is_hidden(finding) else finding.entry_id,
                    "message": finding.message,
                }
                for finding in self.findings
            ],
            "notes": self.notes,
        }
