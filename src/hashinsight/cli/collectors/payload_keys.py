"""`hashinsight collector payload-key`: the key of a collector that encrypts its payloads."""

import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.collectors.refs import CollectorArgument, run_for_collector, show_identity
from hashinsight.cli.context import CliContext, JsonOption
from hashinsight.cli.output import print_fields
from hashinsight.collectors.states import MAX_OVERLAP_SEC, PAYLOAD_KEY_OVERLAP_SEC

if TYPE_CHECKING:
    from hashinsight.collectors.models import Collector


def payload_key(
    collector: CollectorArgument,
    *,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the key from standard input, in base64.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove all its keys at once.")] = False,
    overlap_sec: Annotated[
        int, typer.Option(min=0, max=MAX_OVERLAP_SEC, help="How long the old key stays valid, in seconds.")
    ] = PAYLOAD_KEY_OVERLAP_SEC,
    json: JsonOption = False,
) -> None:
    """Set or rotate the AES-256 key for encrypted payloads. A generated key is printed once."""
    given = sys.stdin.read(1000).strip() if stdin and not remove else None

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.schemas.requests import PayloadKeyBody
        from hashinsight.collectors.service import keys

        session, actor, now = context.session, context.actor, context.now
        if remove:
            return show_identity(target) | {"removed": await keys.remove_payload_keys(session, actor, target, now=now)}
        body = PayloadKeyBody.model_validate({"overlap_sec": overlap_sec, "key_b64": given})
        overlap = timedelta(seconds=body.overlap_sec)
        new = await keys.set_payload_key(session, context.vault, actor, target, key=body.key, overlap=overlap, now=now)
        shown = {} if new.shown_b64 is None else {"payload_key": new.shown_b64}
        return show_identity(target) | shown | {"old_keys_until": new.old_keys_until}

    print_fields(run_for_collector(work, collector), as_json=json)
