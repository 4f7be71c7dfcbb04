"""The step to packed state: what was learnt is the same after it, and after the way back."""

import psycopg
from alembic import command

from hashinsight.kit.db import binary
from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress
from hashinsight.migrations import upgrade
from hashinsight.migrations.runner import config, run_as_owner
from hashinsight.problems.state import FIELDS, PACKED

_WIRE = {"real": "f4", "double precision": "f8", "smallint": "i2", "bigint": "i8"}
_TYPES = """
select a.attname, format_type(a.atttypid, a.atttypmod) from pg_attribute a
where a.attrelid = 'problem_state'::regclass and a.attnum > 0 and not a.attisdropped
"""


async def test_cycle_state_survives_packing_and_unpacking(admin_of_test: DatabaseAddress, superuser_url: str) -> None:
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "0024"))
    with psycopg.connect(superuser_url, autocommit=True) as db:
        arrays = {name: kind.removesuffix("[]") for name, kind in db.execute(_TYPES) if kind.endswith("[]")}
        assert set(arrays) == {*FIELDS, "miner_no"}
        db.execute(b"insert into tenants (id, name, created_at) values (gen_random_uuid(), 'a', now())")
        before = {
            name: [float("nan"), 2.5, -1e6] if kind in ("real", "double precision") else [-1, 0, 300]
            for name, kind in arrays.items()
        }
        names = ", ".join(before)
        db.execute(
            f"insert into problem_state (site_id, chunk, tenant_id, {names})"
            f" select 1, 0, id, {', '.join(f'%s::{arrays[name]}[]' for name in before)} from tenants".encode(),
            list(before.values()),
        )
        await upgrade(admin_of_test, login=LOGIN_ROLE)
        assert {name for name, kind in db.execute(_TYPES) if kind == "bytea"} == PACKED
        for name in PACKED:
            stored = db.execute(f"select {name} from problem_state".encode()).fetchone()
            assert stored is not None
            assert str(binary.unpacked(stored[0], _WIRE[arrays[name]]).tolist()) == str(before[name])
        await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "0024"))
        after = db.execute(f"select {names} from problem_state".encode()).fetchone()
        assert str(after) == str(tuple(before.values()))
        assert {name: kind for name, kind in db.execute(_TYPES) if name in arrays} == {
            name: f"{kind}[]" for name, kind in arrays.items()
        }
