"""Every model of the installed mining library is in the catalogue, or at least in a series."""

import re
from importlib.util import find_spec
from pathlib import Path

from hashinsight.facts.models import find_model, find_series
from hashinsight.facts.temperatures import SERIES_LIMITS

WHATSMINER = re.compile(rb"M[2-7]\d[A-Z]{0,2}(?:Plus){0,2}V[A-Z]?[0-9A-Z]\d(?![0-9a-z])")
# names in the file follow each other without a break, so only those with an end of their own can be separated
ANTMINER = re.compile(
    rb"ANTMINER [ST](?:9|11|15|17|19|21|23)[A-Z]?\+? ?(?:(?:PRO\+?|XP)? ?HYD(?:\.|RO)|(?:PRO\+?|XP)(?! HYD))"
)
UNRATED = {"S21PRO+", "S21JXP", "S21JXPHYD.", "S21JXPHYDRO"}  # no public sheet
# experiments and small series of MicroBT, without a public sheet
UNRATED_WHATSMINERS = {
    *("M20P", "M20S+", "M21S+", "M29", "M30", "M30K", "M30L", "M31", "M31H", "M31L", "M31SE", "M33", "M34S+", "M39"),
    *("M51S+", "M52S", "M52S++", "M53H", "M54S", "M54S+", "M54S++", "M59", "M62S+", "M62S++", "M64S", "M64S++"),
    *("M67S", "M69", "M69S++", "M72", "M72S"),
}
AVALON = (
    *("Avalon1026", "Avalon1047", "Avalon1066", "Avalon1126Pro", "Avalon1166Pro", "Avalon1246", "Avalon1466"),
    *("Avalon15", "Avalon1566", "Avalon1566Ha", "Avalon1566Hu", "AvalonNano3", "AvalonNano3s", "AvalonHomeQ"),
)


def names_in_library(pattern: re.Pattern[bytes]) -> set[str]:
    """The library offers no list: the names of its models are read from its compiled file."""
    spec = find_spec("pyasic_rs")
    assert spec is not None
    assert spec.origin is not None
    files = list(Path(spec.origin).parent.glob("asic_rs*.so"))
    assert files
    return {name.decode() for file in files for name in pattern.findall(file.read_bytes())}


def test_every_whatsminer_of_the_library_is_found_without_its_hardware_version() -> None:
    names = names_in_library(WHATSMINER)
    assert len(names) > 400
    assert {name for name in names if (find_series(name) or "") not in SERIES_LIMITS} == set()
    for name in names:
        model, named = find_model(name), re.sub(r"V\w+$", "", name).replace("Plus", "+")
        assert model is not None or named in UNRATED_WHATSMINERS, named
        assert model is None or model.name.split()[1] == named


def test_every_bitcoin_antminer_of_the_library_is_found() -> None:
    names = names_in_library(ANTMINER)
    assert {"ANTMINER S19J PRO", "ANTMINER S19 PRO+ HYD.", "ANTMINER S21E XP HYD."} <= names
    assert {name for name in names if (find_series(name) or "") not in SERIES_LIMITS} == set()
    assert {name.removeprefix("ANTMINER").replace(" ", "") for name in names if not find_model(name)} <= UNRATED


def test_every_avalon_of_the_library_is_found() -> None:
    assert {name for name in AVALON if not find_model(name)} == set()
    assert {name for name in AVALON if (find_series(name) or "") not in SERIES_LIMITS} == set()
