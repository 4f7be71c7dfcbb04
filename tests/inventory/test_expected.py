"""Expected states: intervals, overlaps, and maintenance by the API."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from hashinsight.inventory.service import end_expected, expect, expected_frame
from hashinsight.inventory.service.expected_states import ExpectedKind
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed
from tests.inventory.admin_client import AdminClient, SignIn
from tests.people import People

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
async def fleet(owner: AdminClient) -> AdminClient:
    await owner.load("one", "m1,S21,A,1,", "m2,S21,A,1,", "m3,S21,B,1,")
    await owner.load("two", "m4,S21,A,1,")
    return owner


async def set_state(
    database: Database, nos: list[int], state: ExpectedKind, *, at: datetime, hours: float | None
) -> list[int]:
    async with database.transaction(job_context()) as session:
        until = None if hours is None else at + hours * HOUR
        return await expect(session, nos, state, cause=f"test {state}", from_at=at, until_at=until, now=at)


async def states(database: Database, at: datetime, context: Context | None = None) -> dict[int, str]:
    frame: pl.DataFrame = await expected_frame(database, context or job_context(), at)
    return dict(frame.select("miner_no", "state").iter_rows())


@pytest.mark.usefixtures("fleet")
async def test_an_expected_state_counts_from_its_start_until_before_its_end(database: Database) -> None:
    assert await set_state(database, [1, 2, 2, 99], "curtailed", at=NOON, hours=1) == [1, 2]
    for at, expected in ((NOON - HOUR / 60, {}), (NOON, {1: "curtailed", 2: "curtailed"}), (NOON + HOUR, {})):
        assert await states(database, at) == expected


@pytest.mark.usefixtures("fleet")
async def test_of_overlapping_intervals_the_one_created_last_counts(database: Database) -> None:
    await set_state(database, [1], "maintenance", at=NOON, hours=None)
    await set_state(database, [1], "curtailed", at=NOON + HOUR, hours=1)
    seen = [(await states(database, NOON + hours * HOUR))[1] for hours in (0.5, 1, 1.5, 2, 100)]
    assert seen == ["maintenance", "curtailed", "curtailed", "maintenance", "maintenance"]


@pytest.mark.usefixtures("fleet")
async def test_ending_ends_running_and_deletes_planned_intervals(database: Database) -> None:
    await set_state(database, [1, 2], "maintenance", at=NOON, hours=None)
    await set_state(database, [1], "stopped", at=NOON, hours=None)
    await set_state(database, [2], "maintenance", at=NOON + 5 * HOUR, hours=1)
    async with database.transaction(job_context()) as session:
        assert await end_expected(session, [1, 2, 3], state="maintenance", now=NOON + HOUR) == [1, 2]
        assert await end_expected(session, [1, 2, 3], state="maintenance", now=NOON + HOUR) == []
    assert await states(database, NOON + HOUR) == {1: "stopped"}
    assert await states(database, NOON + 5.5 * HOUR) == {1: "stopped"}
    assert await states(database, NOON + HOUR / 2) == {1: "stopped", 2: "maintenance"}


@pytest.mark.usefixtures("fleet")
async def test_an_interval_that_ends_before_it_starts_is_refused(database: Database) -> None:
    with pytest.raises(ValidationFailed):
        await set_state(database, [1], "stopped", at=NOON, hours=0)


@pytest.mark.usefixtures("fleet")
async def test_the_frame_has_only_machines_that_the_context_sees(database: Database, people: People) -> None:
    await set_state(database, [1, 4], "curtailed", at=NOON, hours=None)
    tenant = str(await people.tenant_id("a"))
    assert set(await states(database, NOON, Context(tenant=tenant, sites=(2,)))) == {4}
    assert set(await states(database, NOON, Context(tenant=tenant))) == {1, 4}
    assert await states(database, NOON, Context()) == {}
    frame = await expected_frame(database, job_context(), NOON, site_id=1)
    assert frame["miner_no"].to_list() == [1]


async def test_set_show_and_end_maintenance_by_the_api(fleet: AdminClient) -> None:
    body = {"site_id": "one", "miner_ids": ["m1", "m2"], "reason": "new fans"}
    assert (await fleet.ok("POST", "/miners/maintenance", json=body))["machines"] == 2
    shown = (await fleet.ok("GET", "/miners/m1"))["expected"]
    assert (shown["state"], shown["until_at"], shown["cause"]) == ("maintenance", None, "maintenance: new fans")
    by_zone = {"filter": {"zone": "A", "site_id": "one"}, "reason": "fans are in"}
    assert (await fleet.ok("POST", "/miners/maintenance/end", json=by_zone))["machines"] == 2
    assert (await fleet.ok("GET", "/miners/m1"))["expected"] is None


@pytest.mark.parametrize(
    "bad",
    [
        {"reason": "x"},
        {"filter": {}, "reason": "x"},
        {"miner_ids": ["m1"], "filter": {"zone": "A"}, "reason": "x"},
        {"miner_ids": ["m1"], "reason": "x", "until_at": "2026-03-01T12:00:00"},
        {"miner_ids": ["m1"], "reason": "x", "until_at": "9999-12-31T23:59:59-14:00"},
        {"miner_ids": ["m1"], "reason": "x", "from_at": "9999-12-31T23:59:59-14:00"},
        {"miner_ids": ["m1"], "reason": "x", "from_at": "0001-01-01T00:00:00+14:00"},
        {"miner_ids": ["m1"], "reason": "x", "from_at": "2026-03-01T12:00:00Z", "until_at": "2026-03-01T11:00:00Z"},
    ],
)
async def test_maintenance_of_no_machine_of_all_or_with_an_end_before_its_start_is_refused(
    fleet: AdminClient, bad: dict[str, object]
) -> None:
    assert await fleet.refused("POST", "/miners/maintenance", json=bad) == (422, "VALIDATION_FAILED")


async def test_maintenance_is_limited_to_the_scope(fleet: AdminClient, sign_in: SignIn) -> None:
    noc = await sign_in("NOC", sites=[2])
    assert (await noc.ok("POST", "/miners/maintenance", json={"filter": {"zone": "A"}, "reason": "x"}))["machines"] == 1
    assert (await fleet.ok("GET", "/miners/m1"))["expected"] is None
