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
from tests.commands.model.model import CLASSES, FINAL, HIGH, Model, ModelCommand
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


class ServiceLoop:
    """One loop and one fleet for all examples; each begins with empty tables, a month after the last."""

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
    loop: ServiceLoop
    commands = Bundle("commands")
    dispatches = Bundle("dispatches")

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.loop.begin()
        self.fleet = self.loop.fleet

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
        answer = self.loop.run(self.fleet.request(kind, miner, params=params, **more))
        waits = kind in HIGH and not emergency
        made = answer.commands[0].command_id if answer.commands else UUID(int=0)
        lives, now = timedelta(seconds=ttl), self.fleet.now
        new = ModelCommand(made, miner, kind, what, CLASSES.index(priority), emergency, now, lives, retries, waits)
        new.expires = None if waits else now + lives
        refused, displaced = self.model.weigh(new)
        assert [refusal.error_code for refusal in answer.refused] == ([] if refused is None else [refused])
        if refused is not None:
            return multiple()
        self.model.make(new, displaced)
        return new.id

    @rule(target=dispatches, who=st.integers(0, 2))
    def poll(self, who: int) -> Any:
        holder: LeaseHolder = self.loop.holders[who]
        leased = self.loop.run(self.fleet.lease(holder))
        expected = self.model.next_for(holder.zone_id is not None, self.fleet.now)
        assert [command.command_id for command in leased] == [command.id for command in expected]
        for expected_command, leased_command in zip(expected, leased, strict=True):
            self.model.lease(expected_command, leased_command.dispatch_id, (holder.collector_id, None), self.fleet.now)
        return multiple(*(command.dispatch_id for command in leased))

    @rule(dispatch=dispatches, who=st.integers(0, 2), status=st.sampled_from(AckStatus))
    def ack_by_anybody(self, dispatch: UUID, who: int, status: AckStatus) -> None:
        self._ack([(dispatch, status)], self.loop.holders[who])

    @precondition(lambda self: any(self.model.active()))
    @rule(data=st.data(), status=st.sampled_from([*AckStatus, AckStatus.FAILED, AckStatus.FAILED]))
    def ack_by_its_holder(self, data: st.DataObject, status: AckStatus) -> None:
        command = data.draw(st.sampled_from(list(self.model.active())))
        (holder,) = (
            holder for holder in self.loop.holders if command.holder and holder.collector_id == command.holder[0]
        )
        self._ack([(self._given(command.dispatch), status)], holder)

    @precondition(lambda self: any(self.model.outdated()))
    @rule(data=st.data(), status=st.sampled_from(AckStatus), who=st.integers(0, 2))
    def ack_of_an_older_dispatch(self, data: st.DataObject, status: AckStatus, who: int) -> None:
        self._ack([(data.draw(st.sampled_from(list(self.model.outdated()))), status)], self.loop.holders[who])

    @rule(
        acks=st.lists(st.tuples(dispatches, st.sampled_from(AckStatus)), min_size=2, max_size=4), who=st.integers(0, 2)
    )
    def ack_a_batch(self, acks: list[tuple[UUID, AckStatus]], who: int) -> None:
        self._ack(acks, self.loop.holders[who])

    def _ack(self, acks: list[tuple[UUID, AckStatus]], holder: LeaseHolder) -> None:
        answers = self.loop.run(
            self.fleet.ack(*(Ack(str(dispatch), status) for dispatch, status in acks), holder=holder)
        )
        who = (holder.collector_id, None)
        expected = self.model.ack_all([(dispatch, status.value) for dispatch, status in acks], who, self.fleet.now)
        assert [(answer.applied, answer.state, answer.error_code) for answer in answers] == expected

    @rule(command=commands, by=st.sampled_from(["ann", "olga"]), rejects=st.booleans())
    def decide(self, command: UUID, by: str, *, rejects: bool) -> None:
        expected, act = self.model.all[command], self.fleet.reject if rejects else self.fleet.approve
        done = self._try(act(DecisionTarget(command), self._asker(by)))
        stands = expected.state == "queued" and expected.waits
        assert done == (stands and (rejects or by != "ann"))
        if done and rejects:
            expected.go("canceled")
        elif done:
            expected.waits, expected.expires, expected.not_before = False, self.fleet.now + expected.ttl, self.fleet.now

    @rule(command=commands)
    def cancel(self, command: UUID) -> None:
        expected = self.model.all[command]
        done = self._try(self.fleet.cancel(DecisionTarget(command), self._asker("olga")))
        assert done == (expected.state not in FINAL and not expected.canceling)
        if done and expected.state == "queued":
            expected.go("canceled")
        elif done:
            expected.canceling = True

    @rule(times=st.sampled_from([1, 1, 1, 1, 2, 2, 2, 6, 7, 7, 20, 3000]))
    def pass_time(self, times: int) -> None:
        """Whole half minutes: nothing here is younger than what the services round to."""
        self.fleet.pass_time(30 * times)

    @rule()
    def sweep(self) -> None:
        self.loop.run(self.fleet.sweep())
        self.model.sweep(self.fleet.now)

    @rule()
    def archive(self) -> None:
        self.loop.run(self.fleet.archive())

    @invariant()
    def both_say_the_same(self) -> None:
        rows = self.loop.looking.execute("select command_id, state, dispatch_id, attempt from all_commands").fetchall()
        stored = {command_id: (state, dispatch, tries) for command_id, state, dispatch, tries in rows}
        assert len(rows) == len(stored)
        assert stored == {
            command.id: (command.state, command.dispatch, command.tries) for command in self.model.all.values()
        }
        assert all(n == 1 for n in Counter(command.miner for command in self.model.active()).values())

    def teardown(self) -> None:
        examined = self.loop.run(check_history(self.fleet.database, self.fleet.tenant, since=self.loop.began))
        assert examined.findings == []

    @staticmethod
    def _given(dispatch: UUID | None) -> UUID:
        assert dispatch is not None
        return dispatch

    def _asker(self, name: str) -> Caller:
        return self.fleet.person(name)

    def _try(self, act: Any) -> bool:
        try:
            self.loop.run(act)
        except HashInsightError:
            return False
        return True


@pytest.fixture
def loop(address: DatabaseAddress, superuser_url: str) -> Iterator[ServiceLoop]:
    made = ServiceLoop(address, superuser_url)
    yield made
    made.close()


def _drive(loop: ServiceLoop, *phases: Phase) -> None:
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
    run_state_machine_as_test(type("Driven", (Machine,), {"loop": loop}), settings=chosen)


def test_services_and_model_agree_after_every_step(loop: ServiceLoop) -> None:
    _drive(loop, Phase.generate, Phase.shrink)


def _ack_late(loop: ServiceLoop) -> None:
    """A first attempt fails, a second one is under way, and then the first is said to have worked after all."""
    machine = type("Driven", (Machine,), {"loop": loop})()
    holder = loop.holders[0]
    machine.request(miner=2, what="slow fan", priority="efficiency", ttl=3600, retries=3, emergency=False)
    machine.poll(who=0)
    (first,) = (command.dispatch for command in machine.model.active())
    machine._ack([(first, AckStatus.FAILED)], holder)
    machine.pass_time(times=20)
    machine.sweep()
    machine.poll(who=0)
    assert [command.dispatch != first for command in machine.model.active()] == [True]
    machine._ack([(first, AckStatus.SUCCEEDED)], holder)
    machine.both_say_the_same()


def test_a_late_ack_of_an_older_attempt_changes_nothing_in_services_and_model(loop: ServiceLoop) -> None:
    _ack_late(loop)


def test_a_build_without_the_fence_is_detected(loop: ServiceLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    remove_fence(monkeypatch)
    with pytest.raises(AssertionError):
        _ack_late(loop)
