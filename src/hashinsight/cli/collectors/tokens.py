"""`hashinsight collector rotate | revoke | enrol-code`: secrets are shown once."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.collectors.refs import CollectorArgument, run_for_collector, show_identity
from hashinsight.cli.context import CliContext, JsonOption
from hashinsight.cli.output import print_fields
from hashinsight.collectors.states import (
    CODE_LIFE_HOURS,
    MAX_CODE_LIFE_HOURS,
    MAX_OVERLAP_SEC,
    MAX_TOKEN_LIFE_DAYS,
    TOKEN_LIFE_DAYS,
    TOKEN_OVERLAP_SEC,
)

if TYPE_CHECKING:
    from hashinsight.collectors.models import Collector


def rotate(
    collector: CollectorArgument,
    *,
    overlap_sec: Annotated[
        int, typer.Option(min=0, max=MAX_OVERLAP_SEC, help="How long old tokens stay valid, in seconds.")
    ] = TOKEN_OVERLAP_SEC,
    life_days: Annotated[
        int, typer.Option(min=1, max=MAX_TOKEN_LIFE_DAYS, help="Validity of the new token in days.")
    ] = TOKEN_LIFE_DAYS,
    json: JsonOption = False,
) -> None:
    """Issue a new token; old tokens stay valid for the overlap."""

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.service.tokens import rotate as rotate_token

        overlap, life, now = timedelta(seconds=overlap_sec), timedelta(days=life_days), context.now
        secret = await rotate_token(context.session, context.actor, target, overlap=overlap, life=life, now=now)
        shown = {secret.field: secret.value, "expires_at": secret.expires_at, "old_tokens_until": now + overlap}
        return show_identity(target) | shown

    print_fields(run_for_collector(work, collector), as_json=json)


def revoke(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Revoke all tokens and unused enrolment codes at once."""

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.service.tokens import revoke as revoke_tokens

        count = await revoke_tokens(context.session, context.actor, target, now=context.now)
        return show_identity(target) | {"revoked": count}

    print_fields(run_for_collector(work, collector), as_json=json)


def enrol_code(
    collector: CollectorArgument,
    *,
    life_hours: Annotated[
        int, typer.Option(min=1, max=MAX_CODE_LIFE_HOURS, help="Validity of the code in hours.")
    ] = CODE_LIFE_HOURS,
    json: JsonOption = False,
) -> None:
    """Issue a new enrolment code for a pending collector; earlier codes become invalid."""

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.service.tokens import issue_code

        life = timedelta(hours=life_hours)
        secret = await issue_code(context.session, context.actor, target, life=life, now=context.now)
        return show_identity(target) | {secret.field: secret.value, "expires_at": secret.expires_at}

    print_fields(run_for_collector(work, collector), as_json=json)
