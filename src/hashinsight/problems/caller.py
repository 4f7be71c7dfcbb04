"""Who asks about problems: what they see, where they may act, and where they may suppress."""

from dataclasses import dataclass
from uuid import UUID

from hashinsight.audit.actions import SYSTEM, Actor
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import WHOLE_TENANT, Scope, make_scope
from hashinsight.kit.errors import Forbidden


@dataclass(frozen=True)
class ProblemsCaller:
    """`act` and `quiet` are None for those who may nowhere."""

    seen: Scope
    act: Scope | None
    quiet: Scope | None

    @property
    def actor(self) -> Actor:
        return self.seen.actor

    @property
    def tenant_id(self) -> UUID:
        return self.seen.tenant_id

    def acting(self) -> Scope:
        return _given(self.act, Permission.ACKNOWLEDGE)

    def quieting(self) -> Scope:
        return _given(self.quiet, Permission.SUPPRESS)


def _given(scope: Scope | None, permission: Permission) -> Scope:
    if scope is None:
        raise Forbidden(f"your role does not allow: {permission.value}")
    return scope


def caller_for(principal: Caller) -> ProblemsCaller:
    def scope(permission: Permission) -> Scope | None:
        try:
            return principal.scope_for(permission)
        except Forbidden:
            return None

    return ProblemsCaller(
        principal.scope_for(Permission.SEE), scope(Permission.ACKNOWLEDGE), scope(Permission.SUPPRESS)
    )


def system_caller(tenant_id: UUID, actor: Actor = SYSTEM) -> ProblemsCaller:
    """The command line, on the machine itself."""
    whole = make_scope(tenant_id, actor, [WHOLE_TENANT])
    return ProblemsCaller(whole, whole, whole)
