"""The user behind an API key, also for old keys that were created by other keys."""

from uuid import UUID

import psycopg
import pytest
from alembic import command

from hashinsight.audit.actions import SYSTEM, Actor, ActorKind
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import WHOLE_TENANT
from hashinsight.identity.service.keys import create_key
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.ids import new_id
from hashinsight.migrations import upgrade
from hashinsight.migrations.runner import config, run_as_owner
from tests.people import People

BEFORE = "0015"


async def test_a_migrated_key_belongs_to_the_user_who_created_the_first_key_of_its_chain(
    admin_of_test: DatabaseAddress, superuser_url: str, people: People
) -> None:
    user_id, _ = await people.user("Owner")
    foreign_id, _ = await people.user("Owner", "b")
    tenant_id = await people.tenant_id()
    first, second, third, of_server, by_it, ring, ring_too, of_foreign = (new_id() for _ in range(8))
    makers: dict[UUID, UUID | None] = {
        first: user_id,
        second: first,
        third: second,
        of_server: None,
        by_it: of_server,
        ring: ring_too,
        ring_too: ring,
        of_foreign: foreign_id,
    }
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), BEFORE))
    with psycopg.connect(superuser_url) as connection:
        for key_id, maker in makers.items():
            connection.execute(
                "insert into api_keys (id, tenant_id, name, key_hash, key_start, created_at, created_by)"
                " values (%s, %s, 'k', %s, 'hi', now(), %s)",
                [key_id, tenant_id, key_id.bytes, None if maker is None else str(maker)],
            )
    await upgrade(admin_of_test, login=LOGIN_ROLE)
    with psycopg.connect(superuser_url) as connection:
        persons: dict[UUID, UUID | None] = dict(connection.execute("select id, user_id from api_keys").fetchall())
        query = "select person_of('api_key', %s), person_of('user', 'x'), person_of('rule', 'r')"
        of_third = connection.execute(query, [str(third)]).fetchone()
    nobody = dict.fromkeys((of_server, by_it, ring, ring_too, of_foreign))
    assert persons == dict.fromkeys((first, second, third), user_id) | nobody
    assert of_third == (str(user_id), "x", None)


async def test_an_api_key_cannot_create_keys(database: Database, people: People) -> None:
    tenant_id, now = await people.tenant_id(), system_clock()
    user_id, _ = await people.user("Owner")
    async with database.transaction(job_context()) as session:
        for actor, person in ((Actor(ActorKind.USER, str(user_id)), user_id), (SYSTEM, None)):
            key, _ = await create_key(session, actor, tenant_id, name="k", role=Role.NOC, reach=WHOLE_TENANT, now=now)
            assert key.user_id == person
        robot = Actor(ActorKind.API_KEY, str(key.id))
        with pytest.raises(Forbidden, match="cannot create keys"):
            await create_key(session, robot, tenant_id, name="k", role=Role.NOC, reach=WHOLE_TENANT, now=now)
