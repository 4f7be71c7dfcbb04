"""How a command acts on the inventory: as the system, in one transaction, inside one tenant."""

import json as json_module
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hashinsight.cli import acting
from hashinsight.kit.errors import HashInsightError, ValidationFailed

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.identity.caller import Caller

PAGE = 1000
_SHOWN_LINES = 50
_WIDEST = 1000

JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Name or id; not needed when there is one.")]
SiteOption = Annotated[str, typer.Option("--site", help="The site's code or integer id.")]
AnySiteOption = Annotated[str | None, typer.Option("--site", help="Only this site.")]
CodeOption = Annotated[str, typer.Option("--code", help="Short and lasting.")]
NameOption = Annotated[str, typer.Option("--name", help="As people call it.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="For the audit.")]
FilterOption = Annotated[str | None, typer.Option("--filter", help='As JSON: {"model": "S21"}')]
MinersOption = Annotated[list[str] | None, typer.Option("--miner", help="A machine's id; may be repeated.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=PAGE)]


@dataclass(frozen=True)
class Acting:
    """What an act gets: a transaction of a job inside the tenant, and rights over all of it."""

    session: "AsyncSession"
    caller: "Caller"
    now: datetime


Act = Callable[[Acting], Awaitable[dict[str, Any]]]


def run_act(act: Act, tenant: str | None, site: str | None = None) -> dict[str, Any]:
    """Act inside the tenant, which follows from the site where none is named; an error becomes one sentence."""

    async def work(session: Any, _settings: Any) -> dict[str, Any]:
        from pydantic import ValidationError

        try:
            return await _in_tenant(session, act, tenant, site)
        except HashInsightError as error:
            _list_refused(error.details.get("lines", []))
            raise
        except ValidationError as error:
            told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
            raise ValidationFailed("; ".join(told)) from None

    answer: dict[str, Any] = acting.act(work)
    return answer


def say(answer: Mapping[str, Any], *, as_json: bool) -> None:
    acting.say(answer, "" if as_json else _words(answer), as_json=as_json)
    if not as_json:
        _list_refused(answer.get("lines", []))


async def _in_tenant(session: "AsyncSession", act: Act, tenant: str | None, site: str | None) -> dict[str, Any]:
    from hashinsight.identity.caller import system_caller
    from hashinsight.identity.queries.sessions import enter_tenant
    from hashinsight.inventory.queries.places import get_tenant_of_site
    from hashinsight.kit.clock import system_clock

    by_site = tenant is None and site is not None
    tenant_id = await (get_tenant_of_site(session, site or "") if by_site else acting.tenant_id_of(session, tenant))
    await enter_tenant(session, tenant_id)
    return await act(Acting(session, system_caller(tenant_id, acting.shell_user()), system_clock()))


def _words(answer: Mapping[str, Any]) -> str:
    console = Console(width=_WIDEST)  # a line longer than the window can be read; columns of one letter cannot
    with console.capture() as shown:
        for name, value in answer.items():
            if name == "lines":
                continue
            if isinstance(value, list):
                console.print(_table(value) if value else f"no {name}")
            else:
                console.print(f"{name}: {_cell(value)}", markup=False, highlight=False, soft_wrap=True)
    return shown.get().rstrip("\n")


def _list_refused(lines: list[dict[str, Any]]) -> None:
    """Refused lines go to standard error, the first of them."""
    if not lines:
        return
    console = Console(stderr=True)
    console.print(_table(lines[:_SHOWN_LINES]))
    if len(lines) > _SHOWN_LINES:
        console.print(f"… and {len(lines) - _SHOWN_LINES} more: --json lists them")


def _table(rows: list[dict[str, Any]]) -> Table:
    """Without the columns that none of them has anything in."""
    names = [name for name in rows[0] if any(row.get(name) is not None for row in rows)]
    table = Table(*names)
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in names))
    return table


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return json_module.dumps(value)
    return "" if value is None else str(value)
