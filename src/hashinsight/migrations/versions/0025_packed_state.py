"""Problems: what a cycle carries on and SQL never looks into is packed, its numbers one after the other as bytes.

Of an array the server sends and takes each number by a call of its own.
"""

import numpy as np
import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

# by the type of their numbers; as `problems.state.PACKED` had them when this was written
_PACKED = {
    "real": "smooth cusum_up cusum_down block_sum blocks block_samples mode_hashrate mode_power own_ths inferred_ths"
    " expected_ths recent_accepted recent_rejected recent_errors recent_ths_hours last_temp_c last_power_w"
    " last_hashrate_ths still_cycles volatility slope slope_hours",
    "double precision": "block_began seen_ts booted_at boot_times accepted rejected hw_errors uptime_sec",
    "smallint": "reference_level mode_candidate mode_agreed inferred_by expectation",
    "bigint": "firmware_key",
}
_SENT_BY = {"real": "float4send", "double precision": "float8send", "smallint": "int2send", "bigint": "int8send"}
_READ_AS = {"real": ">f4", "double precision": ">f8", "smallint": ">i2", "bigint": ">i8"}


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for kind, sent_by in _SENT_BY.items():
        op.execute(f"""
            create function pg_temp.packed({kind}[]) returns bytea language sql immutable as $$
                select string_agg({sent_by}(number), '' order by place)
                from unnest($1) with ordinality u (number, place)
            $$
        """)  # noqa: S608 - our own names
    turned = [
        f"alter {name} type bytea using pg_temp.packed({name}), alter {name} set storage external"
        for names in _PACKED.values()
        for name in names.split()
    ]
    op.execute(f"alter table problem_state {', '.join(turned)}")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    connection = op.get_bind()
    for kind, names in _PACKED.items():
        for name in names.split():
            op.execute(f"alter table problem_state rename {name} to packed")
            op.execute(f"alter table problem_state add {name} {kind}[]")
            op.execute(f"alter table problem_state alter {name} set storage external")
            filled = sa.text(
                f"update problem_state set {name} = :numbers where site_id = :site_id and chunk = :chunk"  # noqa: S608
            )
            for row in connection.execute(sa.text("select site_id, chunk, packed from problem_state")).all():
                numbers = np.frombuffer(row.packed, _READ_AS[kind]).tolist()
                connection.execute(filled, {"numbers": numbers, "site_id": row.site_id, "chunk": row.chunk})
            op.drop_column("problem_state", "packed")
            op.alter_column("problem_state", name, nullable=False)
