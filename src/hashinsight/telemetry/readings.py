"""What every answer tells of a machine: readings of now, and apart from them what it last reported. Pure."""

import polars as pl

from hashinsight.telemetry import losses

# what a sensor reads at a moment; of a machine that is not online there is none of now
_READINGS = (
    "hashrate_ths", "hashrate_5s_ths", "power_w", "efficiency_j_th", "temp_c", "temp_max_c", "temp_min_c",
    "temp_chip_max_c", "temp_board_max_c", "fan_rpm", "fan_min_rpm", "voltage_v", "frequency_mhz",
)  # fmt: skip


def of_now(frame: pl.DataFrame) -> pl.DataFrame:
    """Judged columns as every answer tells them: a machine that is not online has no readings.

    What it delivers and its state are decided by `losses.weigh`; what it last said is `last_reported`.
    """
    readings = [name for name in _READINGS if name in frame.columns]
    return frame.with_columns(
        *(pl.when("online").then(name).alias(name) for name in readings), overall_health=losses.health_word()
    )


def last_reported() -> pl.Expr:
    """What a machine that is not online said last, with its time. Of judged columns, before `of_now`."""
    figures = {
        "hashrate_ths": "hashrate_5min_ths",
        "power_w": "power_5min_w",
        "efficiency_j_th": "efficiency_j_th",
    }
    reported = pl.struct(
        pl.col("last_seen_at").alias("at"),
        *(pl.col(column).cast(pl.Float64).round(4).alias(name) for name, column in figures.items()),
    )
    return pl.when(~pl.col("online") & pl.col("last_seen_at").is_not_null()).then(reported)
