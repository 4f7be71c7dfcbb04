"""The step to listed settings, with changes of configuration that were asked for before it."""

import json

import psycopg
from alembic import command
from psycopg.rows import dict_row

from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress
from hashinsight.migrations import upgrade
from hashinsight.migrations.runner import config, run_as_owner

_PLACE = """
insert into tenants (id, name, created_at) values (gen_random_uuid(), 'a', now());
insert into sites (tenant_id, code, name, created_at) select id, 'one', 'x', now() from tenants;
insert into miners (tenant_id, site_id, miner_id, model, created_at, updated_at)
select tenant_id, id, 'm' || n, 'Antminer S19', now(), now() from sites, generate_series(1, 9) n
"""
_COMMAND = """
insert into commands (command_id, tenant_id, site_id, miner_no, miner_id, batch_id, command_type, is_control, params,
    asks, priority, priority_number, urgency, emergency, ttl_sec, expires_at, approval_state, approval_until,
    created_by_kind, created_at, created_reason, state, moves, attempt, max_retries, retry_backoff_sec, next_attempt_at,
    dispatch_id, lease_owner, lease_until, updated_at)
select gen_random_uuid(), tenant_id, site_id, miner_no, miner_id, gen_random_uuid(), 'update_config', true,
    jsonb_build_object('config', cast(%(config)s as jsonb)), '', 'efficiency', 5, 15, false, 900,
    case when not %(waits)s then now() + interval '900 s' end, case when %(waits)s then 'required' else 'none' end,
    now() + interval '1 day', 'user', now(), 'x', case when %(leased)s then 'dispatched' else 'queued' end, 1,
    %(leased)s::int, 3, 15, now(), case when %(leased)s then gen_random_uuid() end,
    case when %(leased)s then gen_random_uuid() end, case when %(leased)s then now() + interval '180 s' end, now()
from miners where miner_id = %(miner_id)s
"""


async def test_open_changes_of_configuration_that_are_not_listed_are_canceled_on_record(
    admin_of_test: DatabaseAddress, superuser_url: str
) -> None:
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "0017"))
    listed = {"power_mode": "eco", "power_limit_w": 3000, "frequency_mhz": 490.5, "fan_speed_pct": 100}
    commands = [
        ("m1", listed, "queued"),
        ("m2", {**listed, "url": "stratum+tcp://elsewhere.example:3333"}, "canceled"),
        ("m3", {"power_limit_w": 50_000}, "canceled"),
        ("m4", {"fan_speed_pct": "100"}, "canceled"),
        ("m5", [], "canceled"),
        ("m6", {"power_mode": None}, "canceled"),
        ("m7", {"pools": []}, "dispatched"),
        ("m8", {"pools": []}, "canceled"),
    ]
    with psycopg.connect(superuser_url, autocommit=True, row_factory=dict_row) as db:
        db.execute(_PLACE.encode())
        for miner_id, settings, _ in commands:
            waits, leased = miner_id == "m8", miner_id == "m7"
            values = {"config": json.dumps(settings), "miner_id": miner_id, "waits": waits, "leased": leased}
            db.execute(_COMMAND.encode(), values)
        await upgrade(admin_of_test, login=LOGIN_ROLE)
        rows = db.execute(
            "select miner_id, state, cancel_requested_at, moves from commands order by miner_id"
        ).fetchall()
        assert [(row["miner_id"], row["state"]) for row in rows] == [
            (miner_id, state) for miner_id, _, state in commands
        ]
        assert [row["miner_id"] for row in rows if row["cancel_requested_at"] is None] == ["m1"]
        moves = db.execute(
            "select c.miner_id, h.n = c.moves as is_newest, h.event, a.action, h.at = a.at as at_once, a.reason"
            " from commands c join command_history h using (command_id) join audit_log a on a.entity_id ="
            " c.command_id::text order by 1"
        ).fetchall()
        assert [(row["miner_id"], row["event"], row["action"]) for row in moves] == [
            (row["miner_id"], event, f"command_{event}")
            for row in rows[1:]
            for event in ["cancel_requested" if row["state"] == "dispatched" else "canceled"]
        ]
        assert all(row["is_newest"] and row["at_once"] and "listed settings" in row["reason"] for row in moves)
