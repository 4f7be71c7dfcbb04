"""`hashinsight bench NAME`: benchmarks."""

import typer

from hashinsight.bench import api, asset_list, audit_log, cycle, detection, edge, ingest, lease, rollup, simulator
from hashinsight.bench.report import as_json as rendered
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.process import run
from hashinsight.kit.settings import load_settings

BENCHES = {
    "import": asset_list.measure,
    "audit": audit_log.measure,
    "sim": simulator.measure,
    "ingest": ingest.measure,
    "ingest-soak": ingest.measure_soak,
    "rollup": rollup.measure,
    "edge": edge.measure,
    "lease": lease.measure,
    "cycle": cycle.measure,
    "detection": detection.measure,
    "api": api.measure,
}


def bench(name: str, *, as_json: bool, sizes: dict[str, float]) -> None:
    if name not in BENCHES:
        raise OperatorError(f"there is no benchmark {name}: choose one of {', '.join(BENCHES)}.")
    configure_logs(load_settings().model_copy(update={"log_level": "ERROR"}), "bench")
    if sizes and name != "detection":
        raise OperatorError(f"--machines, --days and --seeds apply only to the benchmark detection, not to {name}.")
    result = run(detection.measure(detection.campaign_size(sizes)) if sizes else BENCHES[name]())
    if as_json:
        typer.echo(rendered(result))
    else:
        typer.echo(f"{result.name}: {result.figure} {result.unit}; limit {result.limit}; ratio {result.ratio}")
        for what, value in result.detail.items():
            typer.echo(f"  {what}: {value}")
