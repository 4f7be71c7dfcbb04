"""`hashinsight tenant-settings …`: prices, thresholds, approvals and pools of a tenant."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import CliContext, JsonOption, TenantOption, run
from hashinsight.cli.output import print_fields

tenant_settings_app = typer.Typer(
    help="Settings of a tenant: prices, thresholds, approvals, pools.", no_args_is_help=True
)


@tenant_settings_app.command("show")
def show_settings(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Show the settings and their version. `set` reads what --json prints."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.settings import SettingsOut
        from hashinsight.inventory.service.settings import get_settings

        stored = await get_settings(context.session, context.caller.seen.tenant_id)
        return _shown(SettingsOut.model_validate(stored).model_dump(), as_json=json)

    print_fields(run(work, tenant=tenant), as_json=json)


@tenant_settings_app.command("set")
def change_settings(
    file: Annotated[typer.FileText, typer.Argument(metavar="FILE.json", help="JSON document; - reads standard input.")],
    *,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Replace sections of the settings; sections that the document leaves out stay as they are.

    The document is the edited output of `show --json`, or {"version": 3, "prices": {…}}. If the settings have changed
    since that version, the command fails and nothing is overwritten.
    """
    text = file.read()

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.settings import SettingsChange, SettingsOut
        from hashinsight.inventory.service import settings

        change = SettingsChange.model_validate(_read_change(text))
        tenant_id = context.caller.seen.tenant_id
        old = await settings.get_settings(context.session, tenant_id)
        new = change.applied_to(old.settings)
        changed = await settings.change_settings(
            context.session, context.caller.actor, tenant_id, new, version=change.version, now=context.now
        )
        return _shown(SettingsOut.model_validate(changed).model_dump(), as_json=json)

    print_fields(run(work, tenant=tenant), as_json=json)


def _read_change(text: str) -> Any:
    import json as json_module

    from hashinsight.kit.errors import ValidationFailed

    try:
        document = json_module.loads(text)
    except ValueError as error:
        raise ValidationFailed(f"the document is not JSON: {error}") from None
    if isinstance(document, dict) and isinstance(document.get("settings"), dict):
        kept = {name: value for name, value in document.items() if name not in ("settings", "updated_at")}
        return kept | document["settings"]
    return document


def _shown(shown: dict[str, Any], *, as_json: bool) -> dict[str, Any]:
    return shown if as_json else {"version": shown["version"], **_without_defaults(shown["settings"])}


def _without_defaults(section: dict[str, Any]) -> dict[str, Any]:
    """Without limits that no one has set."""
    set_values = {
        name: _without_defaults(value) if isinstance(value, dict) else value for name, value in section.items()
    }
    return {name: value for name, value in set_values.items() if value is not None}
