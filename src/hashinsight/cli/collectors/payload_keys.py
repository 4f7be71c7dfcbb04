"""`hashinsight collector payload-key`: the key of a collector that encrypts what it sends."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import shell_user
from hashinsight.cli.collectors.acting import CollectorArgument, JsonOption, brief, get_collector, run, say_one

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession


def payload_key(
    collector: CollectorArgument,
    *,
    stdin: Annotated[bool, typer.Option("--stdin", help="Take the key from standard input, in base64.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove all its keys, at once.")] = False,
    overlap_sec: Annotated[int, typer.Option(min=0, max=604_800, help="How long the old key stays good.")] = 86_400,
    json: JsonOption = False,
) -> None:
    """Set or rotate the AES-256 key of its encrypted payloads. One that is made here is printed once."""
    given = sys.stdin.read(1000).strip() if stdin and not remove else None

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from datetime import timedelta

        from hashinsight.collectors.schemas import PayloadKeyBody
        from hashinsight.collectors.service import keys
        from hashinsight.kit.crypto import Vault
        from hashinsight.kit.secret_key import load_secret_key
        from hashinsight.kit.settings import load_settings

        found = await get_collector(session, collector)
        if remove:
            return brief(found) | {"removed": await keys.remove_payload_keys(session, shell_user(), found, now=now)}
        body = PayloadKeyBody.model_validate({"overlap_sec": overlap_sec, "key_b64": given})
        vault, overlap = Vault(load_secret_key(load_settings())), timedelta(seconds=body.overlap_sec)
        new = await keys.set_payload_key(session, vault, shell_user(), found, key=body.key, overlap=overlap, now=now)
        shown = {} if new.shown_b64 is None else {"payload_key": new.shown_b64}
        return brief(found) | shown | {"old_keys_until": new.old_keys_until}

    say_one(run(work), as_json=json)
