"""Which changes by people need a step-up: every operation is in one of these lists, or the suite fails."""

from tests.isolation.world import ADMIN, AUTH

_HOSTING = "/hosting/api"
_V1 = "/api/v1"
_COLLECTOR = f"{ADMIN}/collectors/{{collector_id}}"
_CONFIG = f"{ADMIN}/collector-configs/{{config_id}}"

# by a person who has just shown a code or the password, whatever the request says
NEEDED = {
    f"POST {ADMIN}/users",
    f"PATCH {ADMIN}/users/{{user_id}}",
    f"DELETE {ADMIN}/users/{{user_id}}",
    f"POST {ADMIN}/users/{{user_id}}/password",
    f"POST {ADMIN}/users/{{user_id}}/unlock",
    f"POST {ADMIN}/users/{{user_id}}/totp/reset",
    f"POST {ADMIN}/grants",
    f"DELETE {ADMIN}/grants/{{grant_id}}",
    f"PATCH {ADMIN}/tenants/{{tenant_id}}",
    f"POST {ADMIN}/api-keys",
    f"DELETE {ADMIN}/api-keys/{{key_id}}",
    f"POST {AUTH}/totp/disable",
    f"POST {ADMIN}/commands/{{command_id}}/approve",
    f"POST {ADMIN}/batches/{{batch_id}}/approve",
    f"POST {_COLLECTOR}/approve",
    f"POST {_COLLECTOR}/enable",
    f"POST {_COLLECTOR}/rotate-token",
    f"POST {_COLLECTOR}/enrolment-code",
    f"POST {_COLLECTOR}/payload-key",
    f"POST {_COLLECTOR}/signing-keys",
    f"POST {_CONFIG}/activate",
}

# for some requests: the first example is one of those, or a test of its own shows both kinds
SOMETIMES = {
    f"PATCH {ADMIN}/settings": "all sections but prices",
    f"POST {ADMIN}/commands": "emergencies and changes of pools",
    f"POST {ADMIN}/collectors": "with a token or an enrolment code",
    f"PATCH {_COLLECTOR}": "another zone, more permissions, longer intervals, opening registration",
    f"PUT {_COLLECTOR}/signing": "off",
    f"PATCH {ADMIN}/groups/{{group_id}}": "while a grant names it",
    f"POST {ADMIN}/groups/{{group_id}}/refresh": "while a grant names it",
    f"DELETE {ADMIN}/groups/{{group_id}}": "while a grant names it",
}

_SHOWS_IT = "shows the password or a code itself"
_TAKES_AWAY = "takes access away or stops something: must be quick"
_DAILY = "daily work, on record; a machine's place decides who sees it, so it takes the right to keep the inventory"
_MUTES = "on record and shown as such; the edge's own protection asks nobody"
_LOUDER = "alarms come back"

NOT_NEEDED = {
    f"POST {AUTH}/login": _SHOWS_IT,
    f"POST {AUTH}/refresh": "gives a token that showed nothing",
    f"POST {AUTH}/logout": _TAKES_AWAY,
    f"POST {AUTH}/password": "shows the old password; with a second factor its code as well",
    f"POST {AUTH}/totp/begin": _SHOWS_IT,
    f"POST {AUTH}/totp/confirm": _SHOWS_IT,
    f"POST {AUTH}/step-up": _SHOWS_IT,
    f"POST {ADMIN}/audit/verify": "reads",
    f"POST {ADMIN}/sites": "nothing is at it yet",
    f"PATCH {ADMIN}/sites/{{site_id}}": _DAILY,
    f"POST {ADMIN}/zones": "nothing is in it yet",
    f"PATCH {ADMIN}/zones/{{zone_id}}": _DAILY,
    f"POST {ADMIN}/racks": _DAILY,
    f"POST {ADMIN}/nodes": _DAILY,
    f"POST {ADMIN}/groups": "no grant names it yet",
    f"POST {ADMIN}/miners": _DAILY,
    f"POST {ADMIN}/miners/import": _DAILY,
    f"PATCH {ADMIN}/miners/{{miner_id}}": _DAILY,
    f"POST {ADMIN}/miners/{{miner_id}}/retire": _DAILY,
    f"POST {ADMIN}/miners/maintenance": "hides neither heat nor a wrong pool",
    f"POST {ADMIN}/miners/maintenance/end": _LOUDER,
    f"POST {_COLLECTOR}/disable": _TAKES_AWAY,
    f"POST {_COLLECTOR}/revoke-tokens": _TAKES_AWAY,
    f"DELETE {_COLLECTOR}/payload-key": _TAKES_AWAY,
    f"DELETE {_COLLECTOR}/signing-keys/{{key_id}}": "takes away; never the last key while signing is on",
    f"POST {ADMIN}/collector-configs": "a draft: nobody runs it",
    f"POST {_CONFIG}/deprecate": "goes back to what was activated before: must be quick",
    f"POST {ADMIN}/collector-events/{{event_id}}/acknowledge": _DAILY,
    f"POST {ADMIN}/collector-events/{{event_id}}/resolve": _DAILY,
    f"POST {_V1}/suppressions": _MUTES,
    f"POST {_V1}/miners/{{miner_id}}/suppress": _MUTES,
    f"POST {_HOSTING}/miners/{{miner_id}}/suppress": _MUTES,
    f"POST {_V1}/miners/{{miner_id}}/unsuppress": _LOUDER,
    f"POST {_HOSTING}/miners/{{miner_id}}/unsuppress": _LOUDER,
    f"POST {_V1}/suppressions/{{suppression_id}}/lift": _LOUDER,
    f"POST {_V1}/problems/bulk": _DAILY,
    f"POST {_V1}/problems/{{problem_id}}/acknowledge": _DAILY,
    f"POST {_V1}/problems/{{problem_id}}/start": _DAILY,
    f"POST {_V1}/problems/{{problem_id}}/assign": _DAILY,
    f"POST {_V1}/problems/{{problem_id}}/comment": _DAILY,
    f"POST {_V1}/problems/{{problem_id}}/resolve": "what is still there opens again",
    f"POST {ADMIN}/commands/{{command_id}}/reject": _TAKES_AWAY,
    f"POST {ADMIN}/commands/{{command_id}}/cancel": _TAKES_AWAY,
    f"POST {ADMIN}/batches/{{batch_id}}/reject": _TAKES_AWAY,
    f"POST {ADMIN}/batches/{{batch_id}}/cancel": _TAKES_AWAY,
}
