"""docs/commands.md and the README say what the code does."""

import re
import shutil
from pathlib import Path

import pytest

from hashinsight.cli.docs import replaced, table_in, write_docs
from hashinsight.commands import arbitration
from hashinsight.commands.limits import WaitReason
from hashinsight.commands.queries import targets
from hashinsight.commands.schemas.requests import Filter, NewCommands
from hashinsight.problems.codes import SHOWN_STATUSES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commands.md").read_text()


def test_the_generated_parts_are_current_and_nothing_around_them_is_touched(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs)
    write_docs(docs)
    for file in docs.rglob("*.md"):
        assert file.read_text() == (ROOT / "docs" / file.relative_to(docs)).read_text(), "run `make docs`"


def test_an_issue_selects_machines_by_the_statuses_that_the_registry_shows() -> None:
    assert targets.SHOWN == SHOWN_STATUSES


def test_only_the_named_block_is_replaced() -> None:
    text = "a\n\n| x |\n|---|\n| 1 |\n\nb\n\n| y |\n|---|\n| 2 |\n"
    assert replaced(text, "| x |", "| x |\n|---|\n| 3 |\n") == text.replace("| 1 |", "| 3 |")
    assert replaced("```\nold\nolder\n```\nb\n", "old", "new\n") == "```\nnew\n```\nb\n"
    with pytest.raises(ValueError, match="no block"):
        replaced(text, "| z |", "")


def test_the_page_has_the_table_of_arbitration_every_reason_to_wait_and_every_key_of_a_request() -> None:
    assert len(table_in(arbitration.__doc__ or "").splitlines()) > 5
    assert table_in(arbitration.__doc__ or "") in PAGE
    for word in (*WaitReason, *NewCommands.model_fields, *Filter.model_fields):
        assert f"`{word}`" in PAGE, word


def test_the_page_has_every_code_by_which_a_request_is_refused() -> None:
    source = ROOT / "src" / "hashinsight" / "commands"
    files = ("errors.py", "requests.py", "service/targets.py", "service/requests.py", "catalogue.py")
    codes = {code for file in files for code in re.findall(r'code="([A-Z_]+)"', (source / file).read_text())}
    assert len(codes) > 10
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()
