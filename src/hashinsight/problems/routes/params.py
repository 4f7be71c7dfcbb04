"""Parameters of the routes of problems: paths, pages, and the filter of a list."""

from collections.abc import Iterable
from typing import Annotated, Literal

from fastapi import Depends, Path, Query
from pydantic import StringConstraints

from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import SiteRef
from hashinsight.inventory.parameters import Now
from hashinsight.kit.errors import ValidationFailed
from hashinsight.problems.actions import status_word
from hashinsight.problems.codes import Age, EventStatus, Issue, Severity
from hashinsight.problems.errors import unknown_issue
from hashinsight.problems.queries.lists import ProblemFilter, ProblemSort

MAX_PER_PAGE = 500
_MAX_CHARS = 100
_ISSUES = {issue.code for issue in Issue}
_STATUSES = tuple(status_word(status) for status in EventStatus)
_REPEAT = "Repeat for several values."
_MANY = "Several values: comma-separated or repeated."


MinerPath = Annotated[
    str, Path(min_length=1, max_length=MINER_ID_CHARS, pattern=r"^[^\x00]*$", description="Your own id of the machine.")
]
MinerSite = Annotated[
    SiteRef | None, Query(description="The machine's site; required if several sites have a machine with this id.")
]
PageNumber = Annotated[int, Query(alias="page", ge=1, le=1_000_000)]
PerPage = Annotated[int, Query(ge=1, le=MAX_PER_PAGE)]
Format = Annotated[Literal["json", "csv"], Query(alias="format", description="`csv`: all pages as one file, streamed.")]
_Name = Annotated[str, StringConstraints(max_length=_MAX_CHARS)]
TextList = Annotated[list[str] | None, Query(max_length=50)]
NameList = Annotated[list[_Name] | None, Query(max_length=50)]


def problem_filter(
    *,
    now: Now,
    severity: Annotated[list[str] | None, Query(max_length=50, description=f"P0 … P3. {_MANY}")] = None,
    issue_code: Annotated[list[str] | None, Query(max_length=50, description=_MANY)] = None,
    status: Annotated[
        list[str] | None, Query(max_length=50, description=f"Default: open, ack and in_progress. {_MANY}")
    ] = None,
    site: Annotated[NameList, Query(description=f"The site's code. {_REPEAT}")] = None,
    zone: Annotated[NameList, Query(description=f"The zone's code. {_REPEAT}")] = None,
    model: Annotated[NameList, Query(description=_REPEAT)] = None,
    firmware: Annotated[NameList, Query(description=_REPEAT)] = None,
    age: Annotated[
        list[Age] | None, Query(max_length=len(Age), description=f"How long ago it started. {_REPEAT}")
    ] = None,
    text: Annotated[str | None, Query(max_length=_MAX_CHARS, description="The machine's id starts with this.")] = None,
    assigned_to: Annotated[str | None, Query(max_length=_MAX_CHARS, description="A user's id.")] = None,
    symptoms: Annotated[
        Literal["include", "exclude", ""], Query(description="`exclude`: without those explained by an open incident.")
    ] = "include",
    sort: Annotated[
        ProblemSort,
        Query(description="`severity`: severity, then p_fail_24h, then last seen. The others: largest first."),
    ] = ProblemSort.SEVERITY,
    order: Annotated[
        Literal["usual", "reversed"], Query(description="`reversed`: the whole list in reverse order.")
    ] = "usual",
) -> ProblemFilter:
    codes = _split(issue_code)
    if unknown := sorted(set(codes) - _ISSUES):
        raise unknown_issue(unknown[:20])
    return ProblemFilter(
        severity=_known("severity", _split(severity), [each.name for each in Severity]),
        issue_code=codes,
        status=parse_statuses(status),
        site=_names(site),
        model=_names(model),
        firmware=_names(firmware),
        zone=_names(zone),
        started=tuple(each.span(now) for each in age or ()),
        text=_word(text),
        assigned_to=_word(assigned_to),
        with_symptoms=symptoms != "exclude",
        sort=sort,
        is_reversed=order == "reversed",
    )


FilterQuery = Annotated[ProblemFilter, Depends(problem_filter)]


def parse_statuses(given: list[str] | None) -> tuple[str, ...]:
    return _known("status", _split(given), _STATUSES)


def _split(given: Iterable[str] | None) -> tuple[str, ...]:
    """An empty filter is none: forms send empty fields, too."""
    return tuple(dict.fromkeys(word.strip() for text in given or () for word in text.split(",") if word.strip()))


def _names(given: list[str] | None) -> tuple[str, ...]:
    """Not split at commas: names may contain some."""
    return tuple(dict.fromkeys(word for text in given or () if (word := _word(text))))


def _word(given: str | None) -> str | None:
    word = (given or "").strip()
    if "\0" in word:
        raise ValidationFailed("the text contains a NUL character")
    return word or None


def _known(name: str, given: tuple[str, ...], words: Iterable[str]) -> tuple[str, ...]:
    if unknown := sorted(set(given) - set(words)):
        message = f"{name} is one of {', '.join(words)}"
        raise ValidationFailed(
            message, code=f"UNKNOWN_{name.upper()}", details={name: [word[:40] for word in unknown[:20]]}
        )
    return given
