"""The functions behind `kit.db.partitions`: owned by the tables' owner, and checking the caller's privileges."""

from alembic import op

_SIGNATURES = (
    "partition_drop_before(text, timestamptz)",
    "partition_ensure(text, timestamptz, timestamptz)",
    "partition_parent(text, text)",
)

# in a function of the owner, `role` still is the role that the caller took
_PARENT = """
create function partition_parent(parent text, needed text) returns regclass language plpgsql stable as $$
declare
    found regclass := to_regclass(format('public.%I', parent));
    caller text := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
    if found is null or not exists (select from pg_class where oid = found and relkind = 'p') then
        raise exception 'no partitioned table %', parent using errcode = 'undefined_table';
    end if;
    if not has_table_privilege(caller, found, needed) then
        raise exception '% may not % the table %', caller, needed, parent using errcode = 'insufficient_privilege';
    end if;
    return found;
end $$
"""
# created separately and then attached: unlike `partition of`, that does not block readers and writers
_ENSURE = """
create function partition_ensure(parent text, begins timestamptz, ends timestamptz) returns boolean
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '3s' set timezone = 'UTC' as $$
declare
    child text := parent || to_char(begins, '_YYYYMMDD"t"HH24MI');
begin
    perform partition_parent(parent, 'insert');
    if exists (select from pg_class where relname = child and relnamespace = 'public'::regnamespace) then
        return false;
    end if;
    perform pg_advisory_xact_lock(hashtext('partitions of ' || parent));
    -- asked again, and of the table, not of to_regclass(): that one may remember what it did not find
    if exists (select from pg_class where relname = child and relnamespace = 'public'::regnamespace) then
        return false;
    end if;
    execute format('create table %I (like %I including defaults including constraints)', child, parent);
    -- reached through the table, its policies hold; reached directly, nobody sees anything
    execute format('alter table %I enable row level security', child);
    execute format('alter table %I force row level security', child);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child, begins, ends);
    return true;
end $$
"""
_DROP = """
create function partition_drop_before(parent text, before timestamptz) returns setof text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '3s' set timezone = 'UTC' as $$
declare
    child record;
begin
    for child in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = partition_parent(parent, 'truncate')
            and (regexp_match(pg_get_expr(c.relpartbound, c.oid), $re$TO \\('([^']+)'\\)$re$))[1]::timestamptz <= before
        order by c.relname
    loop
        execute format('drop table %I', child.relname);
        return next child.relname;
    end loop;
end $$
"""


def make_functions() -> None:
    for function in (_PARENT, _ENSURE, _DROP):
        op.execute(function)
    for signature in _SIGNATURES:
        op.execute(f"revoke execute on function {signature} from public")
    op.execute("grant execute on function partition_ensure(text, timestamptz, timestamptz) to hi_app, hi_job")
    op.execute("grant execute on function partition_drop_before(text, timestamptz) to hi_job")


def drop_functions() -> None:
    for signature in _SIGNATURES:
        op.execute(f"drop function {signature}")
