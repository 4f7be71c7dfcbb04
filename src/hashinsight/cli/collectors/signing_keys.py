"""`hashinsight collector signing-key | signing-keys | signing`: how commands to a collector are signed."""

import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hashinsight.cli.collectors.refs import CollectorArgument, run_for_collector, show_identity
from hashinsight.cli.context import CliContext, JsonOption
from hashinsight.cli.output import print_fields, print_list

if TYPE_CHECKING:
    from hashinsight.collectors.models import Collector


def signing_key(
    collector: CollectorArgument,
    *,
    algorithm: Annotated[
        str, typer.Option(help="ed25519, or hmac-sha256 for collectors that support nothing else.")
    ] = "ed25519",
    key_id: Annotated[str | None, typer.Option(help="Id of the key on the wire; default: generated.")] = None,
    signs_after_sec: Annotated[
        int | None,
        typer.Option(
            min=0, max=2_592_000, help="Sign with it from then on. Default: after an hour; the first key at once."
        ),
    ] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the key from standard input, in base64.")] = False,
    revoke: Annotated[str | None, typer.Option(metavar="KEY_ID", help="Revoke this key instead.")] = None,
    json: JsonOption = False,
) -> None:
    """Add a key that signs commands to this collector, or revoke one. A generated HMAC secret is printed once."""
    given_b64 = sys.stdin.read(1000).strip() if stdin and revoke is None else None

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.service import keys

        session, actor, now = context.session, context.actor, context.now
        if revoke is not None:
            await keys.revoke_signing_key(session, actor, target, revoke, now=now)
            return show_identity(target) | {"revoked": revoke}
        after = None if signs_after_sec is None else timedelta(seconds=signs_after_sec)
        material = keys.KeyMaterial(algorithm, key_id, given_b64)
        new = await keys.add_signing_key(session, context.vault, actor, target, material, signs_after=after, now=now)
        shown = {"key_id": new.key_id, "algorithm": new.algorithm, "signs_from": new.signs_from}
        halves = {"public_key": new.public_b64, "secret": new.secret_b64}
        return show_identity(target) | shown | {name: half for name, half in halves.items() if half is not None}

    print_fields(run_for_collector(work, collector), as_json=json)


def signing_keys(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """List all signing keys of a collector, including revoked ones; public halves only."""

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.queries.keys import list_signing_keys
        from hashinsight.collectors.schemas.keys import show_signing_key

        keys = await list_signing_keys(context.session, target.id)
        return {"signs_commands": target.signs_commands, "keys": [show_signing_key(key) for key in keys]}

    columns = {
        "key": "key_id",
        "algorithm": "algorithm",
        "public key": "public_key",
        "signs from (UTC)": "signs_from",
        "revoked (UTC)": "revoked_at",
    }
    print_list(run_for_collector(work, collector), "keys", columns, as_json=json)


def signing(
    collector: CollectorArgument,
    switch: Annotated[Literal["on", "off"], typer.Argument(metavar="on|off")],
    *,
    json: JsonOption = False,
) -> None:
    """Turn signing of commands on or off for a collector."""

    async def work(context: CliContext, target: "Collector") -> dict[str, Any]:
        from hashinsight.collectors.service import keys

        await keys.switch_signing(context.session, context.actor, target, on=switch == "on", now=context.now)
        return show_identity(target) | {"signs_commands": switch == "on"}

    print_fields(run_for_collector(work, collector), as_json=json)
