"""The catalogue, and the spellings by which its models are found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.facts.models import MODELS, MinerModel
from hashinsight.facts.spellings import find_model, stated_ths

SEPARATORS = st.sampled_from([" ", "_", "-", "  ", " - ", ""])


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, MinerModel]:
    """A name of the catalogue as somebody in the field may write it."""
    model = draw(st.sampled_from(MODELS))
    words = model.name.split()
    if draw(st.booleans()):
        words = words[1:]
    text = draw(SEPARATORS).join(words)
    if draw(st.booleans()):
        text = f"{model.make} {text}"
    if draw(st.booleans()):
        text += draw(st.sampled_from([" ({:.0f}T)", " {:.0f} TH/s", "_{:.0f}t", " {:.0f}Th"])).format(model.rated_ths)
    return "".join(draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in text), model


@given(spellings())
def test_every_model_is_found_by_every_way_of_writing_it(spelled: tuple[str, MinerModel]) -> None:
    text, model = spelled
    assert find_model(text) is model


@given(st.text(max_size=300))
def test_any_text_is_judged_and_a_found_model_finds_itself(text: str) -> None:
    found = find_model(text)
    stated_ths(text)
    assert found is None or find_model(found.name) is found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Antminer S19j Pro", "Antminer S19j Pro"),
        ("S19J PRO", "Antminer S19j Pro"),
        ("antminer_s19jpro", "Antminer S19j Pro"),
        ("Bitmain Antminer S19j Pro (104T)", "Antminer S19j Pro"),
        ("M30S++VE40", "Whatsminer M30S++"),
        ("Whatsminer M50S_VH50", "Whatsminer M50S"),
        ("m30s plus plus", "Whatsminer M30S++"),
        ("AvalonMiner 1366", "Avalon A1366"),
        ("Ｓ２１", "Antminer S21"),  # noqa: RUF001 - full-width letters, as some keyboards write them
    ],
)
def test_spellings_seen_in_the_field_are_understood(text: str, name: str) -> None:
    found = find_model(text)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S19j Pro+",
        "S19 XP Hyd.",
        "S21 XP",
        "S19j",
        "S19k Pro",
        "M30S+",
        "M50S++",
        "M60",
        "Pro",
        "S9",
        "T19",
        "9" * 9,
    ],
)
def test_a_relative_or_a_stranger_is_not_taken_for_a_model_of_the_catalogue(text: str) -> None:
    assert find_model(text) is None


def test_a_rating_in_the_text_is_read_and_a_model_number_is_not_taken_for_one() -> None:
    assert stated_ths("Antminer S19j Pro (100T)") == 100
    assert stated_ths("S19j Pro 96 TH/s") == 96
    assert stated_ths("S19XP_140.5t") == 140.5
    assert stated_ths("Antminer T21") is None
    assert stated_ths("Antminer S21") is None


def test_the_figures_of_a_model_agree_with_each_other() -> None:
    for model in MODELS:
        assert model.power_w / model.rated_ths == pytest.approx(model.efficiency_j_th, rel=0.06), model.name
        assert model.chips_per_board[0] <= model.chips_per_board[1]


def test_the_facts_import_nothing_but_the_standard_library_and_each_other() -> None:
    folder = Path(__file__).parents[2] / "src" / "hashinsight" / "facts"
    known = ("import re", "import unicodedata", "from dataclasses", "from enum", "from hashinsight.facts")
    for file in folder.glob("*.py"):
        imports = [line for line in file.read_text().splitlines() if line.startswith(("import ", "from "))]
        assert all(line.startswith(known) for line in imports), file.name
