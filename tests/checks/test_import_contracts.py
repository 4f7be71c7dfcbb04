"""Import contracts: each reports a wrong import that is planted into the graph of the source."""

import copy
from functools import cache
from pathlib import Path

import grimp
import pytest
from importlinter import Contract, configuration
from importlinter.application.use_cases import _register_contract_types, read_user_options
from importlinter.domain.contract import registry

ROOT = Path(__file__).parents[2]


@cache
def contracts() -> list[Contract]:
    configuration.configure()
    options = read_user_options(str(ROOT / ".importlinter"))
    _register_contract_types(options)
    return [
        registry.get_contract_class(contract["type"])(
            name=contract["name"], session_options=options.session_options, contract_options=contract
        )
        for contract in options.contracts_options
    ]


@cache
def source() -> grimp.ImportGraph:
    return grimp.build_graph("hashinsight", include_external_packages=True, cache_dir=None)


def broken(graph: grimp.ImportGraph, which: str = "") -> list[str]:
    """Names of broken contracts, each checked on a copy: checking squashes parts of the graph."""
    chosen = [contract for contract in contracts() if contract.name.startswith(which)]
    return [contract.name for contract in chosen if not contract.check(copy.deepcopy(graph), verbose=False).kept]


def planted(importer: str, imported: str | None) -> grimp.ImportGraph:
    """The graph of the source with one more import; without `imported`, with one more module."""
    graph = copy.deepcopy(source())
    module = f"hashinsight.{importer}"
    assert module in graph.modules or "new_" in importer, "the plant is out of date"
    graph.add_module(module)
    if imported is not None:
        assert imported in graph.modules or not imported.startswith("hashinsight."), "the plant is out of date"
        if imported not in graph.modules:
            graph.add_module(imported, is_squashed=True)
        graph.add_import(importer=module, imported=imported)
    return graph


def test_the_source_keeps_every_contract() -> None:
    assert len(contracts()) == 9
    assert broken(source()) == []


@pytest.mark.parametrize(
    ("importer", "imported", "contract"),
    [
        ("kit.clock", "hashinsight.inventory", "The stack"),
        ("identity", "hashinsight.collectors", "The stack"),
        ("app.status_page", "hashinsight.worker", "The stack"),
        ("tickets", "hashinsight.notify", "The stack"),
        ("facts", "hashinsight.kit.clock", "The stack"),
        ("new_package", None, "The stack"),
        ("kit.embedded.disk", "hashinsight.kit.embedded.servers", "No circles"),
        ("commands.states", "hashinsight.commands.routes", "No circles"),
        ("edge", "hashinsight.kit.db.database", "Edge, simulator and client"),
        ("edge", "hashinsight.kit.paging", "Edge, simulator and client"),
        ("edge", "psycopg", "Edge, simulator and client"),
        ("sim", "fastapi", "Edge, simulator and client"),
        ("sim", "hashinsight.kit.settings", "Edge, simulator and client"),
        ("client.http", "hashinsight.kit.errors", "Edge, simulator and client"),
        ("wire.sites", "hashinsight.inventory.fields", "Edge, simulator and client"),
        ("facts", "numpy", "Facts are data"),
        ("facts", "polars", "Facts are data"),
        ("facts", "hashinsight.wire.sites", "Facts are data"),
        ("kit.ticks.tick", "httpx", "Judgement is pure"),
        ("kit.ticks.tick", "sqlalchemy", "Judgement is pure"),
        ("kit.scrub", "socket", "Judgement is pure"),
        ("kit.scrub", "urllib", "Judgement is pure"),
        ("wire.sites", "urllib", "Judgement is pure"),
        ("edge.readings.record", "asyncio", "Judgement is pure"),
        ("problems.lifecycle", "hashinsight.kit.db.database", "Judgement is pure"),
        ("commands.new_module", "redis", "Judgement is pure"),
        ("commands.service.requests", "hashinsight.inventory.routes", "A domain shows"),
        ("problems.service.lists", "hashinsight.telemetry.models", "A domain shows"),
        ("telemetry.queries.live", "hashinsight.inventory.schemas", "A domain shows"),
        ("telemetry.queries.live", "hashinsight.collectors.schemas.keys", "A domain shows"),
        ("problems.service.lists", "hashinsight.commands.schemas.batches", "A domain shows"),
        ("app.fleet_metrics", "hashinsight.problems.models", "A domain shows"),
        ("worker", "hashinsight.commands.routes", "A domain shows"),
        ("sim.physics", "asyncio", "Simulated worlds are pure"),
        ("sim.world", "time", "Simulated worlds are pure"),
        ("sim.world", "hashinsight.sim.sockets.machine", "Simulated worlds are pure"),
        ("sim.weather", "random", "Simulated worlds are pure"),
        ("worker", "fastapi", "What works by itself"),
        ("worker", "alembic", "What works by itself"),
        ("cli.worker", "uvicorn", "What works by itself"),
        ("sim.faults", "hashinsight.sim.reserved", "Faults reserved for scoring"),
        ("cli.sim", "hashinsight.sim.reserved", "Faults reserved for scoring"),
    ],
)
def test_a_planted_import_is_reported_by_its_contract(importer: str, imported: str | None, contract: str) -> None:
    assert broken(planted(importer, imported), contract), "nothing is reported"


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("problems.queries.lists", "hashinsight.inventory.models"),
        ("cli.inventory", "hashinsight.collectors.schemas.keys"),
        ("app", "hashinsight.collectors.edge_routes"),
        ("commands.schemas.batches", "httpx"),
        ("bench", "hashinsight.sim.reserved"),
    ],
)
def test_a_planted_import_that_is_allowed_is_not_reported(importer: str, imported: str) -> None:
    assert broken(planted(importer, imported)) == []


def test_every_exception_of_the_contracts_is_needed() -> None:
    graph = source()
    pure = next(contract for contract in contracts() if contract.name.startswith("Judgement"))
    published = next(contract for contract in contracts() if contract.name.startswith("A domain shows"))
    named = {*pure.impure, *pure.also, *(name for name in published.published if not name.startswith("*"))}  # type: ignore[attr-defined]
    assert {name for name in named if f"hashinsight.{name}" not in graph.modules} == set()
    imports = [
        (importer.split(".")[1], imported.split(".")[1:3])
        for imported in graph.modules
        if imported.startswith("hashinsight.")
        for importer in graph.find_modules_that_directly_import(imported)
    ]
    used = {
        f"{importer} {domain}.{part}"
        for importer, (name, *parts) in imports
        for part in (*parts, "*")
        for domain in (name, "*")
    }
    assert set(published.assembled) - used == set()  # type: ignore[attr-defined]


def test_each_contract_has_a_planted_violation() -> None:
    (mark,) = [mark for mark in test_a_planted_import_is_reported_by_its_contract.pytestmark if mark.args]  # type: ignore[attr-defined]
    plants = tuple(contract for _, _, contract in mark.args[1])
    assert [contract.name for contract in contracts() if not contract.name.startswith(plants)] == []


def test_every_package_of_the_stack_exists_and_has_a_docstring() -> None:
    stack = (ROOT / ".importlinter").read_text().split("layers =", 1)[1].split("[importlinter", 1)[0]
    for name in stack.replace("|", " ").split():
        module = ROOT / "src" / "hashinsight" / name
        file = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
        assert file.read_text().startswith('"""'), f"{name} does not say what it is for"
