"""Parse an asset list (CSV) and validate its lines: valid ones as a frame, refused ones with code and reason. Pure.

Python's csv module, not polars': it knows the number of every line, and a malformed line costs that line instead of the
file. 100,000 lines take a quarter of a second.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from hashinsight.inventory.expected_hashrate import MAX_THS
from hashinsight.inventory.fields import (
    MAC_BETWEEN,
    MAC_DIGITS,
    MAC_PAIRS,
    MAX_CHARS,
    MINER_ID_PATTERN,
    NO_MACS,
    RESERVED_IDS,
    TEXT_PATTERN,
)
from hashinsight.kit.errors import PayloadTooLarge, ValidationFailed

COLUMNS = ("miner_id", "model", "serial", "mac", "zone", "rack", "position", "owner", "expected_ths")
MAX_BYTES = 64 * 1024 * 1024
MAX_LINES = 250_000
MAX_CELLS = MAX_LINES * len(COLUMNS)
MAX_CELLS_PER_LINE = 1000
_SHOWN_CHARS = 40
_TEXTS = ("model", "serial", "zone", "rack", "position", "owner")

REFUSED_SCHEMA = pl.Schema({"line": pl.Int64, "miner_id": pl.String, "error_code": pl.String, "reason": pl.String})


@dataclass(frozen=True)
class ParsedList:
    """`lines` has `line` and all columns as text, missing ones as null."""

    lines: pl.DataFrame
    refused: pl.DataFrame


def parse_asset_list(raw: bytes) -> ParsedList:
    if len(raw) > MAX_BYTES:
        raise PayloadTooLarge(
            f"the list is larger than {MAX_BYTES} bytes: split it", details={"limit_bytes": MAX_BYTES}
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ValidationFailed(f"line {line} is not UTF-8: save the list as UTF-8", code="NOT_UTF8") from None
    if raw.count(b",") > MAX_CELLS:  # before parsing: a cell takes fifty times the memory of its comma
        raise _too_many_cells(f"the list has more than {MAX_CELLS}")
    rows, numbers = _rows(text)
    if not rows:
        raise ValidationFailed("the list is empty: the first line must name the columns", code="HEADER_MISSING")
    columns = _parse_header(rows[0])
    width = len(columns)
    ragged = [(number, row) for row, number in zip(rows[1:], numbers[1:], strict=True) if len(row) != width and row]
    lines = [(number, *row) for row, number in zip(rows[1:], numbers[1:], strict=True) if len(row) == width]
    frame = pl.DataFrame(lines, schema={"line": pl.Int64} | dict.fromkeys(columns, pl.String), orient="row")
    stripped = frame.with_columns(pl.col(pl.String).str.strip_chars())
    filled = stripped.with_columns(pl.when(pl.col(pl.String) != "").then(pl.col(pl.String)).name.keep())
    missing = [pl.lit(None, pl.String).alias(name) for name in COLUMNS if name not in columns]
    return ParsedList(filled.with_columns(missing).select("line", *COLUMNS), _refuse_ragged(ragged, width))


def _lines_of(text: str) -> Iterator[str]:
    """Lines of the text, with a limit on cells: the csv module parses a whole line at once."""
    for number, line in enumerate(io.StringIO(text, newline=""), 1):
        if line.count(",") > MAX_CELLS_PER_LINE:
            raise _too_many_cells(f"line {number} has more than {MAX_CELLS_PER_LINE}")
        yield line


def _too_many_cells(what: str) -> PayloadTooLarge:
    limits = {"limit_cells": MAX_CELLS, "limit_cells_a_line": MAX_CELLS_PER_LINE}
    return PayloadTooLarge(f"{what} cells: split it", code="TOO_MANY_VALUES", details=limits)


def _rows(text: str) -> tuple[list[list[str]], list[int]]:
    reader = csv.reader(_lines_of(text), strict=True)
    rows: list[list[str]] = []
    numbers: list[int] = []
    start = 1
    try:
        for row in reader:
            rows.append(row)
            numbers.append(start)
            start = reader.line_num + 1
            if len(rows) > MAX_LINES + 1:
                raise PayloadTooLarge(
                    f"the list has more than {MAX_LINES} lines: split it", details={"limit_lines": MAX_LINES}
                )
    except csv.Error as error:
        raise ValidationFailed(f"line {start} has an unclosed quote: {error}", code="CSV_BROKEN") from None
    return rows, numbers


def _parse_header(cells: list[str]) -> tuple[str, ...]:
    names = tuple(cell.strip().lower() for cell in cells)
    unknown = sorted({name[:_SHOWN_CHARS] for name in names if name not in COLUMNS})
    if unknown:
        raise ValidationFailed(
            f"unknown columns: {', '.join(unknown[:20])}; known are {', '.join(COLUMNS)}",
            code="UNKNOWN_COLUMN",
            details={"unknown": unknown[:20]},
        )
    if len(set(names)) != len(names):
        raise ValidationFailed("the header has a duplicate column", code="COLUMN_TWICE")
    if "miner_id" not in names:
        raise ValidationFailed("the header has no miner_id column", code="HEADER_MISSING")
    return names


def _refuse_ragged(lines: list[tuple[int, list[str]]], width: int) -> pl.DataFrame:
    refused = [
        (number, None, "WRONG_CELL_COUNT", f"the line has {len(row)} cells, the header {width}")
        for number, row in lines
    ]
    return pl.DataFrame(refused, schema=REFUSED_SCHEMA, orient="row")


def validate_lines(parsed: ParsedList) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Valid lines with normalized MAC and number, and refused ones with code and reason; the first rule that hits."""
    lines = parsed.lines.with_columns(
        _digits=_mac_digits(),
        _ths=pl.col("expected_ths").cast(pl.Float64, strict=False),
    )
    checked = lines.with_columns(_error=pl.coalesce(*_rules())).unnest("_error")
    refused = checked.filter(pl.col("error_code").is_not_null()).select(
        "line", pl.col("miner_id").str.slice(0, MAX_CHARS["miner_id"]), "error_code", "reason"
    )
    valid = checked.filter(pl.col("error_code").is_null()).with_columns(
        mac=_normalized_mac(pl.col("_digits")),
        expected_ths=pl.col("_ths"),
    )
    valid = valid.drop("_digits", "_ths", "error_code", "reason")
    return valid, pl.concat([parsed.refused, refused.cast(REFUSED_SCHEMA)])


def clean_reported(frame: pl.DataFrame) -> pl.DataFrame:
    """Values that machines report, normalized the same way; a value that a list would be refused for becomes null."""
    digits = _mac_digits()
    texts = [
        pl.when(pl.col(name).str.contains(TEXT_PATTERN) & (pl.col(name).str.len_chars() <= MAX_CHARS[name])).then(
            pl.col(name)
        )
        for name in ("model", "serial", "firmware")
    ]
    stripped = frame.with_columns(pl.col("model", "serial", "firmware").str.strip_chars())
    return stripped.with_columns(*texts, mac=pl.when(_is_mac(digits)).then(_normalized_mac(digits)))


def refuse_lines(lines: pl.DataFrame, code: str, reason: str) -> pl.DataFrame:
    """These lines as refused, for one reason."""
    return lines.select("line", "miner_id", error_code=pl.lit(code, pl.String), reason=pl.lit(reason, pl.String)).cast(
        REFUSED_SCHEMA
    )


def _rules() -> list[pl.Expr]:
    too_long = [
        _when(
            pl.col(name).str.len_chars() > MAX_CHARS[name],
            "TEXT_TOO_LONG",
            f"{name} has more than {MAX_CHARS[name]} characters",
        )
        for name in ("miner_id", *_TEXTS)
    ]
    invalid = [
        _when(
            ~pl.col(name).str.contains(TEXT_PATTERN),
            "BAD_TEXT",
            f"{name} starts with one of = + - @ or has characters that cannot be displayed",
        )
        for name in _TEXTS
    ]
    return [
        _when(pl.col("miner_id").is_null(), "MINER_ID_MISSING", "the line has no miner_id"),
        *too_long,
        _when(
            ~pl.col("miner_id").str.contains(MINER_ID_PATTERN)
            | pl.col("miner_id").str.to_lowercase().is_in(list(RESERVED_IDS)),
            "BAD_MINER_ID",
            "miner_id has a slash or characters that cannot be displayed, starts with one of = + - @, or is reserved",
        ),
        *invalid,
        _when(
            ~_is_mac(pl.col("_digits")),
            "BAD_MAC",
            "mac is not an address of 12 hexadecimal digits",
        ),
        _when(
            pl.col("expected_ths").is_not_null()
            & ~(pl.col("_ths").is_finite() & (pl.col("_ths") > 0) & (pl.col("_ths") < MAX_THS)).fill_null(value=False),
            "BAD_NUMBER",
            f"expected_ths is not a number between 0 and {MAX_THS:.0f}",
        ),
        _twice("miner_id"),
        _twice("serial"),
    ]


def _mac_digits() -> pl.Expr:
    return pl.col("mac").str.replace_all(MAC_BETWEEN, "").str.to_lowercase()


def _is_mac(digits: pl.Expr) -> pl.Expr:
    return digits.str.contains(MAC_DIGITS) & ~digits.is_in(list(NO_MACS))


def _normalized_mac(digits: pl.Expr) -> pl.Expr:
    return digits.str.replace(MAC_PAIRS, "$1:$2:$3:$4:$5:$6")


def _when(hit: pl.Expr, code: str, reason: str) -> pl.Expr:
    return pl.when(hit).then(_line_error(pl.lit(reason), code))


def _twice(name: str) -> pl.Expr:
    first = pl.col("line").first().over(name)
    reason = pl.format("line {} has the same {}", first, pl.lit(name))
    hit = pl.col(name).is_not_null() & (pl.col("line") != first)
    return pl.when(hit).then(_line_error(reason, f"DUPLICATE_{name.upper()}"))


def _line_error(reason: pl.Expr, code: str) -> pl.Expr:
    return pl.struct(error_code=pl.lit(code), reason=reason)
