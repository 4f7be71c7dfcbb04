"""Row-level security for every table with tenant data: forced, by tenant, and by site if rows have one."""

from alembic import op

_TENANT = "{column} = (select nullif(current_setting('app.tenant', true), '')::uuid)"
# '*' is every site of the tenant; an unset or empty setting is none
_SITES = (
    "((select current_setting('app.sites', true)) = '*' or {column} = any"
    " ((select string_to_array(nullif(nullif(current_setting('app.sites', true), '*'), ''), ',')::int[])::int[]))"
)


def protect(
    table: str,
    *,
    tenant_column: str = "tenant_id",
    site_column: str | None = None,
    app: str = "select, insert, update, delete",
    job: str = "select, insert, update, delete",
) -> None:
    """Force the policies on a table and grant the roles their rights: `app` for requests, `job` for ticks."""
    rows = _TENANT.format(column=tenant_column)
    if site_column is not None:
        rows += f" and {_SITES.format(column=site_column)}"
    for statement in (
        f"alter table {table} enable row level security",
        f"alter table {table} force row level security",
        f"create policy app on {table} to hi_app using ({rows}) with check ({rows})",
        f"create policy job on {table} to hi_job using (true) with check (true)",
        # for look-up functions, which belong to the owner and return ids only
        f"create policy owner on {table} to hi_owner using (true) with check (true)",
        f"grant {app} on {table} to hi_app",
        f"grant {job} on {table} to hi_job",
    ):
        op.execute(statement)
