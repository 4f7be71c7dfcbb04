"""What each role may do: the table that the code checks and that docs/roles.md shows. Pure."""

from enum import StrEnum
from typing import Self


class Role(StrEnum):
    OWNER = "Owner"
    OPS_MANAGER = "OpsManager"
    NOC = "NOC"
    TECHNICIAN = "Technician"
    CUSTOMER_SUCCESS = "CustomerSuccess"
    CUSTOMER = "Customer"


class Permission(StrEnum):
    """Named as answers name it; the description is for people."""

    description: str

    def __new__(cls, name: str, description: str) -> Self:
        permission = str.__new__(cls, name)
        permission._value_ = name
        permission.description = description
        return permission

    SEE = "see", "see machines, problems, telemetry in scope"
    ACKNOWLEDGE = "acknowledge", "acknowledge, comment, tickets"
    SUPPRESS = "suppress", "suppress"
    COMMAND = "command", "request low and medium risk commands"
    COMMAND_HIGH = "command_high", "request high risk, batches, demand response"
    APPROVE = "approve", "approve (not own requests), emergency commands"
    GOVERN = "govern", "rules, policy, thresholds, models"
    INVENTORY = "inventory", "collectors, inventory"
    COLLECTOR_TOKENS = "collector_tokens", "collectors' tokens"
    AUDIT_READ = "audit_read", "read the audit log"
    AUDIT = "audit", "verify and export the audit log"
    ADMIN = "admin", "users, grants, keys, tenant settings"


_EVERYBODY = frozenset(Role)
_OPERATORS = frozenset({Role.OWNER, Role.OPS_MANAGER, Role.NOC})
_MANAGERS = frozenset({Role.OWNER, Role.OPS_MANAGER})

MAY: dict[Permission, frozenset[Role]] = {
    Permission.SEE: _EVERYBODY,
    Permission.ACKNOWLEDGE: _EVERYBODY - {Role.CUSTOMER},
    Permission.SUPPRESS: _OPERATORS | {Role.TECHNICIAN},
    Permission.COMMAND: _OPERATORS | {Role.TECHNICIAN},
    Permission.COMMAND_HIGH: _OPERATORS,
    Permission.APPROVE: _MANAGERS,
    Permission.GOVERN: _MANAGERS,
    Permission.INVENTORY: _OPERATORS,
    Permission.COLLECTOR_TOKENS: _MANAGERS,
    Permission.AUDIT_READ: _OPERATORS,
    Permission.AUDIT: _MANAGERS,
    Permission.ADMIN: frozenset({Role.OWNER}),
}

# A customer owns some of the machines: a grant for the whole tenant must be explicit.
SCOPE_REQUIRED = frozenset({Role.CUSTOMER})


def may(role: Role, permission: Permission) -> bool:
    return role in MAY[permission]


def permissions_table() -> str:
    """The table as Markdown, for docs/roles.md."""
    lines = [f"| may | {' | '.join(Role)} |", f"|---|{'---|' * len(Role)}"]
    for permission, roles in MAY.items():
        marks = " | ".join("✓" if role in roles else "" for role in Role)
        lines.append(f"| {permission.description} | {marks} |")
    return "\n".join(lines) + "\n"
