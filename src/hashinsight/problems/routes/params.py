"""What the routes of problems take and give: who asks, how a list is narrowed, answers that are encoded once."""

from collections.abc import Iterable
from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Depends, Path, Query, Response
from pydantic import StringConstraints

from hashinsight.identity.access import CurrentCaller
from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import SiteRef
from hashinsight.inventory.parameters import Now
from hashinsight.kit.errors import ValidationFailed
from hashinsight.problems.actions import status_word
from hashinsight.problems.caller import ProblemsCaller, caller_for
from hashinsight.problems.codes import Age, EventStatus, Issue, Severity
from hashinsight.problems.errors import unknown_issue
from hashinsight.problems.queries.lists import ProblemFilter, ProblemSort

MOST_PER_PAGE = 500
_MOST_CHARS = 100
_ISSUES = {issue.code for issue in Issue}
_STATUSES = tuple(status_word(one) for one in EventStatus)
_AGAIN = "Several by naming it again."
_MANY = "Several by commas or by naming it again."


def _asker(principal: CurrentCaller) -> ProblemsCaller:
    return caller_for(principal)


Caller = Annotated[ProblemsCaller, Depends(_asker)]
MinerPath = Annotated[
    str, Path(min_length=1, max_length=MINER_ID_CHARS, pattern=r"^[^\x00]*$", description="Your own id of the machine.")
]
WhichSite = Annotated[
    SiteRef | None, Query(description="The machine's site, where more than one of yours has a machine of this id.")
]
PageNo = Annotated[int, Query(alias="page", ge=1, le=1_000_000)]
PerPage = Annotated[int, Query(ge=1, le=MOST_PER_PAGE)]
Format = Annotated[Literal["json", "csv"], Query(alias="format", description="`csv` is a file of all pages, streamed.")]
_Name = Annotated[str, StringConstraints(max_length=_MOST_CHARS)]
Words = Annotated[list[str] | None, Query(max_length=50)]
Names = Annotated[list[_Name] | None, Query(max_length=50)]


def problem_filter(
    *,
    now: Now,
    severity: Annotated[list[str] | None, Query(max_length=50, description=f"P0 … P3. {_MANY}")] = None,
    issue_code: Annotated[list[str] | None, Query(max_length=50, description=_MANY)] = None,
    status: Annotated[
        list[str] | None, Query(max_length=50, description=f"Without it open, ack and in_progress. {_MANY}")
    ] = None,
    site: Annotated[Names, Query(description=f"The site's code. {_AGAIN}")] = None,
    zone: Annotated[Names, Query(description=f"The zone's code. {_AGAIN}")] = None,
    model: Annotated[Names, Query(description=_AGAIN)] = None,
    firmware: Annotated[Names, Query(description=_AGAIN)] = None,
    age: Annotated[list[Age] | None, Query(max_length=len(Age), description=f"How long ago it began. {_AGAIN}")] = None,
    text: Annotated[str | None, Query(max_length=_MOST_CHARS, description="How the machine's id begins.")] = None,
    assigned_to: Annotated[str | None, Query(max_length=_MOST_CHARS, description="A user's id.")] = None,
    symptoms: Annotated[
        Literal["include", "exclude", ""], Query(description="Without those that an open incident explains.")
    ] = "include",
    sort: Annotated[
        ProblemSort,
        Query(description="`severity`: then p_fail_24h, then last seen. The others begin with the largest."),
    ] = ProblemSort.SEVERITY,
    order: Annotated[Literal["usual", "reversed"], Query(description="The same list from its end.")] = "usual",
) -> ProblemFilter:
    codes = _split(issue_code)
    if unknown := sorted(set(codes) - _ISSUES):
        raise unknown_issue(unknown[:20])
    return ProblemFilter(
        severity=_known("severity", _split(severity), [one.name for one in Severity]),
        issue_code=codes,
        status=statuses(status),
        site=_names(site),
        model=_names(model),
        firmware=_names(firmware),
        zone=_names(zone),
        began=tuple(one.span(now) for one in age or ()),
        text=_word(text),
        assigned_to=_word(assigned_to),
        with_symptoms=symptoms != "exclude",
        sort=sort,
        is_reversed=order == "reversed",
    )


Narrowed = Annotated[ProblemFilter, Depends(problem_filter)]


def statuses(given: list[str] | None) -> tuple[str, ...]:
    return _known("status", _split(given), _STATUSES)


def _split(given: Iterable[str] | None) -> tuple[str, ...]:
    """An empty filter is none: forms send their fields whether they are filled in or not."""
    return tuple(dict.fromkeys(word.strip() for one in given or () for word in one.split(",") if word.strip()))


def _names(given: list[str] | None) -> tuple[str, ...]:
    """Not cut at commas: what makers and people call things may have some."""
    return tuple(dict.fromkeys(word for one in given or () if (word := _word(one))))


def _word(given: str | None) -> str | None:
    word = (given or "").strip()
    if "\0" in word:
        raise ValidationFailed("a text that no machine's id or place can have")
    return word or None


def _known(name: str, given: tuple[str, ...], words: Iterable[str]) -> tuple[str, ...]:
    if unknown := sorted(set(given) - set(words)):
        message = f"{name} is one of {', '.join(words)}"
        raise ValidationFailed(
            message, code=f"UNKNOWN_{name.upper()}", details={name: [one[:40] for one in unknown[:20]]}
        )
    return given


def told(content: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content, enc_hook=_plain), status, media_type="application/json")


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} is nothing that an answer holds")
