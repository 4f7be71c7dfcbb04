"""Signed-in people for tests: tenants, users with grants, and the headers that their requests carry."""

from uuid import UUID

from hashinsight.audit.actions import SYSTEM, Action, Actor, ActorKind
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import Reach
from hashinsight.identity.service.login import Credentials, Tokens, _issue_tokens, _open_session, login
from hashinsight.identity.service.tenants import create_tenant
from hashinsight.identity.service.users import NewUser, create_user
from hashinsight.identity.tokens import Proof
from hashinsight.kit.clock import system_clock
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings

PASSWORD = "a long enough phrase"
VISITOR = Actor(ActorKind.ANONYMOUS, None, "test-request", "127.0.0.1")


class People:
    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._vault = Vault(load_secret_key(settings))
        self._tenants: dict[str, UUID] = {}
        self.clock = system_clock  # an application whose clock stands still takes no token from later than that

    async def tenant_id(self, name: str = "a") -> UUID:
        if name not in self._tenants:
            async with self._database.transaction(job_context()) as session:
                self._tenants[name] = (await create_tenant(session, SYSTEM, name, now=self.clock())).id
        return self._tenants[name]

    async def user(
        self, role: str = "Owner", tenant: str = "a", *, email: str | None = None, reach: Reach | None = None
    ) -> tuple[UUID, str]:
        """A new user: the id and the e-mail. The password is PASSWORD."""
        email = email or f"{new_id().hex}@example.com"
        tenant_id = await self.tenant_id(tenant)
        async with self._database.transaction(job_context()) as session:
            user = await create_user(session, SYSTEM, tenant_id, _new_user(role, email, reach), now=self.clock())
        return user.id, email

    async def sign_in(self, email: str, code: str | None = None) -> Tokens:
        given = Credentials(email, PASSWORD, code)
        result = await login(self._database, self._vault, VISITOR, given, now=self.clock())
        assert not isinstance(result, AccessRefusal), result
        return result

    async def headers(
        self,
        role: str = "Owner",
        tenant: str = "a",
        *,
        sites: list[int] | None = None,
        zones: list[int] | None = None,
        groups: list[int] | None = None,
    ) -> dict[str, str]:
        """The headers of a new user with this role over this scope, signed in without the login's checks.

        Those are 18 statements, and nearly every test begins with this; the rows are the same.
        """

        def some(ids: list[int] | None) -> tuple[int, ...] | None:
            return None if ids is None else tuple(ids)

        email, now = f"{new_id().hex}@example.com", self.clock()
        new = _new_user(role, email, Reach(some(sites), some(zones), some(groups)))
        tenant_id = await self.tenant_id(tenant)
        async with self._database.transaction(job_context()) as session:
            user = await create_user(session, SYSTEM, tenant_id, new, now=now)
            user.last_login_at = now
            opened = _open_session(user, Credentials(email, PASSWORD), VISITOR, now=now)
            session.add(opened)
            await session.flush()
            tokens = await _issue_tokens(session, self._vault, opened, proof=Proof.PASSWORD, now=now)
            actor = Actor(ActorKind.USER, str(user.id), VISITOR.request_id, VISITOR.address)
            await record(session, actor, Action.LOGIN, "session", opened.id, tenant_id=tenant_id, now=now)
        return {"Authorization": f"Bearer {tokens.access_token}"}


def _new_user(role: str, email: str, reach: Reach | None) -> NewUser:
    reach = reach or Reach()
    return NewUser(email, PASSWORD, Role(role), reach=reach, whole_tenant=reach.is_whole)
