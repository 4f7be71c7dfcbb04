"""How a command line acts on commands: as the system, in one transaction, inside the tenant that is meant."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hashinsight.cli.acting import act, shell_user, tenant_id_of

if TYPE_CHECKING:
    from uuid import UUID

    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.identity.caller import Caller
    from hashinsight.kit.crypto import Vault

JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Name or id; not needed when there is one.")]
AnySiteOption = Annotated[str | None, typer.Option("--site", help="The site's code or integer id.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why, for the record.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at the most.")]
CursorOption = Annotated[str | None, typer.Option("--cursor", help="Where the page before ended: its next_cursor.")]
SinceOption = Annotated[str | None, typer.Option("--since", help="Created then or later: 2026-03-01T12:00:00Z.")]
CommandArgument = Annotated[str, typer.Argument(metavar="COMMAND_ID")]
BatchArgument = Annotated[str, typer.Argument(metavar="BATCH_ID")]

_WIDTH = 200  # where nobody's terminal says another: ids are not broken in two
MOST_LINES = 50


@dataclass(frozen=True)
class Acting:
    session: "AsyncSession"
    vault: "Vault"
    caller: "Caller"
    now: datetime
    site_id: int | None = None


Work = Callable[[Acting], Awaitable[dict[str, Any]]]


def run(work: Work, *, tenant: str | None = None, site: str | None = None) -> dict[str, Any]:
    """In the tenant that is named, or whose site is named, or that is the only one."""

    async def chosen(session: "AsyncSession") -> "tuple[UUID, int | None]":
        if site is None:
            return await tenant_id_of(session, tenant), None
        from hashinsight.cli.collectors.acting import get_place

        scope, site_id = await get_place(session, tenant, site)
        return scope.tenant_id, site_id

    return _run(work, chosen)


def run_about(work: Work, table: str, key: str, named: str) -> dict[str, Any]:
    """In the tenant of what is named by its id."""

    async def chosen(session: "AsyncSession") -> "tuple[UUID, int | None]":
        from uuid import UUID

        from sqlalchemy import column, select
        from sqlalchemy import table as view

        from hashinsight.kit.errors import NotFound, ValidationFailed

        try:
            wanted = UUID(named)
        except ValueError:
            raise ValidationFailed(f"{named} is no id: they look like 0195508a-0000-7000-8000-00000000000b") from None
        of = view(table, column("tenant_id"), column(key))
        found = (await session.execute(select(of.c.tenant_id).where(of.c[key] == wanted))).scalar()
        if found is None:
            raise NotFound(f"there is no {key.removesuffix('_id')} {named}")
        return found, None

    return _run(work, chosen)


def _run(work: Work, chosen: "Callable[[AsyncSession], Awaitable[tuple[UUID, int | None]]]") -> dict[str, Any]:
    async def within(session: Any, settings: Any) -> dict[str, Any]:
        from pydantic import ValidationError

        from hashinsight.identity.queries.sessions import enter_tenant
        from hashinsight.kit.clock import system_clock
        from hashinsight.kit.crypto import Vault
        from hashinsight.kit.errors import ValidationFailed
        from hashinsight.kit.secret_key import load_secret_key

        tenant_id, site_id = await chosen(session)
        await enter_tenant(session, tenant_id)
        vault = Vault(load_secret_key(settings))
        try:
            return await work(Acting(session, vault, _system(tenant_id), system_clock(), site_id))
        except ValidationError as error:
            told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
            raise ValidationFailed("; ".join(told)) from None

    answer: dict[str, Any] = act(within)
    return answer


def _system(tenant_id: "UUID") -> "Caller":
    from hashinsight.identity.caller import system_caller

    return system_caller(tenant_id, shell_user())


def encoded(answer: Any) -> str:
    import msgspec

    return msgspec.json.encode(answer).decode()


def print_rows(rows: Sequence[dict[str, Any]], what: str, *, more: str | None = None) -> None:
    """A table, and how to go on where there is more."""
    console = _console()
    if not rows:
        console.print(f"no {what}")
        return
    table = Table(*rows[0], box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    for column in table.columns[:2]:
        column.no_wrap = True
    console.print(table)
    if more:
        console.print(f"more: --cursor {more}")


def print_lines(*lines: str) -> None:
    console = _console()
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=_WIDTH)


def short(instant: Any) -> str | None:
    """As a person reads it; UTC, as the record has it."""
    return None if instant is None else f"{instant:%Y-%m-%d %H:%M:%S}"


def words(params: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in params.items())
