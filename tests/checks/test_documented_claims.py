"""What documents and settings claim is there: a package that only marks its place is called planned, not described."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from pydantic import BaseModel

from hashinsight.edge import settings as edge_settings
from hashinsight.inventory import tenant_settings
from hashinsight.kit.settings import Settings

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hashinsight"
MARKED = {
    place.stem
    for place in SOURCE.iterdir()
    if place.suffix == ".py" and len(ast.parse(place.read_text()).body) == 1 and not place.stem.startswith("_")
}  # one docstring and nothing else
PICTURED = {
    "README.md": {
        "rules": "rule engine", "notify": "notices", "tickets": "tickets", "feedback": "verified effects",
    },
    "README.zh-CN.md": {"rules": "规则引擎", "notify": "通知", "tickets": "工单", "feedback": "效果验证"},
}  # fmt: skip


@pytest.mark.parametrize("name", PICTURED)
def test_the_readmes_picture_marks_exactly_the_missing_parts_as_planned(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    picture = next(block for block in re.findall(r"^```\n(.*?)^```$", page, re.DOTALL | re.MULTILINE) if "──►" in block)
    planned = " ".join(re.findall(r"(?:planned:|计划中.)(.*)$", picture, re.MULTILINE))
    for package, words in PICTURED[name].items():
        assert words in picture
        assert (words in planned) is (package in MARKED), words


def test_the_architecture_page_names_the_packages_that_only_mark_their_place() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    (names,) = re.findall(r"Today (.*?) only mark", page, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", names)) == {name for name in MARKED if not name.startswith("_")}


def settings_of_tenants() -> Iterator[tuple[str, str, str]]:
    for name, section in inspect.getmembers(tenant_settings, inspect.isclass):
        if issubclass(section, BaseModel) and section.__module__ == tenant_settings.__name__:
            for field, info in section.model_fields.items():
                yield name, field, info.description or ""


def settings_of_the_edge(module: ModuleType) -> Iterator[tuple[str, str]]:
    for name, section in inspect.getmembers(module, inspect.isclass):
        if issubclass(section, msgspec.Struct) and section.__module__ == module.__name__:
            yield from ((name, field) for field in section.__struct_fields__)


@cache
def everything_besides(*skipped: str) -> str:
    sources = [*SOURCE.rglob("*.py"), *(ROOT / "console" / "src").rglob("*.ts*")]
    skipped = (*skipped, "schema.d.ts", "examples.py")
    return "\n".join(source.read_text() for source in sources if not source.as_posix().endswith(skipped))


def is_read(field: str, *besides: str) -> bool:
    """As an attribute, or as the key of a limit."""
    return re.search(rf"[.\"']{field}\b", everything_besides(*besides)) is not None


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_of_the_installation_is_read_somewhere(field: str) -> None:
    assert is_read(field, "kit/settings.py")


@pytest.mark.parametrize(("section", "field", "described"), [*settings_of_tenants()])
def test_every_tenant_setting_is_read_or_described_as_not_used_yet(section: str, field: str, described: str) -> None:
    used = is_read(field, "inventory/tenant_settings.py", "inventory/schemas/settings.py")
    own = is_read(field) and section in (
        "Rules",
        "TenantSettings",
    )  # layers and sections, which the document itself reads
    assert (used or own) is not described.startswith("Not used yet"), section


@pytest.mark.parametrize(("section", "field"), [*settings_of_the_edge(edge_settings)])
def test_every_setting_of_the_edge_is_read_somewhere(section: str, field: str) -> None:
    assert is_read(field), section
