"""The catalogue, and the spellings by which its models are found."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.facts.models import MODELS, MinerModel, find_model, find_series, find_stated_ths
from hashinsight.facts.temperatures import SERIES_LIMITS, SensorKind

SEPARATORS = st.sampled_from([" ", "_", "-", "  ", " - ", ""])


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, MinerModel]:
    """A name of the catalogue as people on site may write it."""
    model = draw(st.sampled_from(MODELS))
    words = model.name.split()
    if draw(st.booleans()):
        words = words[1:]
    text = draw(SEPARATORS).join(words)
    if draw(st.booleans()):
        text = f"{model.make} {text}"
    if draw(st.booleans()) and model.rated_ths >= 10:
        text += draw(st.sampled_from([" ({:.0f}T)", " {:.0f} TH/s", "_{:.0f}t", " {:.0f}Th"])).format(model.rated_ths)
    return "".join(draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in text), model


@given(spellings())
def test_every_model_is_found_by_every_spelling(spelled: tuple[str, MinerModel]) -> None:
    text, model = spelled
    assert find_model(text) is model


@given(st.text(max_size=300))
def test_any_text_is_handled_and_a_found_model_finds_itself(text: str) -> None:
    model = find_model(text)
    find_stated_ths(text)
    assert model is None or find_model(model.name) is model


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
        ("A1246", "Avalon A1246"),
        ("S19JPRO", "Antminer S19j Pro"),
        ("S19ProPlusHydro", "Antminer S19 Pro+ Hyd."),
        ("ANTMINER S21E XP HYD.", "Antminer S21e XP Hyd."),
        ("ANTMINER S19J88NOPIC", "Antminer S19j NoPIC"),
        ("M30S++ VH60", "Whatsminer M30S++"),
        ("M30SPlusPlusVHA0", "Whatsminer M30S++"),
        ("M60VK6A", "Whatsminer M60"),
        ("Avalon1566Ha", "Avalon A1566HA"),
        ("AvalonHomeQ", "Avalon Q"),
        ("Ｓ２１", "Antminer S21"),  # noqa: RUF001 - full-width letters, as some keyboards write them
    ],
)
def test_spellings_seen_in_the_field_are_understood(text: str, name: str) -> None:
    model = find_model(text)
    assert model is not None
    assert model.name == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S19j Pro++",
        "S19 XP Oil",
        "S19x",
        "M30SE",
        "M60X",
        "A1247",
        "Pro",
        "S8",
        "T20",
        "9" * 9,
    ],
)
def test_a_variant_or_unknown_model_is_not_taken_for_one_of_the_catalogue(text: str) -> None:
    assert find_model(text) is None


def test_a_rating_in_the_text_is_read_and_a_model_number_is_not_taken_for_one() -> None:
    assert find_stated_ths("Antminer S19j Pro (100T)") == 100
    assert find_stated_ths("S19j Pro 96 TH/s") == 96
    assert find_stated_ths("S19XP_140.5t") == 140.5
    assert find_stated_ths("Antminer T21") is None
    assert find_stated_ths("Antminer S21") is None


@pytest.mark.parametrize(
    ("text", "name", "series", "ths"),
    [
        ("A1346-107", "Avalon A1346", "Avalon 13", 107),
        ("AvalonMiner 1246-85", "Avalon A1246", "Avalon 12", 85),
        ("AvalonMiner 1166Pro-81", "Avalon A1166 Pro", "Avalon 11", 81),
        ("AvalonMiner 1366", "Avalon A1366", "Avalon 13", None),
        ("Avalon 15", "Avalon A15", "Avalon 15", None),
        ("Avalon A15 194", "Avalon A15", "Avalon 15", 194),
        ("Antminer S19 110", "Antminer S19", "Antminer S19", 110),
        ("Antminer S19 (95)", "Antminer S19", "Antminer S19", 95),
        ("Antminer S19kPro 120", "Antminer S19k Pro", "Antminer S19", 120),
        ("S9-13.5", "Antminer S9", "Antminer S9", 13.5),
        ("Whatsminer M30S++ 112", "Whatsminer M30S++", "Whatsminer M30", 112),
        ("Bitaxe Gamma 601", "Bitaxe Gamma", "Bitaxe", None),
    ],
)
def test_a_bare_number_at_the_end_is_a_rating_and_not_part_of_the_name(
    text: str, name: str, series: str, ths: float | None
) -> None:
    model = find_model(text)
    assert model is not None
    assert (model.name, find_series(text), find_stated_ths(text)) == (name, series, ths)


@pytest.mark.parametrize("name", ["S19 Pro", "S19j Pro", "S19 XP", "S19k Pro", "S19j"])
def test_a_machine_without_a_pic_is_of_its_plain_model_unless_the_catalogue_has_it(name: str) -> None:
    model = find_model(f"Antminer {name} NoPIC")
    assert model is not None
    assert model.name == (f"Antminer {name} NoPIC" if name == "S19j" else f"Antminer {name}")


def test_the_figures_of_a_model_agree_with_each_other() -> None:
    for model in MODELS:
        assert model.power_w / model.rated_ths == pytest.approx(model.efficiency_j_th, rel=0.06), model.name
        assert model.chips_per_board is None or 0 < model.chips_per_board[0] <= model.chips_per_board[1], model.name
        assert model.cooling in ("air", "hydro", "immersion"), model.name
        assert (model.fans > 0) == (model.cooling == "air"), model.name
        assert 0 < model.boards <= 8, model.name


def test_every_model_is_in_the_catalogue_once() -> None:
    assert len({model.name for model in MODELS}) == len(MODELS)
    assert all(find_model(model.name) is model for model in MODELS), "two models share one spelling"


def test_newer_machines_of_a_make_need_fewer_watts_per_terahash() -> None:
    """A typo in one figure stands out against its neighbours."""
    for names in (
        ("S9", "S11", "S15", "S17", "S19", "S19 Pro", "S19 XP", "S21", "S21 Pro", "S21 XP", "S23", "S23 Hyd."),
        ("M21S", "M20S", "M30S", "M30S+", "M30S++", "M50", "M50S", "M50S+", "M50S++", "M60", "M60S", "M60S+", "M70"),
        ("A1026", "A1066 Pro", "A1166", "A1246", "A1266", "A1346", "A1366", "A1466", "A1566", "A16", "A16 XP"),
    ):
        models = [find_model(name) for name in names]
        figures = [model.efficiency_j_th for model in models if model is not None]
        assert len(figures) == len(names)
        assert figures == sorted(figures, reverse=True)


def test_every_antminer_whatsminer_and_avalon_has_the_limits_of_its_series() -> None:
    for model in MODELS:
        if model.make in ("Bitmain", "MicroBT", "Canaan"):
            assert set(SERIES_LIMITS[find_series(model.name) or ""]) == set(SensorKind), model.name


@pytest.mark.parametrize(
    ("name", "chips"),
    [("M30S++", 70), ("M30S++", 255), ("M50S", 74), ("M50S", 156), ("M60S", 78), ("M60S", 245), ("S19 XP Hyd.", 204)],
)
def test_the_chips_of_every_hardware_version_are_in_the_range_of_its_name(name: str, chips: int) -> None:
    model = find_model(name)
    assert model is not None
    assert model.chips_per_board is not None
    assert model.chips_per_board[0] <= chips <= model.chips_per_board[1]


@pytest.mark.parametrize(
    "name",
    [
        *("M20P", "M21S+", "M30", "M31", "M31L", "M33", "M53H", "M64S", "M67S", "M72"),
        *("S19j+", "S19 Pro A", "S19 XP+"),
    ],
)
def test_a_model_without_public_figures_still_has_the_limits_of_its_series(name: str) -> None:
    assert find_model(name) is None
    assert set(SERIES_LIMITS[find_series(name) or ""]) == set(SensorKind)


def test_the_facts_import_nothing_but_the_standard_library_and_each_other() -> None:
    folder = Path(__file__).parents[2] / "src" / "hashinsight" / "facts"
    for file in folder.glob("*.py"):
        lines = [line for line in file.read_text().splitlines() if line.startswith(("import ", "from "))]
        modules = {line.split()[1] for line in lines}
        foreign = {name for name in modules if name.split(".")[0] not in sys.stdlib_module_names}
        assert all(name.startswith("hashinsight.facts") for name in foreign), file.name
