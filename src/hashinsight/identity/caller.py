"""Who is calling and what they may do: the one type that routes, services and the command line pass on."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hashinsight.audit.actions import SYSTEM, Actor, ActorKind
from hashinsight.identity.permissions import Permission, Role, may
from hashinsight.identity.scope import WHOLE_TENANT, Reach, Scope, make_scope
from hashinsight.identity.tokens import STEP_UP_LIFE, AccessToken, Proof
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import Forbidden


@dataclass(frozen=True)
class Caller:
    """A user, an API key or the system itself. Its grants become a scope for one permission at a time."""

    tenant_id: UUID
    actor: Actor
    grants: tuple[tuple[Role, Reach], ...]
    touched: tuple[int, ...] = ()  # sites that the zones and groups of the grants are in
    token: AccessToken | None = None  # of a signed-in user
    person_id: UUID | None = None  # the user, or who created the key; None for the system and keys of its command line
    has_totp: bool = False
    must_enrol: bool = False  # the tenant requires a second factor and this user has none yet

    @property
    def seen(self) -> Scope:
        """What the caller sees; Forbidden without any role."""
        return self.scope_for(Permission.SEE)

    @property
    def is_tenant_admin(self) -> bool:
        """Whether users and grants of the whole tenant are theirs to change."""
        return any(may(role, Permission.ADMIN) and reach.is_whole for role, reach in self.grants)

    def scope_for(self, permission: Permission) -> Scope:
        scope = self.find_scope(permission)
        if scope is None:
            raise Forbidden(f"your role does not allow: {permission.description}")
        return scope

    def find_scope(self, permission: Permission) -> Scope | None:
        """None where no grant has this permission."""
        reaches = [reach for role, reach in self.grants if may(role, permission)]
        return make_scope(self.tenant_id, self.actor, reaches, self.touched) if reaches else None

    def context(self) -> Context:
        """Row-level security shows every site that any grant touches; the scope narrows further."""
        reaches = [reach for _, reach in self.grants]
        return make_scope(self.tenant_id, self.actor, reaches, self.touched).context()

    def get_token(self) -> AccessToken:
        """The token of a signed-in user; an API key has nobody who could enter a password or a code."""
        if self.token is None:
            raise Forbidden("an API key cannot do this: sign in as a user", code="PERSON_REQUIRED")
        return self.token

    def check_step_up(self, *, now: datetime) -> None:
        """For dangerous actions: second factor, or password without one, entered in the last five minutes.

        The command line acts as the system on the server itself: no step-up.
        """
        if self.actor.kind is ActorKind.SYSTEM:
            return
        token = self.get_token()
        required = Proof.TOTP if self.has_totp else Proof.PASSWORD
        is_recent = token.stepped_up_at is not None and now - token.stepped_up_at <= STEP_UP_LIFE
        if is_recent and token.stepped_up_by is required:
            return
        message = "enter your authenticator code first" if self.has_totp else "enter your password first"
        raise Forbidden(message, code="STEP_UP_REQUIRED", details={"proof": required.value})


def system_caller(tenant_id: UUID, actor: Actor = SYSTEM) -> Caller:
    """The server's own command line: everything an owner may do in this tenant."""
    return Caller(tenant_id, actor, ((Role.OWNER, WHOLE_TENANT),))


def automation_caller(tenant_id: UUID, actor: Actor) -> Caller:
    """Rules and demand response: request any command, approve none."""
    return Caller(tenant_id, actor, ((Role.NOC, WHOLE_TENANT),))


@dataclass(frozen=True)
class AccessRefusal:
    """A refusal with an audit entry: returned, not raised, so that the entry is committed before the answer is sent."""

    status: int
    code: str
    message: str
    retry_after_sec: int | None = None
    reason: str | None = None  # for the audit entry, not for the caller
