"""What `bench api` asks for is what the API offers, and the bare statements beside it are those of its question."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hashinsight.bench.api import _NOW, DEEP, FIRST, Case
from hashinsight.problems.codes import Age
from hashinsight.problems.queries.lists import ProblemFilter, ProblemSort
from hashinsight.problems.routes.params import problem_filter

_MADE: dict[str, Callable[[list[str]], Any]] = {
    "age": lambda given: [Age(case) for case in given],
    "sort": lambda given: ProblemSort(given[0]),
}
_ONE = ("text", "assigned_to", "symptoms", "order")


def parameters_of(case: Case) -> dict[str, Any]:
    given = parse_qs(urlsplit(case.path).query)
    filters = {name: values for name, values in given.items() if name not in ("page", "per_page")}
    return {
        name: _MADE[name](values) if name in _MADE else values[0] if name in _ONE else values
        for name, values in filters.items()
    }


def test_every_filter_and_order_that_a_list_offers_is_measured() -> None:
    offered = set(inspect.signature(problem_filter).parameters) - {"now"}
    measured = {name for case in (*FIRST, *DEEP) for name in parameters_of(case)}
    assert offered == measured
    first = {name for case in FIRST for name in parameters_of(case)}
    assert first == offered - {"sort"}  # the other orders are measured apart
    statuses = {frozenset(case.filters.status) for case in FIRST if case.filters is not None}
    assert {frozenset({"open", "resolved"}), frozenset({"resolved"})} <= statuses


def test_the_statements_of_a_case_are_those_of_its_request() -> None:
    for case in (*FIRST, *DEEP):
        assert isinstance(case.filters, ProblemFilter)
        assert problem_filter(now=_NOW, **parameters_of(case)) == replace(case.filters, site_id=None), case.name


def test_case_names_are_unique() -> None:
    names = [case.name for case in (*FIRST, *DEEP)]
    assert len(names) == len(set(names))
