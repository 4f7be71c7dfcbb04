"""What an asset list changes: new machines, changed machines with their fields, unchanged machines. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from hashinsight.inventory.expected_hashrate import get_expected_hashrate
from hashinsight.wire.sites import fold_code

FIELDS = ("model", "serial", "mac", "firmware", "zone", "rack", "position", "owner", "expected_ths")
KNOWN_SCHEMA: dict[str, type[pl.DataType]] = {
    "miner_no": pl.Int64,
    "miner_id": pl.String,
    "state": pl.String,
    **dict.fromkeys(FIELDS, pl.String),
    "expected_ths": pl.Float64,
    "expected_source": pl.String,
}


@dataclass(frozen=True)
class AssetDiff:
    """`created` and `changed` have the new values of machines; `changes` a row for each changed field, as texts."""

    created: pl.DataFrame
    changed: pl.DataFrame
    changes: pl.DataFrame
    unchanged: int


def diff_assets(lines: pl.DataFrame, known: pl.DataFrame, *, stated: str = "operator") -> AssetDiff:
    """`lines` are valid; `known` are the machines of the site. An empty cell keeps the current value.

    `stated` is the source of a rating in the model's text: who wrote that text.
    """
    lines = lines.with_columns(pl.lit(None, pl.String).alias(name) for name in FIELDS if name not in lines.columns)
    old = known.rename({name: f"{name}_old" for name in (*FIELDS, "expected_source")})
    joined = lines.join(old, on="miner_id", how="left", maintain_order="left")
    merged = _with_expected(_with_place(joined), stated).with_columns(
        pl.coalesce(name, f"{name}_old").alias(name) for name in ("serial", "mac", "firmware", "owner")
    )
    is_new = pl.col("miner_no").is_null()
    differs = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_old")) for name in (*FIELDS, "expected_source"))
    changed = merged.filter(~is_new & differs)
    return AssetDiff(
        created=merged.filter(is_new),
        changed=changed,
        changes=_changes(changed),
        unchanged=merged.filter(~is_new & ~differs).height,
    )


def spell_zones(lines: pl.DataFrame, codes: Sequence[str]) -> pl.DataFrame:
    """Zones spelled as the site's `codes`, or as first in the list: codes that differ only in case are one zone."""
    known: dict[str, list[str]] = {}
    for code in codes:
        known.setdefault(fold_code(code), []).append(code)
    spelling: dict[str, str] = {}
    for zone in lines["zone"].drop_nulls().unique(maintain_order=True):
        alike = known.setdefault(fold_code(zone), [zone])
        spelling[zone] = zone if zone in alike else alike[0]
    return lines.with_columns(pl.col("zone").replace(spelling))


def _with_place(frame: pl.DataFrame) -> pl.DataFrame:
    """A machine that moves to another zone loses rack and position, unless the line has new ones."""
    zone = pl.coalesce("zone", "zone_old")
    moved = zone.ne_missing(pl.col("zone_old"))
    rack = pl.when(moved).then(pl.col("rack")).otherwise(pl.coalesce("rack", "rack_old"))
    same_rack = ~moved & rack.eq_missing(pl.col("rack_old"))
    position = pl.when(same_rack).then(pl.coalesce("position", "position_old")).otherwise(pl.col("position"))
    return frame.with_columns(zone=zone, rack=rack, position=position)


def _with_expected(frame: pl.DataFrame, stated: str) -> pl.DataFrame:
    """Model and expected hashrate. Each spelling is looked up once; the operator's figure survives a new model."""
    spellings = frame["model"].drop_nulls().unique()
    ratings = [get_expected_hashrate(spelling) for spelling in spellings]
    catalogue = pl.DataFrame(
        {
            "model": spellings,
            "_name": [rating.model for rating in ratings],
            "_ths": [rating.ths for rating in ratings],
            "_source": [stated if rating.source == "operator" else rating.source for rating in ratings],
        },
        schema={"model": pl.String, "_name": pl.String, "_ths": pl.Float64, "_source": pl.String},
    )
    looked_up = frame.join(catalogue, on="model", how="left", maintain_order="left")
    given = pl.col("expected_ths").is_not_null()
    derived = pl.col("expected_source_old").is_in(["catalogue", "reported"]).fill_null(value=False)
    by_model = pl.col("_source").is_not_null() & (
        pl.col("expected_source_old").is_null() | derived | (pl.col("_source") == "operator")
    )
    # a model that the catalogue does not know drops the old catalogue figure
    is_dropped = pl.col("_name").is_not_null() & pl.col("_source").is_null() & derived
    return looked_up.with_columns(
        model=pl.coalesce("_name", "model_old"),
        expected_ths=pl.when(given)
        .then(pl.col("expected_ths"))
        .when(by_model)
        .then(pl.col("_ths"))
        .when(~is_dropped)
        .then(pl.col("expected_ths_old")),
        expected_source=pl.when(given)
        .then(pl.lit("operator"))
        .when(by_model)
        .then(pl.col("_source"))
        .when(~is_dropped)
        .then(pl.col("expected_source_old")),
    ).drop("_name", "_ths", "_source")


def _changes(changed: pl.DataFrame) -> pl.DataFrame:
    parts = [
        changed.filter(pl.col(name).ne_missing(pl.col(f"{name}_old"))).select(
            "miner_no",
            field=pl.lit(name),
            old=pl.col(f"{name}_old").cast(pl.String),
            new=pl.col(name).cast(pl.String),
        )
        for name in FIELDS
    ]
    return pl.concat(parts)
