"""Both READMEs say the same: the same sections, commands, table and links, each in its own language."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md"))
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def shape(page: str) -> list[tuple[str, list[str]]]:
    """Section by section, what does not depend on the language."""
    sections = re.split(r"^(?=#+ )", _BLOCK.sub(_without_comments, page), flags=re.MULTILINE)
    return [
        (section.split(" ", 1)[0], [*_blocks(section), *_spans(section), *_links(section)])
        for section in sections
        if section
    ]


def _without_comments(match: re.Match[str]) -> str:
    """Nor the picture's words: only its lines are left."""
    kind, text = match.groups()
    if "──►" in text:
        return f"```{kind}\n(picture of {len(text.splitlines())} lines)\n```"
    return f"```{kind}\n{re.sub(r'(^|(?<= ))# .*$', '', text, flags=re.MULTILINE)}```"


def _blocks(section: str) -> list[str]:
    return ["\n".join(line.rstrip() for line in match[0].splitlines()) for match in _BLOCK.finditer(section)]


def _spans(section: str) -> list[str]:
    """What stands in prose and tables as code; how often, each language decides."""
    return sorted(set(re.findall(r"`([^`\n]+)`", _BLOCK.sub("", section))))


def _links(section: str) -> list[str]:
    links = re.findall(r"\]\(([^)]+)\)|<(http[^>]+)>", _BLOCK.sub("", section))
    return sorted("the other one" if link.startswith("README") else link for pair in links for link in pair if link)


def test_they_have_the_same_sections_commands_and_links() -> None:
    assert shape(CHINESE) == shape(ENGLISH)


@pytest.mark.parametrize(
    "left_out",
    [
        "## ",
        "| `curl $URL/openapi.json` ",
        "curl -s -H ",
        ".venv/bin/hashinsight sim orders",
        "(`--net`)",
        "`HASHINSIGHT_DATA_DIR`",
        "(docs/edge.md)",
        "- [The console](docs/console.md)",
    ],
)
def test_a_part_missing_in_one_readme_is_reported(left_out: str) -> None:
    assert left_out in ENGLISH
    assert shape(ENGLISH.replace(left_out, "", 1)) != shape(ENGLISH)


def test_comments_on_the_same_commands_may_differ() -> None:
    assert shape(ENGLISH.replace("# the truth, with its numbers", "# 真相")) == shape(ENGLISH)
