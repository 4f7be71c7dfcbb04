"""Who is calling, as those below the access code see it: a value that needs no web and no signatures."""

from dataclasses import dataclass
from uuid import UUID

from hashinsight.audit.actions import Actor
from hashinsight.identity.permissions import Permission, Role, may
from hashinsight.identity.scope import Reach, Scope, make_scope
from hashinsight.identity.tokens import AccessToken
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import Forbidden


@dataclass(frozen=True)
class Caller:
    """Who is calling. Its grants become a scope for one permission at a time."""

    tenant_id: UUID
    actor: Actor
    grants: tuple[tuple[Role, Reach], ...]
    touched: tuple[int, ...]
    token: AccessToken | None = None
    person_id: UUID | None = None  # the user, or who made the key; None for a key of the server's command line
    has_totp: bool = False
    must_enrol: bool = False  # the tenant asks for a second factor and this user has none yet

    def scope_for(self, permission: Permission) -> Scope:
        reaches = [reach for role, reach in self.grants if may(role, permission)]
        if not reaches:
            raise Forbidden(f"your role does not allow: {permission.value}")
        return make_scope(self.tenant_id, self.actor, reaches, self.touched)

    def context(self) -> Context:
        """Row-level security is told every site that any of the grants touches; the scope narrows further."""
        reaches = [reach for _, reach in self.grants]
        return make_scope(self.tenant_id, self.actor, reaches, self.touched).context()


@dataclass(frozen=True)
class SessionUser:
    """A person in a session of theirs, for what they do about themselves in more than one transaction."""

    token: AccessToken
    actor: Actor
    context: Context


@dataclass(frozen=True)
class AccessRefusal:
    status: int
    code: str
    message: str
    retry_after_sec: int | None = None
    reason: str | None = None  # for the record, not for the caller
