"""The closed list of audited actions, and who can act. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class ActorKind(StrEnum):
    USER = "user"
    API_KEY = "api_key"
    COLLECTOR = "collector"
    RULE = "rule"
    SYSTEM = "system"
    ANONYMOUS = "anonymous"  # not signed in, or refused


@dataclass(frozen=True)
class Actor:
    kind: ActorKind
    id: str | None = None
    request_id: str | None = None
    address: str | None = None

    @property
    def signature(self) -> str:
        """For a column of one word."""
        return self.id or self.kind.value


SYSTEM = Actor(ActorKind.SYSTEM)


class Action(StrEnum):
    # signing in
    LOGIN = "login"
    LOGIN_REFUSED = "login_refused"
    REFRESH_REFUSED = "refresh_refused"
    REFRESH_REUSED = "refresh_reused"
    TOKEN_REFUSED = "token_refused"  # noqa: S105 - a name
    LOGOUT = "logout"
    STEP_UP = "step_up"
    STEP_UP_REFUSED = "step_up_refused"
    # users and their rights
    USER_CREATED = "user_created"
    USER_REFUSED = "user_refused"
    USER_CHANGED = "user_changed"
    USER_DELETED = "user_deleted"
    USER_UNLOCKED = "user_unlocked"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - a name
    PASSWORD_REFUSED = "password_refused"  # noqa: S105 - a name
    TOTP_BEGUN = "totp_begun"
    TOTP_REFUSED = "totp_refused"
    TOTP_ENABLED = "totp_enabled"
    TOTP_DISABLED = "totp_disabled"
    GRANT_CREATED = "grant_created"
    GRANT_DELETED = "grant_deleted"
    API_KEY_CREATED = "api_key_created"
    API_KEY_REVOKED = "api_key_revoked"
    TENANT_CREATED = "tenant_created"
    TENANT_CHANGED = "tenant_changed"
    # inventory
    SITE_CREATED = "site_created"
    SITE_CHANGED = "site_changed"
    ZONE_CREATED = "zone_created"
    ZONE_CHANGED = "zone_changed"
    RACK_CREATED = "rack_created"
    NODE_CREATED = "node_created"
    MINER_CREATED = "miner_created"
    MINER_CHANGED = "miner_changed"
    MINER_RETIRED = "miner_retired"
    MINERS_REGISTERED = "miners_registered"
    MINERS_CLAIMED = "miners_claimed"
    REGISTRATION_LIMITED = "registration_limited"
    MINERS_IMPORTED = "miners_imported"
    MINERS_EXPORTED = "miners_exported"
    GROUP_CREATED = "group_created"
    GROUP_CHANGED = "group_changed"
    GROUP_DELETED = "group_deleted"
    GROUP_REFRESHED = "group_refreshed"
    SETTINGS_CHANGED = "settings_changed"
    MAINTENANCE_SET = "maintenance_set"
    MAINTENANCE_ENDED = "maintenance_ended"
    # collectors
    COLLECTOR_CREATED = "collector_created"
    COLLECTOR_CHANGED = "collector_changed"
    COLLECTOR_REGISTERED = "collector_registered"
    COLLECTOR_APPROVED = "collector_approved"
    COLLECTOR_DISABLED = "collector_disabled"
    COLLECTOR_ENABLED = "collector_enabled"
    COLLECTOR_OFFLINE = "collector_offline"
    COLLECTOR_RECONNECTED = "collector_reconnected"
    COLLECTOR_REFUSED = "collector_refused"
    COLLECTOR_TOKEN_ISSUED = "collector_token_issued"  # noqa: S105 - a name
    COLLECTOR_TOKENS_REVOKED = "collector_tokens_revoked"
    COLLECTOR_PAYLOAD_KEY_SET = "collector_payload_key_set"
    COLLECTOR_PAYLOAD_KEYS_REMOVED = "collector_payload_keys_removed"
    COLLECTOR_SIGNING_KEY_ADDED = "collector_signing_key_added"
    COLLECTOR_SIGNING_KEY_REVOKED = "collector_signing_key_revoked"
    COLLECTOR_SIGNING_TURNED = "collector_signing_turned"
    ENROLMENT_CODE_ISSUED = "enrolment_code_issued"
    COLLECTOR_EVENTS_REPORTED = "collector_events_reported"
    COLLECTOR_EVENT_ACKNOWLEDGED = "collector_event_acknowledged"
    COLLECTOR_EVENT_RESOLVED = "collector_event_resolved"
    COLLECTOR_CONFIG_CREATED = "collector_config_created"
    COLLECTOR_CONFIG_ACTIVATED = "collector_config_activated"
    COLLECTOR_CONFIG_DEPRECATED = "collector_config_deprecated"
    COLLECTOR_CONFIG_APPLIED = "collector_config_applied"
    TELEMETRY_EXPORTED = "telemetry_exported"
    # commands: one entry per change of state, and one for decisions that changed nothing
    COMMAND_CREATED = "command_created"
    COMMAND_ARBITRATED = "command_arbitrated"
    COMMAND_SUPERSEDED = "command_superseded"
    COMMAND_APPROVED = "command_approved"
    COMMAND_REJECTED = "command_rejected"
    COMMAND_EXTENDED = "command_extended"  # more time, because its site's cap or rate limit keeps it in the queue
    COMMAND_DISPATCHED = "command_dispatched"
    COMMAND_OVER_CAP = "command_over_cap"  # an emergency took down more of a site than its cap
    COMMAND_ACKED = "command_acked"
    COMMAND_ACK_IGNORED = "command_ack_ignored"
    COMMAND_LEASE_LOST = "command_lease_lost"
    COMMAND_EXPIRED = "command_expired"
    COMMAND_CANCEL_REQUESTED = "command_cancel_requested"
    COMMAND_CANCELED = "command_canceled"
    # problems: what people do; changes by the detection cycle are in the timeline
    PROBLEM_ACKNOWLEDGED = "problem_acknowledged"
    PROBLEM_STARTED = "problem_started"
    PROBLEM_ASSIGNED = "problem_assigned"
    PROBLEM_COMMENTED = "problem_commented"
    PROBLEM_RESOLVED = "problem_resolved"
    PROBLEMS_EXPORTED = "problems_exported"
    SUPPRESSION_CREATED = "suppression_created"
    SUPPRESSION_LIFTED = "suppression_lifted"
    # the audit log itself
    AUDIT_EXPORTED = "audit_exported"
    AUDIT_VERIFIED = "audit_verified"
    AUDIT_RESEALED = "audit_resealed"
    AUDIT_KEY_CREATED = "audit_key_created"
