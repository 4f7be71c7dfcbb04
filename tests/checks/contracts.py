"""Import contracts of our own, for `.importlinter`: pure modules found by rule, and what a domain shows to others."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

import hashinsight

_SOURCE = Path(hashinsight.__file__).parent
_NAMES = fields.SetField(subfield=fields.StringField())  # a set of names, once the linter has read its configuration
_SAYS_PURE = re.compile(r"\bpure\b", re.IGNORECASE)


class PureContract(Contract):
    """No pure module imports what connects, not even through others.

    Pure is every module that says so in its docstring, and every module of a domain that is not named by a layer;
    `also` names others.
    """

    domains: Any = _NAMES
    layers: Any = _NAMES
    also: Any = _NAMES
    impure: Any = _NAMES
    forbidden: Any = _NAMES
    standard_library: Any = _NAMES
    only_directly: Any = _NAMES

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 - the linter's signature
        forbidden = {module for name in self.forbidden for module in _with_descendants(graph, name)}
        standard = {name for name in self.standard_library if name in graph.modules}
        chains: list[str] = []
        for module in sorted(filter(self._is_pure, graph.modules)):
            reached = graph.find_upstream_modules(module) & (forbidden | standard)
            if module.startswith(tuple(self.only_directly)):
                reached -= standard - graph.find_modules_directly_imported_by(module)
            for name in sorted(reached)[:1]:
                chain = graph.find_shortest_chain(module, name) or (module, name)
                chains.append(" → ".join(chain))
        return ContractCheck(kept=not chains, metadata={"chains": chains})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for chain in check.metadata["chains"]:
            output.print_error(chain)

    def _is_pure(self, module: str) -> bool:
        root, *path = module.split(".")
        if root != "hashinsight" or not path or ".".join(path) in self.impure:
            return False
        is_judgement = path[0] in self.domains and len(path) > 1 and not self.layers & set(path[1:])
        return is_judgement or ".".join(path) in self.also or _SAYS_PURE.search(_docstring(*path)) is not None


class PublishedContract(Contract):
    """Other packages import of a domain only what it publishes, and their queries its tables, to join them.

    `published`: for everybody; `assembled`: `importer imported` for those that put the parts together.
    """

    domains: Any = _NAMES
    published: Any = _NAMES
    assembled: Any = _NAMES

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 - the linter's signature
        wrong = [
            f"{importer} → {imported}"
            for domain in sorted(self.domains)
            for imported in sorted(_with_descendants(graph, f"hashinsight.{domain}"))
            for importer in sorted(graph.find_modules_that_directly_import(imported))
            if not self._may_import(importer.split(".")[1:], imported.split(".")[1:])
        ]
        return ContractCheck(kept=not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["wrong"]:
            output.print_error(line)

    def _may_import(self, importer: list[str], imported: list[str]) -> bool:
        if importer[0] == imported[0] or len(imported) == 1:
            return True
        domain, part = imported[0], imported[1]
        if part == "models" and "queries" in importer:
            return True
        names = {f"{domain}.{part}", f"*.{part}", f"{domain}.*"}
        return bool(names & self.published) or any(f"{importer[0]} {name}" in self.assembled for name in names)


def _with_descendants(graph: ImportGraph, module: str) -> set[str]:
    if module not in graph.modules:
        return set()
    return {module} | (graph.find_descendants(module) if module.startswith("hashinsight.") else set())


@cache
def _docstring(*path: str) -> str:
    place = _SOURCE.joinpath(*path)
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return (ast.get_docstring(ast.parse(file.read_text())) or "") if file.exists() else ""
