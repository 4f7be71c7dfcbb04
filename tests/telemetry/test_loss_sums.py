"""What is expected, delivered, stopped, lost and unknown, machine by machine and in sums: it adds up over any group."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.telemetry import losses

SCHEMA: dict[str, Any] = {
    "site_id": pl.Int32, "online": pl.Boolean, "data_state": pl.String, "expected_state": pl.String,
    "is_recovering": pl.Boolean, "awaits_sample": pl.Boolean, "hashrate_ths": pl.Float32,
    "hashrate_5min_ths": pl.Float32, "nameplate_ths": pl.Float64, "nameplate_source": pl.String,
    "given_ths": pl.Float64, "given_source": pl.String, "inferred_ths": pl.Float32, "inferred_mode": pl.String,
    "mode_share": pl.Float32, "overall_health": pl.String,
}  # fmt: skip
FRESH: dict[str, Any] = {
    "site_id": 1, "online": True, "data_state": "fresh", "expected_state": None, "is_recovering": False,
    "awaits_sample": False, "hashrate_ths": 100.0, "hashrate_5min_ths": 100.0, "given_ths": 100.0,
    "given_source": "operator", "inferred_ths": None, "inferred_mode": "normal", "mode_share": None,
    "overall_health": "ok",
}  # fmt: skip
HOLDING = ("curtailed", "stopped", "rebooting", "maintenance")


def weighed(*machines: dict[str, Any]) -> pl.DataFrame:
    return losses.add_losses(pl.DataFrame([FRESH | machine for machine in machines], schema=SCHEMA, orient="row"))


def summed(*machines: dict[str, Any]) -> dict[str, float]:
    (row,) = losses.tally(weighed(*machines), "site_id").iter_rows(named=True)
    return {name: round(value, 6) for name, value in row.items()}


def by(state: str | None, newest: float, mean: float, **more: Any) -> dict[str, Any]:
    return {"expected_state": state, "hashrate_ths": newest, "hashrate_5min_ths": mean, **more}


@pytest.mark.parametrize(
    ("machine", "expected", "stopped", "condition"),
    [
        (by("rebooting", 100.0, 20.0), 20.0, 80.0, "stopped"),
        (by("rebooting", 30.0, 10.0), 10.0, 90.0, "stopped"),
        (by("rebooting", 100.0, 95.0), 95.0, 5.0, "fine"),
        (by("maintenance", 50.0, 50.0), 50.0, 50.0, "stopped"),
        (by("stopped", 0.0, 80.0), 80.0, 20.0, "stopped"),
        (by("stopped", 0.0, 99.0), 99.0, 1.0, "stopped"),
        (by("stopped", 0.0, 0.0), 0.0, 100.0, "stopped"),
        (by("curtailed", 110.0, 110.0), 110.0, 0.0, "fine"),
        (by("curtailed", 0.0, 0.0, online=False, data_state="offline"), 0.0, 100.0, "stopped"),
        (by(None, 100.0, 20.0, is_recovering=True), 20.0, 80.0, "stopped"),
        (by(None, 100.0, 95.0, is_recovering=True), 95.0, 5.0, "fine"),
        (by(None, 0.0, 0.0, is_recovering=True, awaits_sample=True), 0.0, 100.0, "stopped"),
        (by(None, 0.0, 0.0, awaits_sample=True, online=False, data_state="offline"), 0.0, 100.0, "stopped"),
    ],
)
def test_in_an_expected_state_and_while_recovering_from_it_nothing_is_lost(
    machine: dict[str, Any], expected: float, stopped: float, condition: str
) -> None:
    sums = summed(machine)
    assert (sums["expected_ths"], sums["stopped_ths"], sums["lost_ths"]) == (expected, stopped, 0.0)
    assert sums["hashrate_ths"] == expected
    assert sums[condition] == 1


def test_after_a_planned_outage_a_machine_loses_what_its_newest_sample_lacks() -> None:
    half = summed(by(None, 50.0, 20.0, is_recovering=True))
    assert (half["lost_ths"], half["stopped_ths"], half["expected_ths"]) == (50.0, 30.0, 70.0)
    down = summed(by(None, 0.0, 60.0, is_recovering=True))  # it went down after its state had ended
    assert (down["lost_ths"], down["stopped_ths"], down["down"]) == (40.0, 0.0, 1)
    dark = summed(by(None, 100.0, 20.0, is_recovering=True, online=False, data_state="offline"))
    assert (dark["lost_ths"], dark["down"]) == (100.0, 1)
    later = summed(by(None, 100.0, 20.0))  # no state for five minutes
    assert later["lost_ths"] == 80.0


def test_a_site_with_half_of_its_machines_shed_expects_only_the_rest() -> None:
    sums = summed(*(5 * [{}]), *(5 * [by("stopped", 0.0, 80.0)]))
    assert (sums["hashrate_ths"], sums["expected_ths"], sums["stopped_ths"]) == (900.0, 900.0, 100.0)
    assert (sums["stopped"], sums["fine"], sums["lost_ths"]) == (5, 5, 0.0)


def test_starting_533_machines_by_command_loses_nothing_while_they_boot_and_ramp_up() -> None:
    boot = [(0.0, 0.0), (0.0, 0.0), (30.0, 6.0), (100.0, 26.0), (100.0, 46.0)]
    for newest, mean in boot:
        sums = summed(*(533 * [by("rebooting", newest, mean)]))
        assert (sums["lost_ths"], sums["stopped"], sums["down"]) == (0.0, 533, 0)
        assert sums["stopped_ths"] == pytest.approx(533 * (100.0 - mean), abs=0.01)


def test_a_machine_without_a_rating_is_expected_to_hold_its_own_hashrate() -> None:
    sums = summed({"given_ths": None, "given_source": None}, by(None, 40.0, 40.0))
    assert (sums["hashrate_ths"], sums["expected_ths"], sums["lost_ths"]) == (140.0, 200.0, 60.0)


def machines(*, most: float) -> st.SearchStrategy[dict[str, Any]]:
    """Any machine that the live layer can show, delivering up to `most` of what it is rated for."""

    @st.composite
    def machine(draw: st.DrawFn) -> dict[str, Any]:
        rated = draw(st.one_of(st.none(), st.floats(1.0, 500.0)))
        hashrate = st.one_of(st.none(), st.floats(0.0, most).map(lambda share: share * (rated or 100.0)))
        state = draw(st.sampled_from(["fresh", "stale", "offline", "unknown"]))
        return FRESH | {
            "site_id": draw(st.integers(1, 3)),
            "online": state in ("fresh", "stale"),
            "data_state": state,
            "expected_state": draw(st.sampled_from([None, None, *HOLDING])),
            "is_recovering": draw(st.booleans()),
            "awaits_sample": draw(st.booleans()),
            "hashrate_ths": draw(hashrate),
            "hashrate_5min_ths": draw(hashrate),
            "given_ths": rated,
            "inferred_mode": draw(st.sampled_from(["normal", "eco", "unknown"])),
            "mode_share": draw(st.sampled_from([None, 0.7, 1.2])) if most > 1 else None,
            "overall_health": draw(st.sampled_from(["ok", "unknown", "P1", "P3"])),
        }

    return machine()


@given(st.lists(machines(most=1.0), min_size=1, max_size=12))
def test_over_any_group_expected_minus_delivered_is_lost_plus_unknown_minus_surplus(
    fleet: list[dict[str, Any]],
) -> None:
    for by_what in ("site_id", "condition", "data_state"):
        for row in losses.tally(weighed(*fleet), by_what).fill_null(0.0).iter_rows(named=True):
            missing = row["expected_ths"] - row["hashrate_ths"]
            assert missing == pytest.approx(row["lost_ths"] + row["expected_unknown_ths"], abs=1e-3), by_what
            assert row["surplus_ths"] == pytest.approx(0.0, abs=1e-3)


@given(st.lists(machines(most=1.5), min_size=1, max_size=12))
def test_machines_add_up_to_their_group_and_a_surplus_is_shown_next_to_a_loss(
    fleet: list[dict[str, Any]],
) -> None:
    frame = weighed(*fleet)
    for (site_id,), part in frame.group_by("site_id"):
        (row,) = losses.tally(frame.filter(pl.col("site_id") == site_id), "site_id").iter_rows(named=True)
        assert (row["hashrate_ths"] or 0.0) == pytest.approx(part["delivered_ths"].sum(), abs=1e-3)
        expected = part.select(pl.coalesce("expected_ths", "delivered_ths").sum()).item()
        assert (row["expected_ths"] or 0.0) == pytest.approx(expected, abs=1e-3)
        known = {name: row[name] or 0.0 for name in ("lost_ths", "expected_unknown_ths", "surplus_ths")}
        missing = (row["expected_ths"] or 0.0) - (row["hashrate_ths"] or 0.0)
        measured_ths = known["lost_ths"] + known["expected_unknown_ths"] - known["surplus_ths"]
        assert missing == pytest.approx(measured_ths, abs=1e-3)
        assert known["surplus_ths"] >= -1e-6


@given(st.lists(machines(most=1.5), min_size=1, max_size=12))
def test_surplus_does_not_hide_losses_and_every_machine_is_counted_once(
    fleet: list[dict[str, Any]],
) -> None:
    frame = weighed(*fleet)
    is_excused = pl.col("expected_state").is_not_null() & (pl.col("data_state") != "unknown")
    assert set(frame.filter(is_excused)["lack_ths"]) <= {0.0}
    lacking = frame.group_by("site_id").agg(pl.col("lack_ths").sum())
    for row in losses.tally(frame, "site_id").join(lacking, on="site_id").fill_null(0.0).iter_rows(named=True):
        missing = row["expected_ths"] - row["hashrate_ths"] - row["expected_unknown_ths"]
        assert missing == pytest.approx(row["lack_ths"], abs=1e-3)
        assert row["lost_ths"] >= max(missing, 0.0) - 1e-3
        assert sum(row[name] for name in losses.CONDITIONS) == row["machines"]
    stopped = frame.filter((pl.col("condition") == "stopped") & ~pl.col("is_recovering"))
    assert set(stopped["lack_ths"]) <= {0.0}


def test_the_loss_with_problems_is_never_more_than_the_whole_loss() -> None:
    ill, weak = by(None, 40.0, 40.0, overall_health="P1"), by(None, 70.0, 70.0)
    sums = summed(ill, weak, {})
    assert (sums["lost_ths"], sums["lost_with_problem_ths"]) == (90.0, 60.0)
    assert summed(by(None, 95.0, 95.0, overall_health="P3"), {})["lost_with_problem_ths"] == 0.0, "less than a tenth"
    assert summed(by("stopped", 0.0, 0.0, overall_health="P1"))["lost_with_problem_ths"] == 0.0, "stopped on purpose"


def test_figures_of_a_group_never_seen_are_null_and_not_zero() -> None:
    never = by(None, None, None, online=False, data_state="unknown", overall_health="unknown")  # type: ignore[arg-type]
    (row,) = losses.tally(weighed(never, never), "site_id").iter_rows(named=True)
    figures = ("hashrate_ths", "stopped_ths", "lost_ths", "lost_with_problem_ths", "surplus_ths")
    assert {name: row[name] for name in figures} == dict.fromkeys(figures)
    assert (row["expected_ths"], row["expected_unknown_ths"], row["unknown"]) == (200.0, 200.0, 2)
    unrated = never | {"given_ths": None, "given_source": None}
    (row,) = losses.tally(weighed(unrated), "site_id").iter_rows(named=True)
    assert (row["expected_ths"], row["expected_unknown_ths"]) == (None, None)


def test_lost_hashrate_is_null_without_any_rating() -> None:
    (row,) = losses.tally(weighed({"given_ths": None, "given_source": None}), "site_id").iter_rows(named=True)
    assert (row["hashrate_ths"], row["expected_ths"], row["lost_ths"]) == (100.0, 100.0, None)


@pytest.mark.parametrize(
    ("machine", "delivered", "expected", "source"),
    [
        ({}, 100.0, 100.0, "operator"),
        ({"online": False, "data_state": "offline"}, 0.0, 100.0, "operator"),
        ({"online": False, "data_state": "unknown"}, None, 100.0, "operator"),
        ({"hashrate_5min_ths": None}, None, 100.0, "operator"),
        (by("stopped", 0.0, 0.0), 0.0, 0.0, "expected_state"),
        (by("curtailed", 60.0, 60.0), 60.0, 60.0, "expected_state"),
        (by("stopped", 100.0, 100.0, online=False, data_state="offline"), 0.0, 0.0, "expected_state"),
        (by(None, 50.0, 20.0, is_recovering=True), 20.0, 70.0, "expected_state"),
        ({"given_ths": None, "given_source": None}, 100.0, None, None),
    ],
)
def test_current_and_expected_hashrate_of_a_machine(
    machine: dict[str, Any], delivered: float | None, expected: float | None, source: str | None
) -> None:
    (row,) = weighed(machine).iter_rows(named=True)
    assert (row["delivered_ths"], row["expected_ths"], row["expected_source"]) == (delivered, expected, source)
