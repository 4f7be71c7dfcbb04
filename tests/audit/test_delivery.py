"""Delivery of seals to a file and a webhook, and anchors that disagree with the log."""

import io
import json
import threading
from collections.abc import Iterator
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from hashinsight.audit.actions import SYSTEM
from hashinsight.audit.anchors import LostSeals
from hashinsight.audit.chain import SealHead, sign
from hashinsight.audit.queries import seals
from hashinsight.audit.service.delivery import AnchorDisagrees, deliver_seals, find_lost_seals
from hashinsight.audit.service.sealing import get_signing_key
from hashinsight.audit.snapshot import Snapshot
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.errors import Conflict, HashInsightError
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.settings import Settings
from tests.audit.audit_log import VAULT, AuditLog


async def deliver(log: AuditLog, target: str) -> int:
    async with log.database.transaction(job_context()) as session:
        return await deliver_seals(session, target, now=system_clock())


class Receiver:
    """A webhook receiver on loopback."""

    def __init__(self) -> None:
        self.code = 200
        self.seals: list[dict[str, Any]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if receiver.code == 200:
                    receiver.seals += body["seals"]
                self.send_response(receiver.code)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/seals"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


async def test_a_webhook_gets_every_seal_and_refused_ones_again(log: AuditLog, receiver: Receiver) -> None:
    await log.fill(seals=2)
    receiver.code = 500
    with pytest.raises(HashInsightError, match="returned 500"):
        await deliver(log, receiver.url)
    receiver.code = 200
    assert await deliver(log, receiver.url) == 2
    assert await deliver(log, receiver.url) == 0
    await log.fill(seals=1)
    assert await deliver(log, receiver.url) == 1
    assert [seal["no"] for seal in receiver.seals] == [1, 2, 3]
    report = await log.verify([json.dumps(seal) for seal in receiver.seals])
    assert (report.ok, report.anchors) == (True, 3)


async def test_an_unreachable_webhook_is_an_error_and_loses_nothing(log: AuditLog, receiver: Receiver) -> None:
    await log.fill(seals=1)
    with pytest.raises(Exception, match="connect"):
        await deliver(log, "http://127.0.0.1:1/seals")
    assert await deliver(log, receiver.url) == 1


async def test_a_file_continues_where_it_ends(log: AuditLog, tmp_path: Path) -> None:
    anchor = tmp_path / "new folder" / "seals.jsonl"
    await log.fill(seals=2)
    assert await deliver(log, str(anchor)) == 2
    assert await deliver(log, str(anchor)) == 0
    await log.fill(seals=1)
    assert await deliver(log, str(anchor)) == 1
    numbers = [json.loads(line)["no"] for line in anchor.read_text().splitlines()]
    assert numbers == [1, 2, 3]


async def anchor_ahead_of_the_log(log: AuditLog, folder: Path) -> Path:
    """Four seals delivered, two of them lost from the database with their entries."""
    anchor = folder / "seals.jsonl"
    await log.fill(seals=4)
    await deliver(log, str(anchor))
    log.cut_behind_seal_2()
    return anchor


async def test_nothing_is_appended_to_a_file_that_is_ahead_of_the_log(log: AuditLog, tmp_path: Path) -> None:
    anchor = await anchor_ahead_of_the_log(log, tmp_path)
    await log.fill(seals=3)
    before = anchor.read_bytes()
    with pytest.raises(AnchorDisagrees, match="audit reseal"):
        await deliver(log, str(anchor))
    assert anchor.read_bytes() == before
    async with log.database.reading(job_context()) as session:
        assert await find_lost_seals(session, before.splitlines()) == LostSeals(3, 1)


async def test_after_a_reseal_the_file_continues_and_verifies(log: AuditLog, tmp_path: Path) -> None:
    anchor = await anchor_ahead_of_the_log(log, tmp_path)
    await log.fill(seals=1)
    await log.reseal("backup of Monday", lost=LostSeals(3, 1))
    await log.fill(seals=2)
    assert await deliver(log, str(anchor)) == 4  # the closing one among them
    assert await deliver(log, str(anchor)) == 0
    report = await log.verify(anchor.read_text().splitlines())
    assert report.ok, report.findings
    assert "2 seals of the anchor were lost" in report.notes[0]


async def test_a_file_that_is_not_an_anchor_is_not_changed(log: AuditLog, tmp_path: Path) -> None:
    anchor = tmp_path / "notes.txt"
    anchor.write_text("buy milk\n")
    await log.fill(seals=1)
    with pytest.raises(AnchorDisagrees, match="not a seal"):
        await deliver(log, str(anchor))
    assert anchor.read_text() == "buy milk\n"


async def test_a_webhook_ahead_of_the_log_gets_nothing_until_a_reseal(log: AuditLog, receiver: Receiver) -> None:
    await log.fill(seals=4)
    await deliver(log, receiver.url)
    log.cut_behind_seal_2()
    await log.fill(seals=3)
    with pytest.raises(AnchorDisagrees, match="audit reseal"):
        await deliver(log, receiver.url)
    await log.reseal("backup of Monday", lost=LostSeals(3, 1))
    await deliver(log, receiver.url)
    assert [seal["no"] for seal in receiver.seals] == [1, 2, 3, 4, 3, 4, 5, 6]
    assert (await log.verify([json.dumps(seal) for seal in receiver.seals])).ok


async def test_an_incomplete_line_is_a_note_not_a_finding(log: AuditLog, tmp_path: Path) -> None:
    anchor = tmp_path / "seals.jsonl"
    await log.fill(seals=1)
    await deliver(log, str(anchor))
    with anchor.open("a") as file:
        file.write(anchor.read_text()[:300])
    await log.fill(seals=1)
    await deliver(log, str(anchor))
    report = await log.verify(anchor.read_text().splitlines())
    assert (report.ok, report.anchors) == (True, 2), report.findings
    assert "incomplete" in report.notes[0]
    async with log.database.reading(job_context()) as session:
        assert await find_lost_seals(session, anchor.read_bytes().splitlines()) is None


async def test_a_very_long_last_line_is_read(log: AuditLog, tmp_path: Path) -> None:
    anchor = tmp_path / "seals.jsonl"
    await log.fill(seals=1)
    async with log.database.transaction(job_context()) as session:
        last = await seals.find_last_seal(session)
        assert last is not None
        key = await get_signing_key(session, VAULT, SYSTEM, now=system_clock())
        xmax = Snapshot.read(last.snapshot).xmax + 5000
        fields = {name: value for name, value in asdict(last).items() if name not in ("hash", "signature")}
        many = str(Snapshot(xmax, tuple(range(xmax - 2000, xmax))))
        long = sign(SealHead(**fields | {"no": 2, "previous": last.hash, "snapshot": many}), key)
        await seals.insert_seal(session, long, b"")
    assert await deliver(log, str(anchor)) == 2
    assert await deliver(log, str(anchor)) == 0


async def test_seals_with_a_missing_key_are_not_delivered(log: AuditLog, tmp_path: Path) -> None:
    await log.fill(seals=1)
    with log.unguarded() as connection:
        connection.execute("delete from audit_keys")
    with pytest.raises(Conflict, match="audit verify"):
        await deliver(log, str(tmp_path / "seals.jsonl"))


async def test_the_webhook_address_is_not_logged(log: AuditLog, receiver: Receiver, settings: Settings) -> None:
    await log.fill(seals=1)
    out = io.StringIO()
    configure_logs(settings, "test", out)
    await deliver(log, receiver.url)
    assert "/seals" not in out.getvalue()


async def test_one_reseal_explains_a_backup_from_before_an_earlier_era(log: AuditLog, tmp_path: Path) -> None:
    anchor = tmp_path / "seals.jsonl"
    await log.fill(seals=3)
    await log.reseal("an earlier restore")
    await log.fill(seals=2)
    await deliver(log, str(anchor))
    with log.unguarded() as connection:
        connection.execute("delete from audit_seals where no > 2")
        connection.execute("delete from audit_log where era > 1 or xid > (select max(xid) from (select xid from"
                           " audit_log where era = 1 order by xid, id limit 11) one)")  # fmt: skip
        connection.execute("alter table audit_log alter column era set default 1")
    await log.fill(seals=1)
    async with log.database.reading(job_context()) as session:
        lost = await find_lost_seals(session, anchor.read_bytes().splitlines())
    assert lost == LostSeals(3, 2)
    await log.reseal("Monday", lost=lost)
    await log.fill(seals=2)
    await deliver(log, str(anchor))
    report = await log.verify(anchor.read_text().splitlines())
    assert report.ok, report.findings
