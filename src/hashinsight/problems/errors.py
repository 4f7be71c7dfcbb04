"""Errors of problems that have a code of their own."""

from datetime import datetime
from typing import Any

from hashinsight.kit.errors import Conflict, Forbidden, NotFound, ValidationFailed
from hashinsight.problems.actions import ActionRefusal
from hashinsight.wire.times import write_time


def problem_not_found() -> NotFound:
    return NotFound("no such problem")


def refused(refusal: ActionRefusal, details: dict[str, Any]) -> Conflict:
    return Conflict(refusal.reason, code=refusal.code, details=details)


def not_allowed_here() -> Forbidden:
    return Forbidden("your role does not allow this on this problem")


def no_such_user() -> NotFound:
    return NotFound("no such user, or the user cannot be assigned problems at this site", code="NO_SUCH_USER")


def cannot_act_there() -> Conflict:
    return Conflict("this user may not act at the problem's site", code="CANNOT_ACT_THERE")


def unknown_issue(codes: list[str]) -> ValidationFailed:
    return ValidationFailed(
        f"unknown issue code: {', '.join(codes)}", code="UNKNOWN_ISSUE_CODE", details={"issue_code": codes}
    )


def until_is_past(until: datetime) -> ValidationFailed:
    return ValidationFailed(
        "the end of a suppression must be in the future", code="UNTIL_IS_PAST", details={"until": write_time(until)}
    )


def empty_group() -> ValidationFailed:
    return ValidationFailed("none of your machines is in this group", code="EMPTY_GROUP")


def already_lifted() -> Conflict:
    return Conflict("this suppression has ended or was already lifted", code="ALREADY_LIFTED")


def too_many_rows(rows: int, most: int) -> ValidationFailed:
    return ValidationFailed(
        f"the file would have {rows} rows, the maximum is {most}: add filters",
        code="TOO_MANY_ROWS",
        details={"rows": rows, "most": most},
    )
