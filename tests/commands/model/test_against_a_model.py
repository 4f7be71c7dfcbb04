"""Hypothesis drives the services and a simple model side by side: after every act both say the same."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.checker import check_history
from hashinsight.commands.service.leases import LeaseHolder
from hashinsight.identity.caller import Caller
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import HashInsightError
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.command_site import CommandSite
from tests.commands.model.model import CLASSES, FINAL, HIGH, Model, One
from tests.commands.sabotage import remove_fence

MACHINES = 3
EXAMPLES = int(os.environ.get("HI_EXAMPLES", "10"))
TABLES = (
    "commands, commands_done, command_attempts, command_history, command_batches, approvals, command_devices,"
    " expected_states"
)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "slow fan": ("set_fan", {"speed": 30}),
    "fast fan": ("set_fan", {"speed": 90}),
    "enable": ("enable_hashing", {}),
    "disable": ("disable_hashing", {}),
    "light": ("fault_light", {"on": True}),
}


class Beside:
    """One loop and one fleet for all examples; each begins with empty tables, a month after the last one."""

    def __init__(self, address: DatabaseAddress, superuser_url: str) -> None:
        self.runner = asyncio.Runner()
        self.fleet = CommandSite(Database(address), superuser_url)
        self.fleet.open(MACHINES)
        self.holders = [self.fleet.north, self.fleet.south, self.fleet.zoned]
        self.looking = psycopg.connect(superuser_url, autocommit=True)

    def run(self, act: Any) -> Any:
        return self.runner.run(act)

    def begin(self) -> None:
        self.looking.execute(f"truncate {TABLES}".encode())
        self.fleet.pass_time(30 * 24 * 3600)
        self.began = self.fleet.now

    def close(self) -> None:
        self.looking.close()
        self.run(self.fleet.database.dispose())
        self.runner.close()


class Machine(RuleBasedStateMachine):
    beside: Beside
    commands = Bundle("commands")
    dispatches = Bundle("dispatches")

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.beside.begin()
        self.fleet = self.beside.fleet

    @rule(
        target=commands,
        miner=st.integers(1, MACHINES),
        what=st.sampled_from(sorted(KINDS)),
        priority=st.sampled_from(CLASSES),
        emergency=st.booleans(),
        ttl=st.sampled_from([60, 600, 3600, 3600]),
        retries=st.integers(0, 3),
    )
    def request(self, miner: int, what: str, priority: str, ttl: int, retries: int, *, emergency: bool) -> Any:
        kind, params = KINDS[what]
        more: dict[str, Any] = {"priority": priority, "ttl_sec": ttl, "max_retries": retries, "emergency": emergency}
        answer = self.beside.run(self.fleet.request(kind, miner, params=params, **more))
        waits = kind in HIGH and not emergency
        made = answer.commands[0].command_id if answer.commands else UUID(int=0)
        lives, now = timedelta(seconds=ttl), self.fleet.now
        new = One(made, miner, kind, what, CLASSES.index(priority), emergency, now, lives, retries, waits)
        new.expires = None if waits else now + lives
        refused, displaced = self.model.weigh(new)
        assert [one.error_code for one in answer.refused] == ([] if refused is None else [refused])
        if refused is not None:
            return multiple()
        self.model.make(new, displaced)
        return new.id

    @rule(target=dispatches, who=st.integers(0, 2))
    def poll(self, who: int) -> Any:
        holder: LeaseHolder = self.beside.holders[who]
        leased = self.beside.run(self.fleet.lease(holder))
        expected = self.model.next_for(holder.zone_id is not None, self.fleet.now)
        assert [one.command_id for one in leased] == [one.id for one in expected]
        for one, got in zip(expected, leased, strict=True):
            self.model.lease(one, got.dispatch_id, (holder.collector_id, None), self.fleet.now)
        return multiple(*(got.dispatch_id for got in leased))

    @rule(dispatch=dispatches, who=st.integers(0, 2), status=st.sampled_from(AckStatus))
    def ack_by_anybody(self, dispatch: UUID, who: int, status: AckStatus) -> None:
        self._ack([(dispatch, status)], self.beside.holders[who])

    @precondition(lambda self: any(self.model.active()))
    @rule(data=st.data(), status=st.sampled_from([*AckStatus, AckStatus.FAILED, AckStatus.FAILED]))
    def ack_by_its_holder(self, data: st.DataObject, status: AckStatus) -> None:
        one = data.draw(st.sampled_from(list(self.model.active())))
        (holder,) = (holder for holder in self.beside.holders if one.holder and holder.collector_id == one.holder[0])
        self._ack([(self._given(one.dispatch), status)], holder)

    @precondition(lambda self: any(self.model.outdated()))
    @rule(data=st.data(), status=st.sampled_from(AckStatus), who=st.integers(0, 2))
    def ack_of_an_older_dispatch(self, data: st.DataObject, status: AckStatus, who: int) -> None:
        self._ack([(data.draw(st.sampled_from(list(self.model.outdated()))), status)], self.beside.holders[who])

    @rule(
        said=st.lists(st.tuples(dispatches, st.sampled_from(AckStatus)), min_size=2, max_size=4), who=st.integers(0, 2)
    )
    def ack_a_batch(self, said: list[tuple[UUID, AckStatus]], who: int) -> None:
        self._ack(said, self.beside.holders[who])

    def _ack(self, said: list[tuple[UUID, AckStatus]], holder: LeaseHolder) -> None:
        answers = self.beside.run(self.fleet.ack(*(Ack(str(one), status) for one, status in said), holder=holder))
        who = (holder.collector_id, None)
        expected = self.model.ack_all([(one, status.value) for one, status in said], who, self.fleet.now)
        assert [(one.applied, one.state, one.error_code) for one in answers] == expected

    @rule(command=commands, by=st.sampled_from(["ann", "olga"]), rejects=st.booleans())
    def decide(self, command: UUID, by: str, *, rejects: bool) -> None:
        one, act = self.model.all[command], self.fleet.reject if rejects else self.fleet.approve
        done = self._try(act(DecisionTarget(command), self._asker(by)))
        stands = one.state == "queued" and one.waits
        assert done == (stands and (rejects or by != "ann"))
        if done and rejects:
            one.go("canceled")
        elif done:
            one.waits, one.expires, one.not_before = False, self.fleet.now + one.ttl, self.fleet.now

    @rule(command=commands)
    def cancel(self, command: UUID) -> None:
        one = self.model.all[command]
        done = self._try(self.fleet.cancel(DecisionTarget(command), self._asker("olga")))
        assert done == (one.state not in FINAL and not one.canceling)
        if done and one.state == "queued":
            one.go("canceled")
        elif done:
            one.canceling = True

    @rule(times=st.sampled_from([1, 1, 1, 1, 2, 2, 2, 6, 7, 7, 20, 3000]))
    def pass_time(self, times: int) -> None:
        """Whole half minutes: nothing here is younger than what the services round to."""
        self.fleet.pass_time(30 * times)

    @rule()
    def sweep(self) -> None:
        self.beside.run(self.fleet.sweep())
        self.model.sweep(self.fleet.now)

    @rule()
    def archive(self) -> None:
        self.beside.run(self.fleet.archive())

    @invariant()
    def both_say_the_same(self) -> None:
        rows = self.beside.looking.execute(
            "select command_id, state, dispatch_id, attempt from all_commands"
        ).fetchall()
        found = {command_id: (state, dispatch, tries) for command_id, state, dispatch, tries in rows}
        assert len(rows) == len(found)
        assert found == {one.id: (one.state, one.dispatch, one.tries) for one in self.model.all.values()}
        assert all(n == 1 for n in Counter(one.miner for one in self.model.active()).values())

    def teardown(self) -> None:
        examined = self.beside.run(check_history(self.fleet.database, self.fleet.tenant, since=self.beside.began))
        assert examined.findings == []

    @staticmethod
    def _given(dispatch: UUID | None) -> UUID:
        assert dispatch is not None
        return dispatch

    def _asker(self, name: str) -> Caller:
        return self.fleet.person(name)

    def _try(self, act: Any) -> bool:
        try:
            self.beside.run(act)
        except HashInsightError:
            return False
        return True


@pytest.fixture
def beside(address: DatabaseAddress, superuser_url: str) -> Iterator[Beside]:
    made = Beside(address, superuser_url)
    yield made
    made.close()


def _drive(beside: Beside, *phases: Phase) -> None:
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=60,
        deadline=None,
        derandomize=EXAMPLES <= 20,  # the same examples in every `make test`; new ones in a campaign
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=phases,
        print_blob=False,
    )
    run_state_machine_as_test(type("Driven", (Machine,), {"beside": beside}), settings=chosen)


def test_services_and_model_say_the_same_after_every_act(beside: Beside) -> None:
    _drive(beside, Phase.generate, Phase.shrink)


def _ack_late(beside: Beside) -> None:
    """A first attempt fails, a second one is under way, and then the first is said to have worked after all."""
    machine = type("Driven", (Machine,), {"beside": beside})()
    holder = beside.holders[0]
    machine.request(miner=2, what="slow fan", priority="efficiency", ttl=3600, retries=3, emergency=False)
    machine.poll(who=0)
    (first,) = (one.dispatch for one in machine.model.active())
    machine._ack([(first, AckStatus.FAILED)], holder)
    machine.pass_time(times=20)
    machine.sweep()
    machine.poll(who=0)
    assert [one.dispatch != first for one in machine.model.active()] == [True]
    machine._ack([(first, AckStatus.SUCCEEDED)], holder)
    machine.both_say_the_same()


def test_a_late_ack_of_an_older_attempt_moves_nothing_and_the_model_says_so(beside: Beside) -> None:
    _ack_late(beside)


def test_a_build_without_the_fence_is_told_apart(beside: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    remove_fence(monkeypatch)
    with pytest.raises(AssertionError):
        _ack_late(beside)
