"""`hashinsight tenant-settings …`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.inventory.acting import Acting, JsonOption, TenantOption, run_act, say

tenant_settings_app = typer.Typer(
    help="Prices, thresholds, approval and pools of a tenant: show, set.", no_args_is_help=True
)


@tenant_settings_app.command("show")
def show_settings(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Show the settings with their version. With --json, what `set` takes."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.settings import SettingsOut
        from hashinsight.inventory.service.settings import get_settings

        found = await get_settings(acting.session, acting.caller.seen.tenant_id)
        return _told(SettingsOut.model_validate(found).model_dump(mode="json"), as_json=json)

    say(run_act(act, tenant), as_json=json)


@tenant_settings_app.command("set")
def change_settings(
    file: Annotated[typer.FileText, typer.Argument(metavar="FILE.json", help="- is standard input.")],
    *,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Replace sections of the settings by those of a JSON document; those that it leaves out stay.

    The document is what `show --json` prints, changed, or {"version": 3, "prices": {…}}. When somebody changed the
    settings since that version, nothing is overwritten.
    """
    text = file.read()

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.settings import SettingsChange, SettingsOut
        from hashinsight.inventory.service import settings

        change = SettingsChange.model_validate(_change(text))
        tenant_id = acting.caller.seen.tenant_id
        old = await settings.get_settings(acting.session, tenant_id)
        new = change.applied_to(old.settings)
        changed = await settings.change_settings(
            acting.session, acting.caller.actor, tenant_id, new, version=change.version, now=acting.now
        )
        return _told(SettingsOut.model_validate(changed).model_dump(mode="json"), as_json=json)

    say(run_act(act, tenant), as_json=json)


def _change(text: str) -> Any:
    import json as json_module

    from hashinsight.kit.errors import ValidationFailed

    try:
        document = json_module.loads(text)
    except ValueError as error:
        raise ValidationFailed(f"the document is no JSON: {error}") from None
    if isinstance(document, dict) and isinstance(document.get("settings"), dict):
        kept = {name: value for name, value in document.items() if name not in ("settings", "updated_at")}
        return kept | document["settings"]
    return document


def _told(shown: dict[str, Any], *, as_json: bool) -> dict[str, Any]:
    return shown if as_json else {"version": shown["version"], **shown["settings"]}
