"""How many machines a collector may register: the rest is refused, one by one, and the operator is told once."""

import asyncio
from datetime import timedelta
from typing import Any

from hashinsight.telemetry.service.registration import RegistrationLimits
from tests.telemetry.fleet import Fleet
from tests.telemetry.place import Place


def limit(place: Place, per_call: int, per_day: int) -> None:
    lookup = place.api.app.state.store.machines  # type: ignore[attr-defined] # the fixture's
    lookup.limits = RegistrationLimits(per_call=per_call, per_day=per_day)


async def send(place: Place, begins: int, ends: int, at: str, **headers: str) -> tuple[int, set[str]]:
    samples = [{"miner_id": f"m{n}", "ts": at} for n in range(begins, ends)]
    answer = await place.post(samples, headers=headers)
    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert said["accepted"] + said["rejected"] + said["duplicates"] == len(samples)
    return said["accepted"], {error["error_code"] for error in said["errors"]}


async def told(place: Place) -> list[dict[str, Any]]:
    found = await place.api.get(
        "/api/admin/v1/collector-events", params={"kind": "registration_limit"}, headers=place.owner
    )
    events: list[dict[str, Any]] = found.json()["events"]
    return events


def audited(place: Place) -> int:
    count: int = place.rows("select count(*) from audit_log where action = 'registration_limited'")[0][0]
    return count


async def test_five_thousand_unknown_machines_in_one_call_are_not_all_registered(place: Place) -> None:
    samples = [{"miner_id": f"m{n}", "ts": place.at(0)} for n in range(5000)]
    said = (await place.post(samples, zipped=True)).json()
    assert (said["success"], said["accepted"], said["rejected"]) == (True, 1000, 4000)
    assert {error["error_code"] for error in said["errors"]} == {"REGISTRATION_LIMIT"}
    assert [error["index"] for error in said["errors"]][:3] == [1000, 1001, 1002], "the first of the batch come in"
    assert place.rows("select count(*), count(distinct registered_by) from miners") == [(1000, 1)]


async def test_over_the_limit_known_machines_go_on_and_the_operator_is_told_once(place: Place, fleet: Fleet) -> None:
    limit(place, 10, 25)
    assert await send(place, 0, 30, fleet.at(0)) == (10, {"REGISTRATION_LIMIT"})
    assert await send(place, 0, 30, fleet.at(1)) == (20, {"REGISTRATION_LIMIT"}), "the next call goes on"
    assert await send(place, 0, 30, fleet.at(2)) == (25, {"REGISTRATION_LIMIT"}), "until the day is full"
    for n in range(3, 6):
        assert await send(place, 0, 30, fleet.at(n)) == (25, {"REGISTRATION_LIMIT"})
    assert await send(place, 100, 101, fleet.at(0)) == (0, {"REGISTRATION_LIMIT"})
    events = await told(place)
    assert {one["details"]["limit"]: one["details"]["refused"] for one in events} == {"per_call": 20, "per_day": 5}
    assert {(one["severity"], one["source"]) for one in events} == {("warning", "cloud")}
    assert audited(place) == 2
    fleet.set_clock(fleet.now + timedelta(hours=24, seconds=1))
    assert await send(place, 30, 32, fleet.at(0)) == (2, set()), "a day later there is room"


async def test_each_collector_has_its_own_room(place: Place) -> None:
    limit(place, 10, 10)
    other = await place.add_collector("south", "tx-1")
    assert await send(place, 0, 20, place.at(0)) == (10, {"REGISTRATION_LIMIT"})
    assert await send(place, 10, 20, place.at(0), **other) == (10, set())


async def test_calls_of_one_token_at_the_same_moment_share_its_room(place: Place) -> None:
    limit(place, 10, 15)
    sent = await asyncio.gather(*(send(place, 10 * n, 10 * n + 10, place.at(0)) for n in range(6)))
    assert sum(accepted for accepted, _ in sent) == 15
    assert place.rows("select count(*) from miners") == [(15,)]


async def test_a_collector_cannot_keep_the_operator_from_being_told(place: Place) -> None:
    limit(place, 1, 1)
    forged = {"kind": "registration_limit", "details": {"limit": "per_day"}, "severity": "info"}
    await place.api.post("/api/edge/v1/events", json={"events": [forged]}, headers=place.collector)
    assert await send(place, 0, 3, place.at(0)) == (1, {"REGISTRATION_LIMIT"})
    assert await send(place, 0, 3, place.at(1)) == (1, {"REGISTRATION_LIMIT"})
    assert [one["details"]["limit"] for one in await told(place) if one["source"] == "cloud"] == ["per_day", "per_call"]
