"""Canonical JSON: the same value gives the same bytes in every language."""

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.wire.canonical import MAX_DEPTH, canonical_json

NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=30,
)


@given(VALUES)
def test_canonical_json_reads_back_and_writes_the_same_again(value: Any) -> None:
    written = canonical_json(value)
    assert canonical_json(json.loads(written)) == written
    assert json.loads(written, parse_int=float) == value  # as a language reads it that has only doubles


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.just("é"),
        lambda i: st.lists(i) | st.dictionaries(st.text("ab"), i),
    )
)
def test_plain_values_match_sorted_compact_python_json(value: Any) -> None:
    assert canonical_json(value).decode() == json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


@given(st.dictionaries(TEXTS, st.integers(0, 9), min_size=2))
def test_the_order_of_names_in_the_input_does_not_matter(value: dict[str, int]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)
    names = list(json.loads(canonical_json(value)))
    assert names == sorted(names, key=lambda name: name.encode("utf-16-be"))


@given(VALUES, VALUES)
def test_different_values_give_different_bytes(first: Any, second: Any) -> None:
    """Typed as JSON is: true is not 1, and 1.0 is 1."""
    same = json.dumps(_typed(first), sort_keys=True) == json.dumps(_typed(second), sort_keys=True)
    assert (canonical_json(first) == canonical_json(second)) is same


def _typed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _typed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return float(value) + 0.0 if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        # the samples of RFC 8785, appendix B
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_numbers_match_the_examples_of_the_standard(bits: str, text: str) -> None:
    assert canonical_json(struct.unpack(">d", bytes.fromhex(bits))[0]).decode() == text


def test_names_are_sorted_by_utf16_units_and_strings_are_not_escaped() -> None:
    value = {"\u20ac": "Euro Sign", "\r": "CR", "\ufb33": "Dalet", "1": "One", "\U0001f600": "Smile", "\x80": "Ctrl"}
    assert list(json.loads(canonical_json(value)).values()) == ["CR", "One", "Ctrl", "Euro Sign", "Smile", "Dalet"]
    assert canonical_json('\u20ac$\x0f\nA\'B"\\"/\x7f') == '"€$\\u000f\\nA\'B\\"\\\\\\"/\x7f"'.encode()
    assert canonical_json({"b": [1.0, 490, 4.50, 2e-3], "a": None}) == b'{"a":null,"b":[1,490,4.5,0.002]}'


def test_an_integer_beyond_2_53_is_written_only_if_doubles_hold_it_exactly() -> None:
    assert canonical_json(10**20) == canonical_json(1e20) == b"100000000000000000000"
    assert canonical_json(3.232149555734543e16) == canonical_json(32321495557345430) == b"32321495557345430"


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        2**53 + 1,
        -(2**53) - 1,
        2**60,
        10**21,
        10**400,
        [10**5000],
        "\ud800",
        {"\udfff": 1},
        {1: 1},
        {None: 1},
        b"x",
        {1, 2},
        object(),
        nested(MAX_DEPTH + 1),
        nested(5000),
    ],
)
def test_a_value_without_a_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical_json(value)


def test_the_deepest_allowed_nesting_is_written() -> None:
    assert canonical_json(nested(MAX_DEPTH)).count(b"[") == MAX_DEPTH
