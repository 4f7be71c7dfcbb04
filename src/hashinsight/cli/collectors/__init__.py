"""`hashinsight collector …`: the registry from the machine itself, as the system. Server packages are imported late."""

import typer

from hashinsight.cli.collectors import payload_keys, registry, signing_keys, tokens
from hashinsight.cli.collectors.configs import configs_app
from hashinsight.cli.collectors.events import events_app

__all__ = ["collector_app"]

collector_app = typer.Typer(
    help="Collectors: registry, tokens, heartbeats, events, configurations.", no_args_is_help=True
)
for name, command in (
    ("create", registry.create),
    ("list", registry.list_collectors),
    ("show", registry.show),
    ("summary", registry.summary),
    ("change", registry.change),
    ("approve", registry.approve),
    ("disable", registry.disable),
    ("enable", registry.enable),
    ("heartbeats", registry.heartbeats),
    ("rotate", tokens.rotate),
    ("revoke", tokens.revoke),
    ("enrol-code", tokens.enrol_code),
    ("payload-key", payload_keys.payload_key),
    ("signing-key", signing_keys.signing_key),
    ("signing-keys", signing_keys.signing_keys),
    ("signing", signing_keys.signing),
):
    collector_app.command(name)(command)
collector_app.add_typer(events_app, name="events")
collector_app.add_typer(configs_app, name="configs")
