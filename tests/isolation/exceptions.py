"""What the isolation suite is told by hand: the few exceptions, each with its reason. Everything else is generated."""

# tables that hold no tenant's data
NOBODYS = {
    "alembic_version": "which migration ran last",
    "ticks": "the installation's own clockwork",
    "tick_runs": "the installation's own clockwork; a site's number and no more",
    "process_beats": "which processes of the installation live",
    "login_failures": "keyed hashes of e-mails and counters, needed before the tenant is known",
    "audit_seals": "hashes and counts over the whole installation's log",
    "audit_keys": "the installation's own keys",
    "audit_anchors": "how far the seals were exported",
}

# tables that point to things of a site, with a policy by tenant alone
BY_TENANT_ALONE = {
    "grants": "read to find out the caller's scope; the routes ask for the whole tenant",
    "collector_configs": "a version is for collectors of several sites; `configs.visible` narrows what is shown",
}

# tables into which a row without a tenant may be written by whoever is at the door, and is then seen by nobody
TENANTLESS = {"audit_log": "somebody who failed to sign in belongs to no tenant"}

# partitions into which a role writes directly, which can neither read them nor do anything else: hours of raw samples,
# whose rows are stamped with what the collector's token says
WRITTEN_BLIND = ("telemetry_raw_2",)

# functions that act as the owner of the tables, and what keeps each harmless
DEFINERS = {
    "lookup_login(text)": "ids by an e-mail, before the tenant is known",
    "lookup_refresh(bytea)": "ids by the hash of a secret",
    "lookup_api_key(bytea)": "ids by the hash of a secret",
    "lookup_collector(bytea)": "ids by the hash of a secret",
    "lookup_enrolment(bytea)": "ids by the hash of a secret",
    "lookup_serials(text[])": "serials are unique in the tenant: asked inside the tenant, gives numbers only",
    "partition_ensure(text,timestamp with time zone,timestamp with time zone)": "makes empty partitions, as the "
    "caller's right to insert allows",
    "partition_drop_before(text,timestamp with time zone)": "drops old partitions, as the caller's right to truncate "
    "allows",
    "telemetry_open_hour(timestamp with time zone)": "makes an hour's empty table, as the caller's right to insert "
    "allows; into it directly only a role can write that reads nothing",
    "open_audit_era(integer)": "sets a default, for jobs alone",
    "close_audit_era()": "takes a lock, for jobs alone",
}

# operations that a stranger may call
OPEN = {
    "GET /healthz": "liveness",
    "GET /readyz": "readiness",
    "GET /metrics": "has a guard of its own",
    "POST /api/v1/auth/login": "the door itself",
    "POST /api/v1/auth/refresh": "the token is in the body",
    "POST /api/edge/v1/register": "the enrolment code is in the body",
}

# operations that read and show nobody's data: their answers hold nothing that could leak
OF_NOBODY = {
    "GET /api/admin/v1/audit/seals": "hashes over the whole installation's log",
    "GET /api/admin/v1/commands/catalogue": "the same for all",
}

# operations that answer 403, and not 404, about any place that is not the caller's own, whether there is one or not
NEVER_404 = {
    "GET /api/collector/commands/pending/{site_id}": "a collector that is answered 404 believes that the route is gone",
}

# routes that the OpenAPI document does not name
UNDOCUMENTED = {
    "GET /status": "how the installation is, for a browser",
    "GET /favicon.ico": "the picture beside it",
    "GET /openapi.json": "the document itself",
}
