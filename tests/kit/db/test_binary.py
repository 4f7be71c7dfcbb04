"""Rows in the binary form of COPY, through a real COPY and back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import psycopg
import pytest

from hashinsight.kit.db import binary

NAN = float("nan")


def round_trip(url: str, kind: str, column: binary.Column) -> list[Any]:
    """The column through a COPY into a table of this type."""
    return [row[0] for row in copied(url, (kind,), [column])]


def copied(url: str, kinds: tuple[str, ...], columns: list[binary.Column]) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        fields = ", ".join(f"c{place} {kind}" for place, kind in enumerate(kinds))
        connection.execute(f"create temporary table taken (id int generated always as identity, {fields})".encode())
        names = ", ".join(f"c{place}" for place in range(len(kinds)))
        with connection.cursor().copy(f"copy taken ({names}) from stdin (format binary)".encode()) as copy:
            for part in (binary.START, binary.rows_of(columns), binary.END):
                copy.write(part)
        return connection.execute(f"select {names} from taken order by id".encode()).fetchall()


@pytest.mark.parametrize(
    ("kind", "form", "values"),
    [
        ("smallint", ">i2", [0, 1, -1, 32_767, -32_768]),
        ("integer", ">i4", [0, 1, -1, 2**31 - 1, -(2**31)]),
        ("bigint", ">i8", [0, 1, -1, 2**63 - 1, -(2**63)]),
    ],
)
def test_whole_numbers(superuser_url: str, kind: str, form: str, values: list[int]) -> None:
    assert round_trip(superuser_url, kind, binary.numbers(np.array(values, np.int64), form)) == values


@pytest.mark.parametrize(("kind", "form"), [("real", ">f4"), ("double precision", ">f8")])
def test_fractions_and_nulls(superuser_url: str, kind: str, form: str) -> None:
    values = np.array([0.0, -1.5, NAN, 1e10, NAN])
    assert round_trip(superuser_url, kind, binary.numbers(values, form)) == [0.0, -1.5, None, 1e10, None]


@pytest.mark.parametrize("values", [[NAN, 1.0, 2.0], [NAN, NAN], [1.0, 2.0]])
def test_floats_as_whole_numbers_with_nulls(superuser_url: str, values: list[float]) -> None:
    wanted = [None if np.isnan(value) else int(value) for value in values]
    assert round_trip(superuser_url, "bigint", binary.numbers(np.array(values), ">i8")) == wanted


def test_times_to_the_microsecond_before_and_after_2000(superuser_url: str) -> None:
    times = [datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC), datetime(1999, 12, 31, 23, 59, 59, 1, UTC)]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    micros = np.array([(at - epoch) // timedelta(microseconds=1) for at in times])
    assert round_trip(superuser_url, "timestamptz", binary.times(micros)) == times
    for at in times:
        assert round_trip(superuser_url, "timestamptz", binary.same(2, binary.time_of(at))) == [at, at]


def test_texts_of_any_length_and_alphabet(superuser_url: str) -> None:
    values = ["", None, "a", "grüße", "矿机" * 300, "🔥", "tab\tnew\nline\\", "x" * 10_000, None, "end "]
    assert round_trip(superuser_url, "text", binary.texts(values)) == values
    assert round_trip(superuser_url, "text", binary.texts([None, None])) == [None, None]
    assert round_trip(superuser_url, "text", binary.texts(["m-01", "m-02", "ü-1"])) == ["m-01", "m-02", "ü-1"]


def test_json(superuser_url: str) -> None:
    values = ['{"a": [1, null, "ü"]}', None, "[]", '"\\\\u0000"']
    assert round_trip(superuser_url, "jsonb", binary.jsons(values)) == [{"a": [1, None, "ü"]}, None, [], "\\u0000"]


def test_lists_ragged_with_holes_and_none_at_all(superuser_url: str) -> None:
    grid = np.array([[1.0, 2.0, 3.0], [4.0, NAN, NAN], [NAN, 5.0, NAN], [NAN, NAN, NAN], [NAN, NAN, 6.0]])
    lengths = np.array([3, 1, 2, 0, 3])
    wanted = [[1.0, 2.0, 3.0], [4.0], [None, 5.0], None, [None, None, 6.0]]
    assert round_trip(superuser_url, "real[]", binary.real_lists(grid, lengths)) == wanted


def test_the_same_for_all_rows(superuser_url: str) -> None:
    assert round_trip(superuser_url, "integer", binary.same(3, (7).to_bytes(4, "big"))) == [7, 7, 7]


def test_no_rows_at_all(superuser_url: str) -> None:
    empty = np.array([], np.int64)
    columns = [
        binary.numbers(empty, ">i4"),
        binary.times(empty),
        binary.texts([]),
        binary.jsons([]),
        binary.same(0, b"\0\0\0\1"),
        binary.real_lists(np.empty((0, 3)), empty),
    ]
    kinds = ("integer", "timestamptz", "text", "jsonb", "integer", "real[]")
    assert copied(superuser_url, kinds, columns) == []


def test_columns_of_all_kinds_side_by_side(superuser_url: str) -> None:
    columns = [
        binary.numbers(np.array([1, 2, 3]), ">i4"),
        binary.texts(["a", None, "ccc"]),
        binary.numbers(np.array([NAN, 0.5, NAN]), ">f4"),
        binary.real_lists(np.array([[1.0, NAN], [NAN, NAN], [2.0, 3.0]]), np.array([1, 0, 2])),
        binary.jsons([None, "{}", "[1]"]),
    ]
    kinds = ("integer", "text", "real", "real[]", "jsonb")
    wanted: list[tuple[Any, ...]] = [
        (1, "a", None, [1.0], None),
        (2, None, 0.5, None, {}),
        (3, "ccc", None, [2.0, 3.0], [1]),
    ]
    assert copied(superuser_url, kinds, columns) == wanted


def test_several_numbers_of_a_type_are_packed_together(superuser_url: str) -> None:
    grid = np.array([[1.0, NAN, 3.0], [NAN, 5.0, 6.0]])
    kinds = ("real", "real", "real", "text")
    columns = [binary.numbers(grid, ">f4"), binary.texts(["a", "b"])]
    assert copied(superuser_url, kinds, columns) == [(1.0, None, 3.0, "a"), (None, 5.0, 6.0, "b")]
    whole = [binary.numbers(grid[1:, 1:], ">i8")]
    assert copied(superuser_url, ("bigint", "bigint"), whole) == [(5, 6)]


def test_values_shared_by_all_rows(superuser_url: str) -> None:
    columns = [
        binary.texts(["stratum+tcp://å"] * 3),
        binary.jsons(['{"a": 1}'] * 3),
        binary.real_lists(np.array([[1.0, 2.5]] * 3), np.array([2] * 3)),
    ]
    wanted = [("stratum+tcp://å", {"a": 1}, [1.0, 2.5])] * 3
    assert copied(superuser_url, ("text", "jsonb", "real[]"), columns) == wanted


def test_rows_may_be_made_in_parts(superuser_url: str) -> None:
    with psycopg.connect(superuser_url) as connection:
        connection.execute("create temporary table taken (word text)")
        with connection.cursor().copy("copy taken from stdin (format binary)") as copy:
            for part in (binary.START, *(binary.rows_of([binary.texts([word])]) for word in "abc"), binary.END):
                copy.write(part)
        assert connection.execute("select string_agg(word, '' order by word) from taken").fetchone() == ("abc",)
