import base64
import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text

from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed
from hashinsight.kit.paging import decode_cursor, encode_cursor, page
from hashinsight.kit.ticks.models import TickRunRow

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
keys = st.tuples(
    st.datetimes(timezones=st.just(UTC)),
    st.uuids(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=50),
)


@given(keys)
def test_a_cursor_gives_back_the_key_that_it_was_made_of(key: tuple[Any, ...]) -> None:
    assert decode_cursor(encode_cursor(key), [datetime, UUID, int, float, str]) == key


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_whatever_is_no_cursor_of_ours_is_refused_with_a_code(cursor: str) -> None:
    with pytest.raises(ValidationFailed):
        decode_cursor(cursor, [datetime, int])


@pytest.mark.parametrize(
    "content",
    [
        [["i", "1; drop table x"]],
        [["i", True]],
        [["t", "2026-03-01T12:00:00"]],
        [["x", 1]],
        {"a": 1},
        [["i", 1], ["i", 2]],
        [[["i"], 1]],
        [["i", 10**30]],
        [["s", "a\0b"]],
        [["s", "\ud800"]],
    ],
)
def test_a_forged_cursor_is_refused(content: Any) -> None:
    forged = base64.urlsafe_b64encode(json.dumps(content).encode()).decode()
    for kind in (int, str):
        with pytest.raises(ValidationFailed):
            decode_cursor(forged, [kind])


@pytest.fixture
async def rows(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        await session.execute(
            text(
                "insert into tick_runs (tick, site_id, period) select 't', n % 3, cast(:noon as timestamptz)"
                " + n * interval '1 minute' from generate_series(1, 25) as n"
            ),
            {"noon": NOON},
        )


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("descending", [False, True])
async def test_pages_show_every_row_once_in_order_even_while_rows_come_and_go(
    database: Database, *, descending: bool
) -> None:
    seen: list[tuple[int, datetime]] = []
    cursor: str | None = None
    query = select(TickRunRow.site_id, TickRunRow.period)
    key = [TickRunRow.site_id, TickRunRow.period]
    async with database.transaction(job_context()) as session:
        while True:
            result = await page(session, query, key, limit=4, cursor=cursor, descending=descending)
            seen += [tuple(row) for row in result.rows]
            # a row behind us and one that we have shown: neither may disturb what is to come
            await session.execute(text("delete from tick_runs where period = :p"), {"p": seen[-1][1]})
            cursor = result.next_cursor
            if cursor is None:
                break
    assert len(seen) == 25
    assert seen == sorted(seen, reverse=descending)


@pytest.mark.usefixtures("rows")
async def test_a_full_last_page_has_no_next_cursor(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        key = [TickRunRow.site_id, TickRunRow.period]
        whole = await page(session, select(TickRunRow), key, limit=25)
    assert len(whole.rows) == 25
    assert isinstance(whole.rows[0], TickRunRow)
    assert whole.next_cursor is None


@pytest.mark.parametrize("limit", [0, -1, 1001])
async def test_a_limit_out_of_bounds_is_refused(database: Database, limit: int) -> None:
    async with database.transaction(job_context()) as session:
        with pytest.raises(ValidationFailed):
            await page(session, select(TickRunRow), [TickRunRow.period], limit=limit)
