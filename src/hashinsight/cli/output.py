"""Output of commands: a table or a few lines for people, JSON for scripts; times in UTC, figures rounded."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hashinsight.wire.times import write_time

MAX_LINES = 50
Columns = Mapping[str, str | Callable[[Mapping[str, Any]], object]]  # heading: a field, or what to print of a row
_WIDTH = 200  # outside a terminal: ids are not wrapped
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_THS_PER_PHS = 1000


def print_result(result: Any, text: str, *, as_json: bool) -> None:
    """JSON for scripts, a sentence for people."""
    typer.echo(to_json(result) if as_json else text)


def print_list(answer: Mapping[str, Any], name: str, columns: Columns, *, as_json: bool) -> None:
    """The rows under `name` as a table."""
    if as_json:
        typer.echo(to_json(answer))
        return
    print_rows(_cells(answer[name], columns), name, more=answer.get("next_cursor"))
    if answer.get("more") is True:
        print_lines("There are more rows: raise --limit.")


def print_table(rows: Sequence[Mapping[str, Any]], what: str, columns: Columns, *, as_json: bool) -> None:
    """A list without an envelope: JSON is the bare array."""
    if as_json:
        typer.echo(to_json(rows))
    else:
        print_rows(_cells(rows, columns), what)


def print_fields(answer: Mapping[str, Any], *, as_json: bool) -> None:
    """One object, a line per field; refused lines of a list go to standard error."""
    if as_json:
        typer.echo(to_json(answer))
        return
    print_lines(*(f"{name}: {to_text(value)}" for name, value in answer.items() if name != "lines"))
    print_refused_lines(answer.get("lines", []))


def print_rows(rows: Sequence[Mapping[str, Any]], what: str, *, more: str | None = None) -> None:
    """A table with headings, without columns that are empty in all rows, and how to get the next page."""
    if not rows:
        print_lines(f"no {what}")
        return
    _console().print(_table(rows))
    if more:
        print_lines(f"next page: --cursor {more}")


def print_refused_lines(lines: Sequence[Mapping[str, Any]]) -> None:
    if not lines:
        return
    console = _console(stderr=True)
    console.print(_table(lines[:MAX_LINES]))
    if len(lines) > MAX_LINES:
        console.print(f"… and {len(lines) - MAX_LINES} more; --json lists all")


def print_lines(*lines: str) -> None:
    console = _console()
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def to_json(result: Any) -> str:
    return json.dumps(result, default=_plain)


def to_text(value: object) -> str:
    if isinstance(value, datetime):
        return show_time(value) or ""
    if isinstance(value, dict | list):
        return to_json(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def show_time(at: datetime | str | None) -> str | None:
    """UTC to the second, as the records have it."""
    if at is None:
        return None
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def show_duration(seconds: float) -> str:
    """Rounded as people say it: 5.2 s, 13 min, 2 h 5 min, 3 d 4 h."""
    if seconds < 10:  # noqa: PLR2004
        return f"{seconds:.1f} s"
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    large, unit, small, sub = (_HOUR, "h", _MINUTE, "min") if seconds < _DAY else (_DAY, "d", _HOUR, "h")
    whole, rest = divmod(int(seconds), large)
    return f"{whole} {unit} {rest // small} {sub}" if rest >= small else f"{whole} {unit}"


def show_age(at: datetime | str | None, *, now: datetime | None = None) -> str | None:
    """`13 min ago`; None where there is no time."""
    if at is None:
        return None
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return f"{show_duration(max(((now or datetime.now(UTC)) - moment).total_seconds(), 0))} ago"


def to_plain(answer: Any) -> Any:
    """As the API sends it: ids and times as text, stored documents decoded."""
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(answer))


def show_count(count: int, noun: str) -> str:
    """`1 machine`, `2,000 machines`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def show_hashrate(ths: float | None) -> str:
    if ths is None:
        return "unknown"
    return f"{ths / _THS_PER_PHS:,.1f} PH/s" if ths >= _THS_PER_PHS else f"{ths:,.1f} TH/s"


def show_params(params: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in params.items())


def _cells(rows: Sequence[Mapping[str, Any]], columns: Columns) -> list[dict[str, Any]]:
    return [
        {heading: row.get(field) if isinstance(field, str) else field(row) for heading, field in columns.items()}
        for row in rows
    ]


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    names = [name for name in rows[0] if any(row.get(name) is not None for row in rows)]
    table = Table(*names, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(escape(to_text(row.get(name))) for name in names))
    for column in table.columns[:2]:
        column.no_wrap = True
    return table


def _console(*, stderr: bool = False) -> Console:
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_WIDTH)


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return write_time(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)
