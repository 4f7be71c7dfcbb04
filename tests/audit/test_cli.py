"""`hashinsight audit` on the command line."""

import json
from pathlib import Path
from typing import Any

import psycopg

from hashinsight.kit.db.address import DatabaseAddress
from tests.audit.audit_log import AuditLog
from tests.forked_cli import hashinsight
from tests.people import People


async def test_seal_anchor_verify_and_find_a_change(
    log: AuditLog, people: People, address: DatabaseAddress, superuser_url: str, tmp_path: Path
) -> None:
    await log.write(5, tenant_id=await people.tenant_id())
    place: dict[str, Any] = {"database_url": address.url, "data_dir": tmp_path}
    anchor, export = tmp_path / "anchor.jsonl", tmp_path / "march.jsonl"

    sealed = hashinsight("audit", "seal", "--json", **place)
    assert json.loads(sealed.stdout)["sealed"] >= 5, sealed.stderr
    assert hashinsight("audit", "seals", "--out", str(anchor), **place).returncode == 0
    good = hashinsight("audit", "verify", "--anchor", str(anchor), "--json", **place)
    assert (good.returncode, json.loads(good.stdout)["ok"]) == (0, True)

    assert "entries written" in hashinsight("audit", "export", "--out", str(export), **place).stdout
    assert json.loads(export.read_text().splitlines()[-1])["action"] == "audit_exported"

    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute("update audit_log set reason = 'x' where entity_id = '3'")
        connection.execute("delete from audit_seals where no = (select max(no) from audit_seals)")
    bad = hashinsight("audit", "verify", audit_anchor=anchor, **place)  # the installation's own is found by itself
    assert bad.returncode == 1
    assert "cut: the log ends with seal" in bad.stdout
    assert "NOT verified" in bad.stdout
    assert "no anchor" in hashinsight("audit", "verify", **place).stdout

    resealed = hashinsight("audit", "reseal", "--reason", "a backup", "--anchor", str(anchor), "--json", **place)
    assert json.loads(resealed.stdout) == {"era": 2, "lost_from": 1}, resealed.stderr
    assert "signs from now on" in hashinsight("audit", "rotate-key", **place).stdout


def test_missing_and_unwritable_files_are_one_sentence(address: DatabaseAddress, tmp_path: Path) -> None:
    place: dict[str, Any] = {"database_url": address.url, "data_dir": tmp_path}
    missing = hashinsight("audit", "verify", "--anchor", str(tmp_path / "no"), **place)
    assert missing.returncode == 2
    closed = hashinsight("audit", "seals", "--out", str(tmp_path / "no" / "x"), **place)
    assert (closed.returncode, "cannot be written" in closed.stderr) == (78, True)
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("buy milk\n")
    refused = hashinsight("audit", "reseal", "--reason", "x", "--anchor", str(wrong), **place)
    assert (refused.returncode, "not an anchor file" in refused.stderr) == (78, True)
    assert "Traceback" not in missing.stderr + closed.stderr + refused.stderr
