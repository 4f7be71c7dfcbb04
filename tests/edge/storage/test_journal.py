"""No dispatch runs twice, and every one is acked: whatever is killed, redelivered or lost."""

import time
from pathlib import Path

import pytest

from hashinsight.edge.storage import events
from hashinsight.edge.storage.events import MAX_EVENTS, make_event
from hashinsight.edge.storage.journal import Journal
from hashinsight.wire.acks import Ack, AckStatus
from tests.edge.factories import command

NOW = time.time()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_a_dispatch_begins_once_also_across_processes(path: Path) -> None:
    journal = Journal(path, now=NOW)
    assert journal.begin(command(), now=NOW)
    assert not journal.begin(command(), now=NOW)
    journal.close()
    again = Journal(path, now=NOW)
    assert not again.begin(command(), now=NOW)
    again.close()


def test_a_command_interrupted_by_a_crash_is_acked_as_unknown_and_never_run_again(path: Path) -> None:
    journal = Journal(path, now=NOW)
    journal.begin(command("d-1"), now=NOW - 5)
    journal.begin(command("d-2"), now=NOW)
    journal.finish(Ack("d-2", AckStatus.SUCCEEDED), now=NOW)
    journal._db.execute("pragma wal_checkpoint").fetchall()  # no orderly close, as after a kill
    after = Journal(path, now=NOW)
    assert after.recover("box-1", now=NOW) == ["d-1"]
    acks = {ack["command_id"]: ack for ack in after.list_undelivered(10)}
    assert acks["d-1"]["status"] == "skipped"
    assert acks["d-1"]["error_code"] == "OUTCOME_UNKNOWN"
    assert acks["d-1"]["device_id"] == "box-1"
    assert acks["d-2"]["status"] == "succeeded"
    assert not after.begin(command("d-1"), now=NOW)
    assert after.recover("box-1", now=NOW) == []
    after.close()
    journal.close()


def test_a_command_finishes_once(path: Path) -> None:
    journal = Journal(path, now=NOW)
    journal.begin(command(), now=NOW)
    assert journal.finish(Ack("d-1", AckStatus.SUCCEEDED), now=NOW)
    assert not journal.finish(Ack("d-1", AckStatus.FAILED), now=NOW)
    assert [ack["status"] for ack in journal.list_undelivered(10)] == ["succeeded"]
    journal.close()


def test_a_redelivered_command_gets_the_same_ack_again(path: Path) -> None:
    journal = Journal(path, now=NOW)
    journal.begin(command(), now=NOW)
    journal.finish(Ack("d-1", AckStatus.FAILED, error_code="MACHINE_REFUSED"), now=NOW)
    (first,) = journal.list_undelivered(10)
    journal.mark_delivered([("d-1", "applied")], now=NOW)
    assert journal.list_undelivered(10) == []
    journal.resend_ack("d-1")
    assert journal.list_undelivered(10) == [first]
    journal.close()


def test_a_withdrawn_command_may_begin_again_and_a_finished_one_cannot_be_withdrawn(path: Path) -> None:
    journal = Journal(path, now=NOW)
    journal.begin(command(), now=NOW)
    journal.withdraw("d-1")
    assert journal.begin(command(), now=NOW)
    journal.finish(Ack("d-1", AckStatus.SUCCEEDED), now=NOW)
    journal.withdraw("d-1")
    assert not journal.begin(command(), now=NOW)
    journal.close()


def test_only_commands_that_cannot_come_back_are_pruned(path: Path) -> None:
    journal = Journal(path, now=NOW)
    for name in ("open", "answered", "late"):
        journal.begin(command(name), now=NOW)
    journal.finish(Ack("answered", AckStatus.SUCCEEDED), now=NOW)
    journal.finish(Ack("late", AckStatus.SUCCEEDED), now=NOW)
    journal.mark_delivered([("answered", "applied")], now=NOW)
    journal.prune(now=NOW + 3600)
    assert journal.find("answered")
    journal.prune(now=NOW + 2 * 86_400)
    assert journal.find("answered") is None
    assert journal.find("late"), "its ack was not delivered yet"
    journal.prune(now=NOW + 9 * 86_400)
    assert journal.find("late") is None
    assert journal.find("open"), "what may still run is never forgotten"
    journal.close()


def test_pool_passwords_are_not_stored(path: Path) -> None:
    journal = Journal(path, now=NOW)
    secret = {"pool_url": "stratum+tcp://pool:3333", "pool_user": "w", "pool_password": "very-secret-x"}
    journal.begin(command(command_type="set_pool", params=secret), now=NOW)
    journal.close()
    assert b"very-secret" not in path.read_bytes()


def test_a_new_journal_after_a_damaged_one_knows_since_when_it_counts(path: Path) -> None:
    Journal(path, now=NOW).close()
    path.write_bytes(b"no journal" * 1000)
    journal = Journal(path, now=NOW)
    assert journal.damaged is not None
    assert journal.accept_from == NOW
    journal.close()
    again = Journal(path, now=NOW + 5)
    assert again.accept_from == NOW
    again.close()


def test_critical_events_are_bounded_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MAX_CRITICAL", 30)
    journal = Journal(path, now=NOW)
    for number in range(40):
        journal.events.put(make_event("local_protection", "critical", f"number {number}", now=NOW))
    journal.prune(now=NOW)
    assert [event["title"] for _, event in journal.events.take(100)] == [f"number {n}" for n in range(10, 40)]
    journal.close()


def test_open_restarts_are_known_to_the_next_process(path: Path) -> None:
    journal = Journal(path, now=NOW)
    for miner_id in ("A-1", "A-2", "A-1"):
        journal.begin_restart(miner_id, now=NOW)
    journal.end_restart("A-2")
    journal.close()
    again = Journal(path, now=NOW)
    assert again.list_restarts() == {"A-1": NOW}
    again.close()


def test_an_event_storm_is_bounded_and_keeps_critical_events(path: Path) -> None:
    journal = Journal(path, now=NOW)
    journal.events.put(make_event("local_protection", "critical", "A-1 was stopped", now=NOW))
    journal._db.execute("begin")
    for number in range(MAX_EVENTS + 50):
        journal.events.put(make_event("miner_error", "error", f"number {number}", now=NOW))
    journal._db.execute("commit")
    journal.prune(now=NOW)
    assert journal.events.count() == MAX_EVENTS
    assert journal.events.take(1)[0][1]["kind"] == "local_protection"
    journal.close()
