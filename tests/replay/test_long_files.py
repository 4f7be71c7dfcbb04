"""Files of any length and order are read in chunks, with the same memory for a day as for a month."""

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
# prints the peak memory of the child process; chunks are small so that a short file has several
_READ_FILE = """
import sys
from pathlib import Path
from hashinsight.replay import files, rows as file_rows
from hashinsight.replay.rows import interval_of, open_rows
files._CHUNK_BYTES, files._CHUNK_ROWS, file_rows._SAMPLED_ROWS = 500_000, 10_000, 10_000
with open_rows(Path(sys.argv[1])) as rows:
    interval_of(rows)
    read = sum(chunk.height for chunk in rows.chunks())
status = Path("/proc/self/status").read_text()
print(read, next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


def write_file(folder: Path, suffix: str, *, steps: int, by_machine: bool = False) -> Path:
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
    file = folder / f"{steps}-{by_machine}{suffix}"
    rows.write_csv(file) if suffix == ".csv" else rows.write_parquet(file, row_group_size=20_000)
    return file


def peak_memory(file: Path) -> tuple[int, int]:
    command = [sys.executable, "-c", _READ_FILE, str(file)]
    one_thread = os.environ | {"POLARS_MAX_THREADS": "1"}  # several threads each keep freed memory
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread)
    rows, peak_kb = map(int, done.stdout.split())
    return rows, peak_kb * 1024


@pytest.mark.parametrize(("suffix", "by_machine"), [(".csv", False), (".parquet", False), (".csv", True)])
def test_memory_does_not_grow_with_the_length_of_the_file(tmp_path: Path, suffix: str, *, by_machine: bool) -> None:
    (few_rows, short), (many_rows, long) = (
        peak_memory(write_file(tmp_path, suffix, steps=steps, by_machine=by_machine)) for steps in (300, 2400)
    )
    assert (few_rows, many_rows) == (300 * MACHINES, 2400 * MACHINES)
    assert long - short < 25 * MB, f"{short / MB:.0f} MB for {few_rows} rows, {long / MB:.0f} MB for {many_rows}"


def test_a_file_sorted_by_machine_is_read_in_time_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_CHUNK_BYTES", 20_000)
    file = write_file(tmp_path, ".csv", steps=300, by_machine=True)
    with open_rows(file) as rows:
        assert interval_of(rows) == 300.0
        at = pl.concat([chunk["ts"] for chunk in rows.chunks()])
    assert at.is_sorted()
    assert at.n_unique() == 300


def test_a_line_end_within_quotes_does_not_end_the_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_CHUNK_BYTES", 64)
    lines = [f'{START + 60 * number},"m\n1","north ""hall""\r\nleft"\r\n' for number in range(50)]
    file = tmp_path / "quoted.csv"
    file.write_bytes(f'ts,miner_id,"site"\r\n{"".join(lines)}'.encode())
    with open_rows(file) as rows:
        read = pl.concat(list(rows.chunks()))
    assert (read.height, read["miner_id"].unique().to_list()) == (50, ["m\n1"])


def test_a_gap_is_found_in_an_unsorted_file(tmp_path: Path) -> None:
    days = (0, 40, 1, 41)
    file = tmp_path / "gap.csv"
    file.write_text("ts,miner_id\n" + "".join(f"{START + day * 86_400},a\n" for day in days))
    with pytest.raises(UnreadableFile, match="no rows between 2026-03-02 00:00 and 2026-04-10 00:00"):
        replay(file)
