"""`hashinsight collector rotate | revoke | enrol-code`: secrets are shown once."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import shell_user
from hashinsight.cli.collectors.acting import CollectorArgument, JsonOption, brief, get_collector, run, say_one

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession


def rotate(
    collector: CollectorArgument,
    *,
    overlap_sec: Annotated[
        int, typer.Option(min=0, max=604_800, help="How long old tokens stay valid, in seconds.")
    ] = 3600,
    life_days: Annotated[int, typer.Option(min=1, max=1825, help="Validity of the new token in days.")] = 365,
    json: JsonOption = False,
) -> None:
    """Issue a new token; old tokens stay valid for the overlap."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from datetime import timedelta

        from hashinsight.collectors.service.tokens import rotate as rotate_token

        found = await get_collector(session, collector)
        overlap, life = timedelta(seconds=overlap_sec), timedelta(days=life_days)
        secret = await rotate_token(session, shell_user(), found, overlap=overlap, life=life, now=now)
        shown = {secret.field: secret.value, "expires_at": secret.expires_at, "old_tokens_until": now + overlap}
        return brief(found) | shown

    say_one(run(work), as_json=json)


def revoke(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Revoke all tokens and unused enrolment codes at once."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.service.tokens import revoke as revoke_tokens

        found = await get_collector(session, collector)
        return brief(found) | {"revoked": await revoke_tokens(session, shell_user(), found, now=now)}

    say_one(run(work), as_json=json)


def enrol_code(
    collector: CollectorArgument,
    *,
    life_hours: Annotated[int, typer.Option(min=1, max=720, help="Validity of the code in hours.")] = 24,
    json: JsonOption = False,
) -> None:
    """Issue a new enrolment code for a pending collector; earlier codes become invalid."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from datetime import timedelta

        from hashinsight.collectors.service.tokens import issue_code

        found = await get_collector(session, collector)
        secret = await issue_code(session, shell_user(), found, life=timedelta(hours=life_hours), now=now)
        return brief(found) | {secret.field: secret.value, "expires_at": secret.expires_at}

    say_one(run(work), as_json=json)
