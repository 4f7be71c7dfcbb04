"""`hashinsight collector signing-key | signing-keys | signing`: how its commands are signed."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hashinsight.cli.acting import shell_user
from hashinsight.cli.collectors.acting import (
    CollectorArgument,
    JsonOption,
    brief,
    get_collector,
    run,
    say_one,
    say_rows,
)

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession


def signing_key(
    collector: CollectorArgument,
    *,
    algorithm: Annotated[str, typer.Option(help="ed25519, or hmac-sha256 for those that know only it.")] = "ed25519",
    key_id: Annotated[str | None, typer.Option(help="The key's name on the wire; made when not given.")] = None,
    signs_after_sec: Annotated[
        int | None,
        typer.Option(min=0, max=2_592_000, help="When it takes over; an hour, or at once for the first key."),
    ] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Take the key from standard input, in base64.")] = False,
    revoke: Annotated[str | None, typer.Option(metavar="KEY_ID", help="Revoke this key instead.")] = None,
    json: JsonOption = False,
) -> None:
    """Add a key that signs its commands, or revoke one. An HMAC secret that is made here is printed once."""
    given_b64 = sys.stdin.read(1000).strip() if stdin and revoke is None else None

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from datetime import timedelta

        from hashinsight.collectors.service import keys
        from hashinsight.kit.crypto import Vault
        from hashinsight.kit.secret_key import load_secret_key
        from hashinsight.kit.settings import load_settings

        found = await get_collector(session, collector)
        if revoke is not None:
            await keys.revoke_signing_key(session, shell_user(), found, revoke, now=now)
            return brief(found) | {"revoked": revoke}
        after = None if signs_after_sec is None else timedelta(seconds=signs_after_sec)
        vault, given = Vault(load_secret_key(load_settings())), keys.KeyMaterial(algorithm, key_id, given_b64)
        new = await keys.add_signing_key(session, vault, shell_user(), found, given, signs_after=after, now=now)
        shown = {"key_id": new.key_id, "algorithm": new.algorithm, "signs_from": new.signs_from}
        halves = {"public_key": new.public_b64, "secret": new.secret_b64}
        return brief(found) | shown | {name: half for name, half in halves.items() if half is not None}

    say_one(run(work), as_json=json)


def signing_keys(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Every key that it has or had; public halves only."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.key_schemas import show_signing_key
        from hashinsight.collectors.queries.keys import list_signing_keys

        found = await get_collector(session, collector)
        keys = await list_signing_keys(session, found.id)
        return {"signs_commands": found.signs_commands, "keys": [show_signing_key(key) for key in keys]}

    fields = ("key_id", "algorithm", "public_key", "signs_from", "revoked_at")
    say_rows(run(work), "keys", fields, as_json=json)


def signing(
    collector: CollectorArgument,
    turned: Annotated[Literal["on", "off"], typer.Argument(metavar="on|off")],
    *,
    json: JsonOption = False,
) -> None:
    """Turn the signing of its commands on or off."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.service import keys

        found = await get_collector(session, collector)
        await keys.switch_signing(session, shell_user(), found, on=turned == "on", now=now)
        return brief(found) | {"signs_commands": turned == "on"}

    say_one(run(work), as_json=json)
