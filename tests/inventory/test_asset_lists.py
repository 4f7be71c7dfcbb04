"""Asset lists: what is imported, what is refused and why."""

from typing import Any

import pytest
from sqlalchemy import select

from hashinsight.audit.models import AuditEntry
from hashinsight.inventory.asset_list import COLUMNS
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.inventory.admin_client import AdminClient, SignIn

HEADER = ",".join(COLUMNS)
IMPORT = "/miners/import?site_id=one"


def line(number: int, **cells: str) -> str:
    own = {
        "miner_id": f"m{number:04d}",
        "model": "S19j Pro",
        "serial": f"SN{number:06d}",
        "mac": f"02:00:00:00:{number // 256:02x}:{number % 256:02x}",
        "zone": f"Z{number % 3}",
        "rack": f"R{number % 7}",
        "position": str(number % 50),
        "owner": "Aurora",
    }
    return ",".join((own | cells).get(name, "") for name in COLUMNS)


def bad_line(number: int) -> str:
    bad = [
        {"mac": "zz:zz"},
        {"expected_ths": "many"},
        {"expected_ths": "-1"},
        {"owner": "o" * 101},
        {"miner_id": ""},
        {"miner_id": "m0000"},
        {"serial": "SN000000"},
        {"model": "=cmd()"},
        {"zone": "a\x07b"},
        {"mac": "ff:ff:ff:ff:ff:ff"},
    ][number % 10]
    return line(number, **bad)


async def load(owner: AdminClient, *lines: str) -> Any:
    return await owner.ok("POST", IMPORT, content="\n".join([HEADER, *lines]))


async def test_bad_lines_are_listed_and_the_valid_ones_imported(owner: AdminClient, database: Database) -> None:
    lines = [bad_line(number) if 100 <= number < 150 else line(number) for number in range(300)]
    report = await load(owner, *lines)
    assert (report["created"], report["refused"], len(report["lines"])) == (250, 50, 50)
    assert [line["line"] for line in report["lines"]] == list(range(102, 152))
    codes = {line["error_code"] for line in report["lines"]}
    assert codes == {
        "BAD_MAC",
        "BAD_NUMBER",
        "TEXT_TOO_LONG",
        "MINER_ID_MISSING",
        "DUPLICATE_MINER_ID",
        "DUPLICATE_SERIAL",
        "BAD_TEXT",
    }
    assert all(line["reason"] for line in report["lines"])
    assert (report["zones_created"], report["racks_created"]) == (3, 21)
    assert len(await owner.miners(limit=1000)) == 250
    async with database.transaction(job_context()) as session:
        query = select(AuditEntry).where(AuditEntry.action == "miners_imported")
        (entry,) = (await session.execute(query)).scalars().all()
    assert entry.after is not None
    assert (entry.after["created"], entry.after["refused"]) == (250, 50)


async def test_all_or_nothing_imports_nothing_and_lists_the_same_lines(owner: AdminClient) -> None:
    content = "\n".join([HEADER, line(1), bad_line(0), line(2)])
    answer = await owner("POST", IMPORT + "&all_or_nothing=true", content=content)
    assert answer.status_code == 422
    assert answer.json()["error_code"] == "IMPORT_REFUSED"
    (refused,) = answer.json()["details"]["lines"]
    assert (refused["line"], refused["error_code"]) == (3, "BAD_MAC")
    assert await owner.miners() == []
    assert (await owner.ok("GET", "/zones"))["zones"] == []
    good = await owner.ok("POST", IMPORT + "&all_or_nothing=true", content="\n".join([HEADER, line(1)]))
    assert good["created"] == 1


async def test_importing_the_same_list_again_changes_nothing(owner: AdminClient) -> None:
    lines = [line(number) for number in range(50)] + [
        line(50, model="S21 (195T)"),
        line(51, model="", zone="", rack=""),
    ]
    assert (await load(owner, *lines))["created"] == 52
    again = await load(owner, *lines)
    assert (again["created"], again["changed"], again["unchanged"], again["refused"]) == (0, 0, 52, 0)
    assert (await owner.ok("GET", "/miners/m0000/history"))["changes"] == []


async def test_a_changed_list_keeps_miner_numbers_and_writes_history(owner: AdminClient) -> None:
    await load(owner, line(1), line(2))
    number = (await owner.ok("GET", "/miners/m0001"))["miner"]["miner_no"]
    report = await load(owner, line(1, mac="0200.0000.aaaa", owner="Bo", model="S21"), line(2))
    assert (report["changed"], report["unchanged"]) == (1, 1)
    miner = (await owner.ok("GET", "/miners/m0001"))["miner"]
    assert (miner["miner_no"], miner["mac"], miner["expected_ths"]) == (number, "02:00:00:00:aa:aa", 200)
    changes = (await owner.ok("GET", "/miners/m0001/history"))["changes"]
    assert {(change["field"], change["old"], change["new"], change["cause"]) for change in changes} == {
        ("mac", "02:00:00:00:00:01", "02:00:00:00:aa:aa", "import"),
        ("owner", "Aurora", "Bo", "import"),
        ("model", "Antminer S19j Pro", "Antminer S21", "import"),
        ("expected_ths", "104.0", "200.0", "import"),
    }


async def test_empty_cells_and_missing_columns_keep_current_values(owner: AdminClient) -> None:
    await load(owner, line(1, expected_ths="99"))
    await owner.ok("POST", IMPORT, content="owner,miner_id\n,m0001\n")
    miner = (await owner.ok("GET", "/miners/m0001"))["miner"]
    assert (miner["owner"], miner["expected_ths"], miner["zone"]) == ("Aurora", 99, "Z1")


async def test_rack_codes_are_unique_within_a_zone(owner: AdminClient) -> None:
    report = await load(owner, line(1, zone="A", rack="1"), line(2, zone="B", rack="1"), line(3, zone="", rack="1"))
    assert report["racks_created"] == 3
    assert await owner.miners(zone="A", rack="1") == ["m0001"]
    moved = await load(owner, line(1, zone="B", rack="", position=""))
    assert moved["changed"] == 1
    miner = (await owner.ok("GET", "/miners/m0001"))["miner"]
    assert (miner["zone"], miner["rack"], miner["position"]) == ("B", None, None)


async def test_a_serial_of_another_machine_is_refused_even_outside_the_callers_scope(
    owner: AdminClient, sign_in: SignIn
) -> None:
    await owner.ok("POST", "/miners", json={"site_id": "two", "miner_id": "x", "serial": "SN000001"})
    narrow = await sign_in("NOC", sites=[1])
    report = await load(narrow, line(1), line(2))
    assert (report["created"], report["lines"][0]["error_code"]) == (1, "SERIAL_HELD")


async def test_another_tenant_can_have_the_same_serials_and_ids(owner: AdminClient, sign_in: SignIn) -> None:
    await load(owner, line(1))
    stranger = await sign_in(tenant="b")
    await stranger.ok("POST", "/sites", json={"code": "other", "name": "Other"})
    content = "\n".join([HEADER, line(1)])
    assert (await stranger.ok("POST", "/miners/import?site_id=other", content=content))["created"] == 1


async def test_an_old_list_does_not_bring_back_a_retired_machine(owner: AdminClient) -> None:
    await load(owner, line(1))
    await owner.ok("POST", "/miners/m0001/retire", json={"reason": "sold"})
    report = await load(owner, line(1), line(2))
    assert (report["created"], report["lines"][0]["error_code"]) == (1, "MINER_RETIRED")
    assert await owner.miners() == ["m0002"]


async def test_lists_saved_by_excel_are_read(owner: AdminClient) -> None:
    content = '\ufeff"MINER_ID", Owner ,model\r\n"m 1","Smith, ""Bo""","Antminer S19j Pro\r\n"\r\n\r\n m2 ,矿场,S21\r\n'
    report = await owner.ok("POST", IMPORT, content=content.encode())
    assert (report["created"], report["refused"]) == (2, 0)
    miners = (await owner.ok("GET", "/miners"))["miners"]
    assert [(miner["miner_id"], miner["owner"], miner["model"]) for miner in miners] == [
        ("m 1", 'Smith, "Bo"', "Antminer S19j Pro"),
        ("m2", "矿场", "Antminer S21"),
    ]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "HEADER_MISSING"),
        (b"model\nS21", "HEADER_MISSING"),
        (b"miner_id,ip,password\na,b,c", "UNKNOWN_COLUMN"),
        (b"miner_id,model,model\na,b,c", "COLUMN_TWICE"),
        (b"miner_id\nm1\n\xff\xfe", "NOT_UTF8"),
        ("miner_id\nm1".encode("utf-16"), "NOT_UTF8"),
        (b'miner_id,model\nm1,"never closed\nm2,S21\n', "CSV_BROKEN"),
        (b"\x1f\x8b\x08\x00" + b"\x00" * 50, "NOT_UTF8"),
    ],
)
async def test_a_file_that_is_not_an_asset_list_is_refused(owner: AdminClient, content: bytes, code: str) -> None:
    assert await owner.refused("POST", IMPORT, content=content) == (422, code)
    assert await owner.miners() == []


async def test_the_error_names_the_unknown_column(owner: AdminClient) -> None:
    answer = await owner("POST", IMPORT, content="miner_id,ip\nm1,10.0.0.1")
    assert answer.json()["details"] == {"unknown": ["ip"]}


async def test_hostile_cells_refuse_only_their_line(owner: AdminClient) -> None:
    cells = [
        "a\x00b",
        "../../etc",
        "'; drop table miners; --/",
        "\u202etxt",
        "x" * 70_000,
        "\U0001f600",
        "import",
        "+1",
    ]
    lines = [f'"{cell}"' for cell in cells]
    content = "\n".join(["miner_id", "good1", *lines, "a,b,c", "'; drop table miners; --", "good2"])
    report = await owner.ok("POST", IMPORT, content=content.encode())
    assert (report["created"], report["refused"]) == (3, len(cells) + 1)
    assert await owner.miners() == ["'; drop table miners; --", "good1", "good2"]


async def test_importing_an_export_changes_nothing(owner: AdminClient) -> None:
    odd = line(7, owner='"Smith, ""Bo"""', model="S21 (195T)")
    await load(owner, *(line(number) for number in range(5)), odd, line(8, model="home made", zone="", rack=""))
    text = (await owner("GET", "/miners/export?site_id=one")).text
    assert text.splitlines()[0] == HEADER
    again = await owner.ok("POST", IMPORT, content=text)
    assert (again["unchanged"], again["created"], again["changed"], again["refused"]) == (7, 0, 0, 0)
    serials_gone = text.replace("SN0", "TN0")
    elsewhere = await owner.ok("POST", "/miners/import?site_id=two", content=serials_gone)
    assert elsewhere["created"] == 7
    exported = (await owner("GET", "/miners/export?site_id=two")).text
    assert exported == serials_gone
