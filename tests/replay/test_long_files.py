"""Files of any length and order: read in pieces, with the same memory whether they hold a day or a month."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from hashinsight.replay import files
from hashinsight.replay.files import UnreadableFile
from hashinsight.replay.rows import interval_of, open_rows
from hashinsight.replay.runner import replay

START = 1_772_323_200
MB = 1_000_000
MACHINES = 250
# the child's own peak, with pieces small enough that a short file has several of them
_READ_IT = """
import sys
from pathlib import Path
from hashinsight.replay import pieces, reading
from hashinsight.replay.rows import interval_of, open_rows
pieces._BYTES, pieces._ROWS, reading._FIRST = 500_000, 10_000, 10_000
with open_rows(Path(sys.argv[1])) as rows:
    interval_of(rows)
    read = sum(piece.height for piece in rows.pieces())
status = Path("/proc/self/status").read_text()
print(read, next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


def file_of(folder: Path, form: str, *, steps: int, by_machine: bool = False) -> Path:
    rows = pl.DataFrame({"step": pl.int_range(steps, eager=True)}).join(
        pl.DataFrame({"machine": pl.int_range(MACHINES, eager=True)}), how="cross"
    )
    wide = {
        name: pl.col("step") * 0.37 + 100 for name in ("hashrate_ths", "temp_avg", "temp_max", "power_w", "accepted")
    }
    rows = rows.select(
        ts=START + pl.col("step") * 300, miner_id=pl.format("m{}", pl.col("machine")), site=pl.lit("north"), **wide
    )
    if by_machine:
        rows = rows.sort("miner_id", "ts")
    file = folder / f"{steps}-{by_machine}{form}"
    rows.write_csv(file) if form == ".csv" else rows.write_parquet(file, row_group_size=20_000)
    return file


def peak_of(file: Path) -> tuple[int, int]:
    words = [sys.executable, "-c", _READ_IT, str(file)]
    alone = os.environ | {"POLARS_MAX_THREADS": "1"}  # on a busy machine several threads keep what each of them frees
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=alone)
    rows, peak_kb = map(int, done.stdout.split())
    return rows, peak_kb * 1024


@pytest.mark.parametrize(("form", "by_machine"), [(".csv", False), (".parquet", False), (".csv", True)])
def test_memory_does_not_grow_with_the_length_of_the_file(tmp_path: Path, form: str, *, by_machine: bool) -> None:
    (few, short), (many, long) = (
        peak_of(file_of(tmp_path, form, steps=steps, by_machine=by_machine)) for steps in (300, 2400)
    )
    assert (few, many) == (300 * MACHINES, 2400 * MACHINES)
    assert long - short < 25 * MB, f"{short / MB:.0f} MB for {few} rows, {long / MB:.0f} MB for {many}"


def test_a_file_by_machine_has_the_interval_and_the_order_of_one_by_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_BYTES", 20_000)
    file = file_of(tmp_path, ".csv", steps=300, by_machine=True)
    with open_rows(file) as rows:
        assert interval_of(rows) == 300.0
        at = pl.concat([piece["ts"] for piece in rows.pieces()])
    assert at.is_sorted()
    assert at.n_unique() == 300


def test_a_line_end_within_quotes_ends_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_BYTES", 64)
    lines = [f'{START + 60 * number},"m\n1","north ""hall""\r\nleft"\r\n' for number in range(50)]
    file = tmp_path / "quoted.csv"
    file.write_bytes(f'ts,miner_id,"site"\r\n{"".join(lines)}'.encode())
    with open_rows(file) as rows:
        read = pl.concat(list(rows.pieces()))
    assert (read.height, read["miner_id"].unique().to_list()) == (50, ["m\n1"])


def test_silence_is_found_in_a_file_that_is_in_no_order(tmp_path: Path) -> None:
    days = (0, 40, 1, 41)
    file = tmp_path / "gap.csv"
    file.write_text("ts,miner_id\n" + "".join(f"{START + day * 86_400},a\n" for day in days))
    with pytest.raises(UnreadableFile, match="nothing between 2026-03-02 00:00 and 2026-04-10 00:00"):
        replay(file)
