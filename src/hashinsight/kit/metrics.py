"""Prometheus metrics that are right with several processes: each writes its own file, any API process adds them up."""

import os
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
FOLDER = "metrics"


def share_metrics(data_dir: Path) -> None:
    """Must run before anything imports prometheus_client: it reads the folder when it is loaded."""
    folder = data_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ[VARIABLE] = str(folder)


def clear_metrics(data_dir: Path) -> None:
    """Forget what processes of an earlier start have counted; Prometheus takes it for the restart that it is."""
    for file in (data_dir / FOLDER).glob("*.db"):
        file.unlink(missing_ok=True)
