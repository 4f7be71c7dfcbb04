"""Expected states of machines: intervals, and which one counts at a time."""

from collections.abc import Sequence
from datetime import datetime

from psycopg import sql
from sqlalchemy import (
    ARRAY,
    DateTime,
    Integer,
    Text,
    Uuid,
    bindparam,
    delete,
    literal,
    or_,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.models import ExpectedState
from hashinsight.kit.ids import new_id

_TIMESTAMP = DateTime(timezone=True)

_INSERT = text("""
insert into expected_states (id, tenant_id, site_id, miner_no, state, from_at, until_at, cause, created_at)
select
    given.id,
    m.tenant_id,
    m.site_id,
    m.miner_no,
    :state,
    :from_at,
    :until_at,
    :cause,
    :now
from unnest(:ids, :miner_nos) as given (id, miner_no)
join miners m on m.miner_no = given.miner_no
returning miner_no
""").bindparams(
    bindparam("ids", type_=ARRAY(Uuid)),
    bindparam("miner_nos", type_=ARRAY(Integer)),
    bindparam("state", type_=Text),
    bindparam("cause", type_=Text),
    bindparam("from_at", type_=_TIMESTAMP),
    bindparam("until_at", type_=_TIMESTAMP),
    bindparam("now", type_=_TIMESTAMP),
)

_INSERT_EACH = text("""
insert into expected_states (id, tenant_id, site_id, miner_no, state, from_at, until_at, cause, created_at)
select
    given.id,
    m.tenant_id,
    m.site_id,
    m.miner_no,
    given.state,
    :now,
    given.until_at,
    given.cause,
    :now
from unnest(:ids, :miner_nos, :states, :untils, :causes) as given (id, miner_no, state, until_at, cause)
join miners m on m.miner_no = given.miner_no
""").bindparams(
    bindparam("ids", type_=ARRAY(Uuid)),
    bindparam("miner_nos", type_=ARRAY(Integer)),
    bindparam("states", type_=ARRAY(Text)),
    bindparam("untils", type_=ARRAY(_TIMESTAMP)),
    bindparam("causes", type_=ARRAY(Text)),
    bindparam("now", type_=_TIMESTAMP),
)

_UPDATE_CAUSES = text("""
update expected_states e
set cause = given.cause
from unnest(:miner_nos, :causes) as given (miner_no, cause)
where e.miner_no = given.miner_no
and e.until_at is null
and e.from_at <= :now
and e.state = any (:states)
and starts_with(e.cause, :beginning)
""").bindparams(
    bindparam("miner_nos", type_=ARRAY(Integer)),
    bindparam("causes", type_=ARRAY(Text)),
    bindparam("states", type_=ARRAY(Text)),
    bindparam("beginning", type_=Text),
    bindparam("now", type_=_TIMESTAMP),
)


async def update_causes(
    session: AsyncSession,
    miner_nos: Sequence[int],
    causes: Sequence[str],
    *,
    states: Sequence[str],
    beginning: str,
    now: datetime,
) -> None:
    values = {"miner_nos": list(miner_nos), "causes": list(causes), "states": list(states), "beginning": beginning}
    await session.execute(_UPDATE_CAUSES, {**values, "now": now})


async def insert_each(
    session: AsyncSession, rows: Sequence[tuple[int, str, str, datetime | None]], *, now: datetime
) -> None:
    """Rows of machine, state, cause and end, in one statement."""
    miner_nos, states, causes, untils = zip(*rows, strict=True)
    values = {"miner_nos": list(miner_nos), "states": list(states), "causes": list(causes), "untils": list(untils)}
    await session.execute(_INSERT_EACH, {"ids": [new_id() for _ in rows], "now": now, **values})


async def insert_expected(
    session: AsyncSession,
    miner_nos: Sequence[int],
    state: str,
    *,
    cause: str,
    from_at: datetime,
    until_at: datetime | None,
    now: datetime,
) -> list[int]:
    unique = list(dict.fromkeys(miner_nos))
    values = {"state": state, "cause": cause, "from_at": from_at, "until_at": until_at, "now": now}
    ids = [new_id() for _ in unique]
    return list((await session.execute(_INSERT, {"ids": ids, "miner_nos": unique, **values})).scalars())


async def end_expected(
    session: AsyncSession,
    miner_nos: Sequence[int],
    *,
    states: Sequence[str] | None,
    causes: Sequence[str] | None,
    now: datetime,
) -> list[int]:
    """End intervals that run, delete those not begun; returns the machines."""
    conditions = [
        ExpectedState.miner_no == literal(list(miner_nos), ARRAY(Integer)).any_(),
        or_(ExpectedState.until_at.is_(None), ExpectedState.until_at > now),
    ]
    for column, values in ((ExpectedState.state, states), (ExpectedState.cause, causes)):
        if values is not None:
            conditions.append(column == literal(list(values), ARRAY(Text)).any_())
    deleted = await session.execute(
        delete(ExpectedState).where(*conditions, ExpectedState.from_at >= now).returning(ExpectedState.miner_no)
    )
    ended = await session.execute(
        update(ExpectedState).where(*conditions).values(until_at=now).returning(ExpectedState.miner_no)
    )
    return sorted({*deleted.scalars(), *ended.scalars()})


def expected_as_of(as_of: datetime, site_id: int | None) -> sql.Composed:
    """For a frame: expected states by intervals, of every machine that the transaction sees."""
    site = sql.SQL("") if site_id is None else sql.SQL("and site_id = {}").format(sql.Literal(site_id))
    return sql.SQL(
        """
        select distinct on (miner_no)
            miner_no,
            state,
            from_at,
            until_at,
            cause
        from expected_states
        where from_at <= {at} and (until_at is null or until_at > {at}) {site}
        order by miner_no, created_at desc, id desc
        """
    ).format(at=sql.Literal(as_of), site=site)
