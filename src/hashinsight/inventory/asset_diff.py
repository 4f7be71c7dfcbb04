"""What an asset list changes: new machines, changed ones with their fields, and those that are as the list says."""

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
    """`created` and `changed` hold a machine's new values; `changes` one row a changed field, as texts."""

    created: pl.DataFrame
    changed: pl.DataFrame
    changes: pl.DataFrame
    unchanged: int


def diff_assets(lines: pl.DataFrame, known: pl.DataFrame, *, stated: str = "operator") -> AssetDiff:
    """`lines` are good ones; `known` the machines of the site. An empty cell leaves what is there.

    `stated` is the source of a rating that the model's text states: who wrote that text.
    """
    lines = lines.with_columns(pl.lit(None, pl.String).alias(name) for name in FIELDS if name not in lines.columns)
    old = known.rename({name: f"{name}_old" for name in (*FIELDS, "expected_source")})
    joined = lines.join(old, on="miner_id", how="left", maintain_order="left")
    wanted = _expected(_placed(joined), stated).with_columns(
        pl.coalesce(name, f"{name}_old").alias(name) for name in ("serial", "mac", "firmware", "owner")
    )
    is_new = pl.col("miner_no").is_null()
    differs = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_old")) for name in (*FIELDS, "expected_source"))
    changed = wanted.filter(~is_new & differs)
    return AssetDiff(
        created=wanted.filter(is_new),
        changed=changed,
        changes=_changes(changed),
        unchanged=wanted.filter(~is_new & ~differs).height,
    )


def spell_zones(lines: pl.DataFrame, codes: Sequence[str]) -> pl.DataFrame:
    """Zones spelled as the site's own, `codes`, or as the list's first: those that differ only in case are one."""
    spelled: dict[str, list[str]] = {}
    for code in codes:
        spelled.setdefault(fold_code(code), []).append(code)
    meant: dict[str, str] = {}
    for zone in lines["zone"].drop_nulls().unique(maintain_order=True):
        alike = spelled.setdefault(fold_code(zone), [zone])
        meant[zone] = zone if zone in alike else alike[0]
    return lines.with_columns(pl.col("zone").replace(meant))


def _placed(frame: pl.DataFrame) -> pl.DataFrame:
    """A machine that moves to another zone leaves rack and position behind, unless the line says new ones."""
    zone = pl.coalesce("zone", "zone_old")
    moved = zone.ne_missing(pl.col("zone_old"))
    rack = pl.when(moved).then(pl.col("rack")).otherwise(pl.coalesce("rack", "rack_old"))
    stays = ~moved & rack.eq_missing(pl.col("rack_old"))
    position = pl.when(stays).then(pl.coalesce("position", "position_old")).otherwise(pl.col("position"))
    return frame.with_columns(zone=zone, rack=rack, position=position)


def _expected(frame: pl.DataFrame, stated: str) -> pl.DataFrame:
    """Model and expected hashrate. Each spelling is looked up once; a figure of the operator's outlives a new model."""
    spelled = frame["model"].drop_nulls().unique()
    found = [get_expected_hashrate(text) for text in spelled]
    catalogue = pl.DataFrame(
        {
            "model": spelled,
            "_name": [one.model for one in found],
            "_ths": [one.ths for one in found],
            "_source": [stated if one.source == "operator" else one.source for one in found],
        },
        schema={"model": pl.String, "_name": pl.String, "_ths": pl.Float64, "_source": pl.String},
    )
    looked_up = frame.join(catalogue, on="model", how="left", maintain_order="left")
    given = pl.col("expected_ths").is_not_null()
    derived = pl.col("expected_source_old").is_in(["catalogue", "reported"]).fill_null(value=False)
    by_model = pl.col("_source").is_not_null() & (
        pl.col("expected_source_old").is_null() | derived | (pl.col("_source") == "operator")
    )
    # a model that the catalogue does not know takes the old catalogue figure with it
    lost = pl.col("_name").is_not_null() & pl.col("_source").is_null() & derived
    return looked_up.with_columns(
        model=pl.coalesce("_name", "model_old"),
        expected_ths=pl.when(given)
        .then(pl.col("expected_ths"))
        .when(by_model)
        .then(pl.col("_ths"))
        .when(~lost)
        .then(pl.col("expected_ths_old")),
        expected_source=pl.when(given)
        .then(pl.lit("operator"))
        .when(by_model)
        .then(pl.col("_source"))
        .when(~lost)
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
