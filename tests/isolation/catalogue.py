"""What the database's own catalogue says about its relations, and which of them stand open by their shape alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from psycopg import Connection

from hashinsight.kit.db.context import Role
from tests.isolation.exceptions import BY_TENANT_ALONE, DEFINERS, NOBODYS, TENANTLESS, WRITTEN_BLIND

# a column of one of these names says that the row belongs to some site
_OF_A_SITE = re.compile(r"^(site|zone|rack|node|miner|collector)_(id|ids|no|nos)$")
_RELATIONS = """
select c.oid::int, c.relname, c.relkind::text, c.relispartition, c.relrowsecurity, c.relforcerowsecurity,
    pg_get_userbyid(c.relowner), coalesce(c.reloptions, '{}')
from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
order by c.relname
"""
_COLUMNS = """
select a.attname, format_type(a.atttypid, a.atttypmod), b.typname, b.typcategory::text, b.typtype::text,
    not a.attnotnull, a.attgenerated <> '' or a.attidentity = 'a'
from pg_attribute a join pg_type t on t.oid = a.atttypid
    join pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
where a.attrelid = %s and a.attnum > 0 and not a.attisdropped order by a.attnum
"""
_REACH = """
select bool_or(has_any_column_privilege(r, %(oid)s::oid, p)) from unnest(%(roles)s::text[]) r,
    unnest(array['select', 'insert', 'update', 'references']) p
union all
select bool_or(has_table_privilege(r, %(oid)s::oid, p)) from unnest(%(roles)s::text[]) r,
    unnest(array['delete', 'truncate', 'trigger']) p
"""
# columns that point to a site or to something that lies in one, whatever they are called
_POINTING = """
select a.attname from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
where f.contype = 'f' and f.conrelid = %s and a.attname <> 'tenant_id' and (f.confrelid = 'sites'::regclass
    or exists (select from pg_attribute s where s.attrelid = f.confrelid and s.attname = 'site_id' and s.attnotnull))
"""
_STRANGERS = """
select coalesce(nullif(a.grantee, 0)::regrole::text, 'public') from pg_class c, aclexplode(c.relacl) a
where c.oid = %s and a.grantee <> c.relowner and a.grantee not in ('hi_app'::regrole, 'hi_job'::regrole)
"""
_WRITERS = """
select a.grantee::regrole::text, array_agg(distinct a.privilege_type::text) from pg_class c, aclexplode(c.relacl) a
where c.oid = %s and a.grantee <> c.relowner and a.grantee not in ('hi_app'::regrole, 'hi_job'::regrole) group by 1
"""
_DEFINERS = """
select p.oid::regprocedure::text, p.proconfig::text like '%%search_path=%%', pg_get_userbyid(p.proowner),
    has_function_privilege('public', p.oid, 'execute')
from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef
    and (has_function_privilege('hi_app', p.oid, 'execute') or has_function_privilege('hi_job', p.oid, 'execute'))
order by 1
"""
_ROLES = """
select r.rolname, r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcanlogin
    or has_schema_privilege(r.rolname, 'public', 'create') and r.rolname <> 'hi_owner'
    or exists (select from pg_auth_members m where m.member = r.oid)
from pg_roles r where r.rolname = any(%s) order by 1
"""


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    base: str
    category: str
    kind: str
    nullable: bool
    given_by_database: bool


@dataclass(frozen=True, eq=False)
class Relation:
    oid: int
    name: str
    kind: str
    is_partition: bool
    has_policies: bool
    forces_policies: bool
    owner: str
    options: list[str]
    columns: list[Column]

    @property
    def tenant(self) -> str | None:
        """The column that says whose a row is."""
        return "id" if self.name == "tenants" else self._named("tenant_id")

    @property
    def site(self) -> str | None:
        """The column by which a narrower scope is held."""
        if self.name in BY_TENANT_ALONE:
            return None
        return "id" if self.name == "sites" else self._named("site_id")

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def _named(self, name: str) -> str | None:
        return name if any(column.name == name for column in self.columns) else None


def relations(connection: Connection, only: str | None = None) -> list[Relation]:
    listed = []
    for row in connection.execute(_RELATIONS).fetchall():
        if only in (None, row[1]):
            columns = [Column(*column) for column in connection.execute(_COLUMNS, [row[0]])]
            listed.append(Relation(*[*row, columns]))
    return listed


def is_reachable(connection: Connection, relation: Relation, *roles: Role) -> bool:
    values = {"oid": relation.oid, "roles": [role.value for role in roles]}
    return any(row[0] for row in connection.execute(_REACH, values))


def shape_findings(connection: Connection, relation: Relation) -> Iterator[str]:
    """What is wrong with a relation before anybody has tried it."""
    is_reached = is_reachable(connection, relation, Role.APP, Role.JOB)
    if relation.is_partition:
        if is_reached:
            yield f"{relation.name}: a partition is reached directly, past the policies of its table"
        rights: dict[str, list[str]] = dict(connection.execute(_WRITERS, [relation.oid]).fetchall())
        is_written_blind = relation.name.startswith(WRITTEN_BLIND) and rights == {Role.INGEST.value: ["INSERT"]}
        if rights and not is_written_blind:
            yield f"{relation.name}: {', '.join(sorted(rights))} reach a partition past the policies of its table"
        if not (relation.has_policies and relation.forces_policies) and not is_written_blind:
            yield f"{relation.name}: a partition without row-level security of its own"
    elif relation.kind == "v":
        if is_reached and not {"security_invoker=true", "security_invoker=on"} & set(relation.options):
            yield f"{relation.name}: a view that reads as its owner, not as its caller (security_invoker)"
    elif relation.kind in "mf":
        if is_reachable(connection, relation, Role.APP) and relation.name not in NOBODYS:
            yield f"{relation.name}: no policy can guard this kind of relation, and hi_app reaches it"
    else:
        yield from _table_findings(connection, relation, is_reached=is_reached)


def _table_findings(connection: Connection, table: Relation, *, is_reached: bool) -> Iterator[str]:
    for (grantee,) in connection.execute(_STRANGERS, [table.oid]):
        yield f"{table.name}: {grantee} was given rights on it"
    if table.owner != Role.OWNER:
        yield f"{table.name}: belongs to {table.owner}"
    if table.name in NOBODYS:
        if table.tenant:
            yield f"{table.name}: is said to be nobody's and has the column {table.tenant}"
    elif table.tenant:
        yield from _tenant_table_findings(connection, table)
    elif is_reached:
        yield f"{table.name}: has no tenant_id; if it holds no tenant's data, say so in NOBODYS"


def _tenant_table_findings(connection: Connection, table: Relation) -> Iterator[str]:
    if not table.has_policies:
        yield f"{table.name}: holds tenant data and row-level security is off"
    if not table.forces_policies:
        yield f"{table.name}: holds tenant data and row-level security is not forced"
    of_a_site = _of_a_site(connection, table)
    if table.site is None and table.name not in BY_TENANT_ALONE and of_a_site:
        yield f"{table.name}: {', '.join(of_a_site)} belong to a site and there is no site_id to hold them by"
    for right in ("truncate", "references", "trigger"):  # none of them asks the policies
        answer = connection.execute("select has_table_privilege('hi_app', %s::oid, %s)", [table.oid, right])
        if answer.fetchone() == (True,):
            yield f"{table.name}: hi_app has the right to {right}, which no policy holds"


def _of_a_site(connection: Connection, table: Relation) -> list[str]:
    pointing = {name for (name,) in connection.execute(_POINTING, [table.oid])}
    return [column.name for column in table.columns if column.name in pointing or _OF_A_SITE.match(column.name)]


def schema_findings(connection: Connection) -> Iterator[str]:
    """What belongs to no table: roles, functions that act as their owner, rules, and exceptions that nobody needs."""
    for name, is_mighty in connection.execute(_ROLES, [[role.value for role in Role]]):
        if is_mighty:
            yield f"{name}: the role can go round the policies, log in, or make tables"
    for signature, has_path, owner, is_public in connection.execute(_DEFINERS).fetchall():
        if signature not in DEFINERS:
            yield f"{signature}: acts as its owner; say in DEFINERS why that is harmless"
        if not has_path or owner != Role.OWNER or is_public:
            yield f"{signature}: needs a search_path of its own, the owner {Role.OWNER}, and no grant to everybody"
    names = {relation.name for relation in relations(connection)}
    for name in sorted((NOBODYS.keys() | BY_TENANT_ALONE.keys() | TENANTLESS.keys()) - names):
        yield f"{name}: an exception is made for it, and it is not there"
    for (table,) in connection.execute(
        "select distinct tablename from pg_rules where schemaname = 'public'"
        " and tablename in (select tablename from pg_tables where schemaname = 'public')"
    ):
        yield f"{table}: a rule on it acts as its owner"
    for (schema,) in connection.execute(
        "select nspname from pg_namespace where nspname not in ('public', 'information_schema')"
        " and nspname !~ '^pg_' and has_schema_privilege('hi_app', oid, 'usage')"
    ):
        yield f"{schema}: hi_app reaches this schema, and the suite looks at public alone"
