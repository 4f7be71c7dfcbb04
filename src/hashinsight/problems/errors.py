"""The refusals of problems that have a code of their own."""

from datetime import datetime
from typing import Any

from hashinsight.kit.errors import Conflict, Forbidden, NotFound, ValidationFailed
from hashinsight.problems.actions import ActionRefusal


def problem_not_found() -> NotFound:
    return NotFound("there is no such problem")


def refused(why: ActionRefusal, details: dict[str, Any]) -> Conflict:
    return Conflict(why.reason, code=why.code, details=details)


def not_allowed_here() -> Forbidden:
    return Forbidden("you see it, but your role does not allow this there")


def no_such_user() -> NotFound:
    return NotFound("there is no such user who could take it", code="NO_SUCH_USER")


def cannot_act_there() -> Conflict:
    return Conflict("whom you name may not act at this problem's site", code="CANNOT_ACT_THERE")


def unknown_issue(codes: list[str]) -> ValidationFailed:
    return ValidationFailed(
        f"there is no such issue code: {', '.join(codes)}", code="UNKNOWN_ISSUE_CODE", details={"issue_code": codes}
    )


def until_is_past(until: datetime) -> ValidationFailed:
    return ValidationFailed(
        "the end of a suppression lies ahead", code="UNTIL_IS_PAST", details={"until": until.isoformat()}
    )


def empty_group() -> ValidationFailed:
    return ValidationFailed("none of your machines is in this group", code="EMPTY_GROUP")


def already_lifted() -> Conflict:
    return Conflict("it is over or was lifted already", code="ALREADY_LIFTED")


def too_many_rows(rows: int, most: int) -> ValidationFailed:
    return ValidationFailed(
        f"the file would have {rows} lines, and one has at most {most}: narrow it down",
        code="TOO_MANY_ROWS",
        details={"rows": rows, "most": most},
    )
