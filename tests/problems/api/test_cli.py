"""`hashinsight problem …` and the typed client, as a person at the machine and a program use them."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from hashinsight.cli.context import shell_user
from hashinsight.cli.problems.evidence import sentence
from hashinsight.client import ApiError
from hashinsight.kit import logs
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.problems.codes import EventStatus, Issue, Severity
from hashinsight.problems.service.cycle import run_cycle
from tests.commands.test_cli import Shell
from tests.problems.api.problems_api import ProblemsApi
from tests.problems.rule_cases import EXAMPLE as EVIDENCE


@pytest.fixture
def shell(
    problems_api: ProblemsApi, address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    del problems_api
    monkeypatch.setenv("HASHINSIGHT_DATABASE_URL", address.url)
    monkeypatch.setenv("HASHINSIGHT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(logs, "configure_logs", lambda *_: None)
    return Shell()


async def test_a_shift_looks_takes_resolves_and_suppresses(problems_api: ProblemsApi, shell: Shell) -> None:
    worst = problems_api.problem("m1", Issue.OFFLINE, Severity.P0)
    problems_api.problem("m2", status=EventStatus.RESOLVED)
    listed = await shell.output("problem", "list", "--site", "tx-1")
    assert str(worst) in listed
    assert " tx-1 " in listed
    assert "m2" not in listed
    assert (await shell.output("problem", "list", "--tenant", "a", "--severity", "P3")) == "no problems\n"
    assert "P9: severity is one of" in await shell.refused("problem", "list", "--tenant", "a", "--severity", "P9")
    assert (await shell.output("problem", "ack", str(worst), "--comment", "on my way")) == "P0 offline on m1: ack\n"
    assert "already acknowledged" in await shell.refused("problem", "ack", str(worst))
    assert (await shell.output("problem", "start", str(worst))).endswith("in_progress\n")
    assert (await shell.output("problem", "comment", str(worst), "the breaker is out")).endswith("in_progress\n")
    await problems_api.tenants.people.user("Technician", email="kim@example.com")
    assert (await shell.ok("problem", "assign", str(worst), "--to", "kim@example.com"))["assigned_to"] is not None
    assert "cause is one of" in await shell.refused("problem", "resolve", str(worst), "--cause", "gremlins")
    done = await shell.ok("problem", "resolve", str(worst), "--cause", "repaired", "--action", "breaker in")
    assert (done["status"], done["resolved_by"]) == ("resolved", shell_user().id)
    story = await shell.output("problem", "show", str(worst))
    assert story.splitlines()[0] == "P0 offline on m1 at site tx-1: resolved"
    assert f"acknowledged by {shell_user().id} (command line): on my way" in story
    assert (await shell.ok("problem", "summary", "--site", "tx-1"))["total_miners"] == 60
    printed = await shell.output("problem", "summary", "--site", "tx-1")
    assert printed.startswith("60 machines: ")
    assert "lost hashrate: unknown\n" in printed  # nobody has scanned the site yet
    quiet = ("problem", "suppress", "--site", "tx-1", "--reason", "rewiring")
    assert await shell.output(*quiet, "--miner", "m1") == "m1: suppressed until lifted\n"
    assert await shell.output(*quiet, "--zone", "z1") == "z1: suppressed until lifted\n"
    lifted = await shell.output("problem", "unsuppress", "--site", "tx-1", "--miner", "m1", "--reason", "wired")
    assert lifted == "m1: 1 lifted; still suppressed by its zone\n"
    assert [row["reason"] for row in problems_api.audited("suppression_lifted")] == ["wired"]
    answer = json.loads((await shell.run("problem", "list", "--tenant", "a", "--json")).stdout)
    assert answer["pagination"]["total"] == 0


async def test_a_summary_prints_the_lost_hashrate_of_the_last_scan(
    problems_api: ProblemsApi, shell: Shell, database: Database
) -> None:
    site = problems_api.tenants.row("select id from sites where code = 'tx-1'")["id"]
    async with database.transaction(job_context()) as session:
        assert await run_cycle(database, session, site, period=problems_api.now, now=problems_api.now)
    assert "lost hashrate: unknown\n" in await shell.output("problem", "summary", "--site", "tx-1")
    problems_api.tenants.write("update problem_runs set lost_ths = %s", 105594.04)
    printed = await shell.output("problem", "summary", "--site", "tx-1")
    assert "lost hashrate: 105.6 PH/s\n" in printed
    assert (await shell.ok("problem", "summary", "--site", "tx-1"))["loss"]["ths"] == pytest.approx(105594.04)


async def test_evidence_is_printed_in_sentences_and_unchanged_for_scripts(
    problems_api: ProblemsApi, shell: Shell
) -> None:
    hot = str(problems_api.problem("m1"))
    problems_api.tenants.write(
        "update problem_events set evidence_json = %s::jsonb where id = %s", json.dumps([EVIDENCE]), hot
    )
    story = (await shell.output("problem", "show", hot)).splitlines()
    assert story[story.index("evidence") + 1] == f"  {sentence(EVIDENCE)}"
    assert (await shell.ok("problem", "show", hot))["problem"]["evidence_json"] == [EVIDENCE]


async def test_a_program_does_the_same_by_the_typed_client(problems_api: ProblemsApi) -> None:
    made = [problems_api.problem(f"m{n}") for n in range(1, 4)]
    noc = (await problems_api.tenants.person("NOC")).problems
    rows = [each async for each in noc.list(site_id="tx-1", per_page=2)]
    assert {UUID(row["id"]) for row in rows} == set(made)
    first, second, third = (str(each) for each in made)
    assert (await noc.acknowledge(first))["status"] == "ack"
    with pytest.raises(ApiError, match="ALREADY_ACKNOWLEDGED"):
        await noc.acknowledge(first)
    assert (await noc.start(first, "here"))["status"] == "in_progress"
    assert (await noc.comment(first, "x"))["status"] == "in_progress"
    assert (await noc.resolve(first, "cleaned", "dust"))["resolution_cause"] == "cleaned"
    with pytest.raises(ApiError, match="ALREADY_ASSIGNED"):
        await noc.assign(second, None)
    assert (await noc.bulk("resolve", [second, third], cause="other"))["counts"] == {"changed": 2, "refused": 0}
    assert (await noc.get(first))["problem"]["id"] == first
    assert (await noc.summary("tx-1"))["by_severity"]["P2"] == 0
    assert (await noc.suppress("m1", "x", maintenance=True))["success"]
    assert (await noc.health("m1", "tx-1"))["suppressions"][0]["maintenance"]
    assert (await noc.unsuppress("m1", "repaired"))["success"]
    assert [row["reason"] for row in problems_api.audited("suppression_lifted")] == ["repaired"]
