"""What the superuser sees: which words and ids are hidden from somebody, and whether a tenant's rows have changed."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.isolation.catalogue import Relation
from tests.isolation.requests import tokens
from tests.isolation.world import World

# of a tenant's own tables without sites, what somebody with a narrower scope may see
_FOR_ALL = {
    "tenants": "true",
    "collector_configs": "collector_ids is null"
    " or collector_ids && array(select id from collectors where site_id <> {})",
}
# by which column a row is known to lie in a zone, or to be about a machine
_ZONE, _MINER = ("zone_id", "zones.id"), ("miner_no",)


@dataclass(frozen=True)
class Prober:
    """Somebody who should see nothing of the twin. `is_hidden` gives a table's hidden rows as a condition."""

    name: str
    headers: dict[str, str]
    is_hidden: Callable[[Relation], str]
    ids: tuple[str, ...] = ()
    is_stranger: bool = True  # of another tenant: what is named is 404, never 403
    home: str | None = None  # a site of the prober's own, by its code


def hidden_from_strangers(world: World) -> Callable[[Relation], str]:
    return lambda table: f"{table.tenant} = '{world.a}'"


def hidden_from_second_site(world: World) -> Callable[[Relation], str]:
    """Everything of the first site, and what is for the whole tenant's people."""

    def condition(table: Relation) -> str:
        own = f"{table.tenant} = '{world.a}'"
        if table.site is not None:
            return f"{own} and {table.site} = {world.site_id}"
        return f"{own} and not ({_FOR_ALL.get(table.name, 'false').format(world.site_id)})"

    return condition


def hidden_from_zone(world: World) -> Callable[[Relation], str]:
    """The same within the first site: all but the zone and the site's own name."""
    return _hidden_within(world, _ZONE, world.zone_id)


def hidden_from_group(world: World) -> Callable[[Relation], str]:
    """All but the group's one machine, the group and the site's own name."""
    return _hidden_within(world, _MINER, world.miner_no)


def _hidden_within(world: World, columns: tuple[str, ...], held: int) -> Callable[[Relation], str]:
    by_site = hidden_from_second_site(world)

    def condition(table: Relation) -> str:
        if table.name == "sites":
            return f"tenant_id = '{world.a}' and id <> {world.site_id}"
        if table.name == "groups":
            return f"tenant_id = '{world.a}' and id <> {world.group_id}"
        known = [c for c in table.columns if c.name in columns or f"{table.name}.{c.name}" in columns]
        # a row over a chunk of machines is of each of them
        places = [f"any ({c.name})" if c.category == "A" else c.name for c in known]
        inside = " or ".join(f"coalesce({held} = {place}, false)" for place in places) or "false"
        return by_site(table) if table.site is None else f"{table.tenant} = '{world.a}' and not ({inside})"

    return condition


class Watch:
    """The superuser's eyes on one operation: what is hidden from whom, and what has changed since the last look."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tables = world.tables
        self._hidden: dict[object, set[str]] = {}
        self._before: dict[tuple[str, ...], dict[str, str]] = {}

    def hidden_from(self, prober: Prober) -> set[str]:
        """Ids and marked words that, of all rows of tenant A, only hidden ones hold."""
        key = (prober.is_hidden, prober.ids)
        if key not in self._hidden:
            self._hidden[key] = self._find_hidden(prober)
        return self._hidden[key]

    def changed_by(self, prober: Prober) -> list[str]:
        """The tables in which rows of tenant A changed, or came, that are not the prober's own."""
        before, after = self._before.get(prober.ids, {}), self._fingerprint(prober)
        self._before[prober.ids] = after
        return sorted(name for name, value in before.items() if after[name] != value)

    def look(self, prober: Prober) -> None:
        self._before[prober.ids] = self._fingerprint(prober)

    def _find_hidden(self, prober: Prober) -> set[str]:
        parts = []
        for table in self._tables:
            is_hidden = f"({prober.is_hidden(table)}) and not ({_is_own(prober, table)})"
            is_shown = f"{table.tenant} = '{self._world.a}' and not ({is_hidden})"
            parts.append(
                f"select coalesce(string_agg(t::text, ' ') filter (where {is_hidden}), ''),"
                # a row that is shown may list things that are not
                f" coalesce(string_agg((to_jsonb(t) - 'collector_ids')::text, ' ') filter (where {is_shown}), '')"
                f" from {table.name} t"
            )
        rows = self._world.superuser.execute(" union all ".join(parts).encode()).fetchall()
        hidden, visible = (tokens("\n".join(texts)) for texts in zip(*rows, strict=True))
        return hidden - visible - set(prober.ids)

    def _fingerprint(self, prober: Prober) -> dict[str, str]:
        parts = [
            f"select '{table.name}', count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0)"
            f" from {table.name} t where {table.tenant} = '{self._world.a}' and not ({_is_own(prober, table)})"
            for table in self._tables
        ]
        return dict(self._world.superuser.execute(" union all ".join(parts).encode()).fetchall())


def _is_own(prober: Prober, table: Relation) -> str:
    """Rows with the prober's ids in them; at a site that is hidden from the prober, those are none of theirs either."""
    own = " or ".join(f"t::text like '%{command_id}%'" for command_id in prober.ids) or "false"
    return own if table.site is None else f"({own}) and not ({prober.is_hidden(table)})"
