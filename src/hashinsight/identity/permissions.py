"""What each role may do: the one table that the code asks and that the documentation shows. Pure."""

from enum import StrEnum


class Role(StrEnum):
    OWNER = "Owner"
    OPS_MANAGER = "OpsManager"
    NOC = "NOC"
    TECHNICIAN = "Technician"
    CUSTOMER_SUCCESS = "CustomerSuccess"
    CUSTOMER = "Customer"


class Permission(StrEnum):
    SEE = "see machines, problems, telemetry in scope"
    ACKNOWLEDGE = "acknowledge, comment, tickets"
    SUPPRESS = "suppress"
    COMMAND = "request low and medium risk commands"
    COMMAND_HIGH = "request high risk, batches, demand response"
    APPROVE = "approve (never one's own), emergency"
    GOVERN = "rules, policy, thresholds, models"
    INVENTORY = "collectors, inventory"
    COLLECTOR_TOKENS = "collectors' tokens"
    AUDIT_READ = "read the audit"
    AUDIT = "verify and export the audit"
    ADMIN = "users, grants, keys, tenant settings"


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


# A customer owns some of the machines: of the whole tenant only where that is asked for.
SCOPE_REQUIRED = frozenset({Role.CUSTOMER})


def may(role: Role, permission: Permission) -> bool:
    return role in MAY[permission]


def permissions_table() -> str:
    """The table as Markdown, for docs/roles.md."""
    lines = [f"| may | {' | '.join(Role)} |", f"|---|{'---|' * len(Role)}"]
    for permission, roles in MAY.items():
        marks = " | ".join("✓" if role in roles else "" for role in Role)
        lines.append(f"| {permission.value} | {marks} |")
    return "\n".join(lines) + "\n"
