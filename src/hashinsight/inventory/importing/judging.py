"""Which lines of an asset list are refused, and why: column operations; the first rule that hits gives the reason."""

import polars as pl

from hashinsight.inventory.expectation import MAX_THS
from hashinsight.inventory.importing.reading import REFUSED_SCHEMA, Read
from hashinsight.inventory.texts import ID, MAC_BETWEEN, MAC_DIGITS, MAC_PAIRS, MAX_CHARS, NO_MACS, RESERVED_IDS, TEXT

_TEXTS = ("model", "serial", "zone", "rack", "position", "owner")


def judge(read: Read) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The good lines with MAC and number in their one form, and the refused ones with code and reason."""
    lines = read.lines.with_columns(
        _digits=_mac_digits(),
        _ths=pl.col("expected_ths").cast(pl.Float64, strict=False),
    )
    verdict = pl.coalesce(*_rules())
    judged = lines.with_columns(_verdict=verdict).unnest("_verdict")
    refused = judged.filter(pl.col("error_code").is_not_null()).select(
        "line", pl.col("miner_id").str.slice(0, MAX_CHARS["miner_id"]), "error_code", "reason"
    )
    good = judged.filter(pl.col("error_code").is_null()).with_columns(
        mac=_mac_of(pl.col("_digits")),
        expected_ths=pl.col("_ths"),
    )
    return good.drop("_digits", "_ths", "error_code", "reason"), pl.concat([read.refused, refused.cast(REFUSED_SCHEMA)])


def cleaned(frame: pl.DataFrame) -> pl.DataFrame:
    """What machines say of themselves, in the same forms; a value that a list would be refused for is left out."""
    digits = _mac_digits()
    texts = [
        pl.when(pl.col(name).str.contains(TEXT) & (pl.col(name).str.len_chars() <= MAX_CHARS[name])).then(pl.col(name))
        for name in ("model", "serial", "firmware")
    ]
    stripped = frame.with_columns(pl.col("model", "serial", "firmware").str.strip_chars())
    return stripped.with_columns(*texts, mac=pl.when(_is_mac(digits)).then(_mac_of(digits)))


def refuse(lines: pl.DataFrame, code: str, reason: str) -> pl.DataFrame:
    """These lines as refused ones."""
    return lines.select("line", "miner_id", error_code=pl.lit(code, pl.String), reason=pl.lit(reason, pl.String)).cast(
        REFUSED_SCHEMA
    )


def _rules() -> list[pl.Expr]:
    long = [
        _when(
            pl.col(name).str.len_chars() > MAX_CHARS[name],
            "TEXT_TOO_LONG",
            f"{name} has more than {MAX_CHARS[name]} characters",
        )
        for name in ("miner_id", *_TEXTS)
    ]
    odd = [
        _when(
            ~pl.col(name).str.contains(TEXT),
            "BAD_TEXT",
            f"{name} begins with one of = + - @ or holds characters that cannot be shown",
        )
        for name in _TEXTS
    ]
    return [
        _when(pl.col("miner_id").is_null(), "MINER_ID_MISSING", "the line has no miner_id"),
        *long,
        _when(
            ~pl.col("miner_id").str.contains(ID) | pl.col("miner_id").str.to_lowercase().is_in(list(RESERVED_IDS)),
            "BAD_MINER_ID",
            "miner_id holds a slash or characters that cannot be shown, begins with one of = + - @, or is reserved",
        ),
        *odd,
        _when(
            ~_is_mac(pl.col("_digits")),
            "BAD_MAC",
            "mac is no address of 12 hexadecimal digits",
        ),
        _when(
            pl.col("expected_ths").is_not_null()
            & ~(pl.col("_ths").is_finite() & (pl.col("_ths") > 0) & (pl.col("_ths") < MAX_THS)).fill_null(value=False),
            "BAD_NUMBER",
            f"expected_ths is no number between 0 and {MAX_THS:.0f}",
        ),
        _twice("miner_id"),
        _twice("serial"),
    ]


def _mac_digits() -> pl.Expr:
    return pl.col("mac").str.replace_all(MAC_BETWEEN, "").str.to_lowercase()


def _is_mac(digits: pl.Expr) -> pl.Expr:
    return digits.str.contains(MAC_DIGITS) & ~digits.is_in(list(NO_MACS))


def _mac_of(digits: pl.Expr) -> pl.Expr:
    return digits.str.replace(MAC_PAIRS, "$1:$2:$3:$4:$5:$6")


def _when(hit: pl.Expr, code: str, reason: str) -> pl.Expr:
    return pl.when(hit).then(_told(pl.lit(reason), code))


def _twice(name: str) -> pl.Expr:
    first = pl.col("line").first().over(name)
    reason = pl.format("line {} has the same {}", first, pl.lit(name))
    hit = pl.col(name).is_not_null() & (pl.col("line") != first)
    return pl.when(hit).then(_told(reason, f"DUPLICATE_{name.upper()}"))


def _told(reason: pl.Expr, code: str) -> pl.Expr:
    return pl.struct(error_code=pl.lit(code), reason=reason)
