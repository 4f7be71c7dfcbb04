// Made by `npm run types` from the OpenAPI document of the server. Do not edit.

export interface paths {
    "/api/edge/v1/telemetry/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["upload_telemetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collector/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @deprecated */
        post: operations["upload_telemetry_legacy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/commands/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["poll_commands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/commands/ack/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["ack_commands"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/commands/{command_id}/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["ack_command"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collector/commands/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @deprecated */
        get: operations["poll_commands_legacy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collector/commands/pending/{site_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @deprecated */
        get: operations["poll_site_commands_legacy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collector/commands/{command_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @deprecated */
        post: operations["ack_command_legacy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collector/commands/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @deprecated */
        post: operations["ack_named_command_legacy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["register_collector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["send_heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["report_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_collector_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/edge/v1/config/applied": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["report_applied_config"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["refresh_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["sign_out"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_caller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["change_own_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["begin_totp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["confirm_totp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["disable_totp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/step-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["step_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_users"];
        put?: never;
        post: operations["create_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_user"];
        put?: never;
        post?: never;
        delete: operations["delete_user"];
        options?: never;
        head?: never;
        patch: operations["change_user"];
        trace?: never;
    };
    "/api/admin/v1/users/{user_id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reset_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/users/{user_id}/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["unlock_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/users/{user_id}/totp/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reset_totp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_grants"];
        put?: never;
        post: operations["create_grant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/grants/{grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete_grant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_tenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/tenants/{tenant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_tenant"];
        trace?: never;
    };
    "/api/admin/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_api_keys"];
        put?: never;
        post: operations["create_api_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["revoke_api_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_audit_entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["export_audit_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/audit/seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_audit_seals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["verify_audit_log"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_sites"];
        put?: never;
        post: operations["create_site"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/sites/{site_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_site"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_site"];
        trace?: never;
    };
    "/api/admin/v1/zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_zones"];
        put?: never;
        post: operations["create_zone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/zones/{zone_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_zone"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_zone"];
        trace?: never;
    };
    "/api/admin/v1/racks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_racks"];
        put?: never;
        post: operations["create_rack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_nodes"];
        put?: never;
        post: operations["create_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_groups"];
        put?: never;
        post: operations["create_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/groups/{group_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_group"];
        put?: never;
        post?: never;
        delete: operations["delete_group"];
        options?: never;
        head?: never;
        patch: operations["change_group"];
        trace?: never;
    };
    "/api/admin/v1/groups/{group_id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["refresh_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_settings"];
        trace?: never;
    };
    "/api/admin/v1/miners/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["import_asset_list"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/miners/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["export_asset_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/miners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_miners"];
        put?: never;
        post: operations["create_miner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/miners/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_maintenance"];
        put?: never;
        post: operations["set_maintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/miners/maintenance/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["end_maintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/miners/{miner_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_miner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_miner"];
        trace?: never;
    };
    "/api/admin/v1/miners/{miner_id}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["retire_miner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/miners/{miner_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_miner_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_collectors"];
        put?: never;
        post: operations["create_collector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_collector_summaries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_collector_details"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_collector"];
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["approve_collector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["disable_collector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["enable_collector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/heartbeats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_heartbeats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/rotate-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotate_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/revoke-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["revoke_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/enrolment-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["issue_enrolment_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/payload-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["set_payload_key"];
        delete: operations["remove_payload_keys"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_signing_keys"];
        put?: never;
        post: operations["add_signing_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/signing-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["revoke_signing_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collectors/{collector_id}/signing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["switch_signing"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-configs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_configs"];
        put?: never;
        post: operations["draft_config"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-configs/rollout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_config_rollout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-configs/{config_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-configs/{config_id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["activate_config"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-configs/{config_id}/deprecate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["deprecate_config"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_collector_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-events/{event_id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["acknowledge_collector_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/collector-events/{event_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resolve_collector_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/telemetry/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_live_machines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/telemetry/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/telemetry/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_site_totals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/telemetry/cells": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_site_cells"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/telemetry/trend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_trends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/health_summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_site_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_site_problems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/miners/{miner_id}/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_miner_problems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/miners/{miner_id}/suppress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["suppress_miner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/miners/{miner_id}/unsuppress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["unsuppress_miner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_problems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["count_problems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/risks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_site_risks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/temperature-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_temperature_limits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/assignees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_assignees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{problem_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_problem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{problem_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_problem_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/miners/{miner_id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_miner_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/miners/{miner_id}/peers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_miner_peers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["act_on_problems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{problem_id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["acknowledge_problem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{problem_id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["start_problem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{problem_id}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["assign_problem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{problem_id}/comment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["comment_on_problem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{problem_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resolve_problem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_suppressions"];
        put?: never;
        post: operations["create_suppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suppressions/{suppression_id}/lift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["lift_suppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["stream_changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosting/api/sites/{site_id}/health_summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hosting_get_site_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosting/api/sites/{site_id}/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hosting_list_site_problems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosting/api/miners/{miner_id}/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hosting_list_miner_problems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosting/api/miners/{miner_id}/suppress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hosting_suppress_miner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosting/api/miners/{miner_id}/unsuppress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hosting_unsuppress_miner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/commands/catalogue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_command_catalogue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_commands"];
        put?: never;
        post: operations["request_commands"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/commands/{command_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_command"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/commands/{command_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["approve_command"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/commands/{command_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reject_command"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/commands/{command_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancel_command"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_batches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/batches/{batch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_batch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/batches/{batch_id}/refused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_refused_machines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/batches/{batch_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["approve_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/batches/{batch_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reject_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/v1/batches/{batch_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancel_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessTokenOut: {
            access_token: string;
            expires_in: number;
        };
        AckAnswer: {
            command_id: string | null;
            applied: boolean;
            state: components["schemas"]["State"] | null;
            error_code?: string;
            reason?: string;
            /** @constant */
            success: true;
        };
        AckBatchAnswer: {
            /** @constant */
            success: true;
            applied: number;
            results: components["schemas"]["AckOutcome"][];
        };
        AckOutcome: {
            command_id: string | null;
            applied: boolean;
            state: components["schemas"]["State"] | null;
            error_code?: string;
            reason?: string;
        };
        /** @enum {string} */
        Action: "login" | "login_refused" | "refresh_refused" | "refresh_reused" | "token_refused" | "logout" | "step_up" | "step_up_refused" | "user_created" | "user_refused" | "user_changed" | "user_deleted" | "user_unlocked" | "password_changed" | "password_refused" | "totp_begun" | "totp_refused" | "totp_enabled" | "totp_disabled" | "grant_created" | "grant_deleted" | "api_key_created" | "api_key_revoked" | "tenant_created" | "tenant_changed" | "site_created" | "site_changed" | "zone_created" | "zone_changed" | "rack_created" | "node_created" | "miner_created" | "miner_changed" | "miner_retired" | "miners_registered" | "miners_claimed" | "registration_limited" | "miners_imported" | "miners_exported" | "group_created" | "group_changed" | "group_deleted" | "group_refreshed" | "settings_changed" | "maintenance_set" | "maintenance_ended" | "collector_created" | "collector_changed" | "collector_registered" | "collector_approved" | "collector_disabled" | "collector_enabled" | "collector_offline" | "collector_reconnected" | "collector_refused" | "collector_token_issued" | "collector_tokens_revoked" | "collector_payload_key_set" | "collector_payload_keys_removed" | "collector_signing_key_added" | "collector_signing_key_revoked" | "collector_signing_turned" | "enrolment_code_issued" | "collector_events_reported" | "collector_event_acknowledged" | "collector_event_resolved" | "collector_config_created" | "collector_config_activated" | "collector_config_deprecated" | "collector_config_applied" | "telemetry_exported" | "command_created" | "command_arbitrated" | "command_superseded" | "command_approved" | "command_rejected" | "command_extended" | "command_dispatched" | "command_over_cap" | "command_acked" | "command_ack_ignored" | "command_lease_lost" | "command_expired" | "command_cancel_requested" | "command_canceled" | "problem_acknowledged" | "problem_started" | "problem_assigned" | "problem_commented" | "problem_resolved" | "problems_exported" | "suppression_created" | "suppression_lifted" | "audit_exported" | "audit_verified" | "audit_resealed" | "audit_key_created";
        ActionCounts: {
            changed: number;
            refused: number;
        };
        ActionDone: {
            /** Format: uuid */
            id: string;
            /** @constant */
            changed: true;
            /** @enum {string} */
            status: "pending" | "open" | "ack" | "in_progress" | "resolved";
        };
        ActionRefused: {
            /** Format: uuid */
            id: string;
            /** @constant */
            changed: false;
            error_code: string;
            reason: string;
        };
        /** @enum {string} */
        ActorKind: "user" | "api_key" | "collector" | "rule" | "system" | "anonymous";
        ActorOut: {
            kind: components["schemas"]["ActorKind"];
            id: string | null;
        };
        /** @enum {string} */
        Age: "hour" | "day" | "week" | "older";
        /** @enum {string} */
        Algorithm: "hmac-sha256" | "ed25519";
        ApiKeyList: {
            api_keys: components["schemas"]["ApiKeyOut"][];
            next_cursor: string | null;
        };
        ApiKeyOut: {
            /** Format: uuid */
            id: string;
            name: string;
            user_id: string | null;
            /** @enum {string} */
            state: "active" | "revoked" | "expired" | "ended";
            key_start: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
        };
        AppliedAnswer: {
            /**
             * @default true
             * @constant
             */
            success: true;
            version: string;
            known: boolean;
        };
        AppliedBody: {
            version: string;
        };
        /** @enum {string} */
        Approval: "none" | "required" | "approved" | "rejected";
        /** @enum {string} */
        ApprovalCode: "HIGH_RISK" | "MANY_MACHINES" | "MUCH_POWER" | "MANY_MACHINES_IN_WINDOW" | "MUCH_POWER_IN_WINDOW" | "ASKED_FOR";
        ApprovalOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            site_id: number;
            /** Format: uuid */
            batch_id: string;
            command_id: string | null;
            /** @enum {string} */
            decision: "approved" | "rejected" | "pre_approved" | "emergency";
            by_kind: components["schemas"]["ActorKind"];
            by_id: string | null;
            /** Format: date-time */
            at: string;
            reason: string;
            commands: number;
        };
        ApprovalReasonOut: {
            code: components["schemas"]["ApprovalCode"];
            value: number | null;
            limit: number | null;
            window_min: number | null;
        };
        ApprovalSettings: {
            /** @default 20 */
            machines: number;
            /** @default 100 */
            power_kw: number;
            /** @default 60 */
            window_min: number;
            /** @default 24 */
            wait_hours: number;
            /** @default false */
            by_requester: boolean;
        };
        Assignee: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        AssigneeList: {
            assignees: components["schemas"]["Assignee"][];
        };
        Assignment: {
            assignee: string | null;
            comment?: string | null;
        };
        AttemptOut: {
            /** Format: uuid */
            dispatch_id: string;
            /** Format: uuid */
            tenant_id: string;
            site_id: number;
            /** Format: uuid */
            command_id: string;
            miner_no: number;
            n: number;
            /** Format: uuid */
            collector_id: string;
            device: string | null;
            held_by: string[];
            deliveries: number;
            /** Format: date-time */
            leased_at: string;
            /** Format: date-time */
            lease_until: string;
            result: ("succeeded" | "failed" | "rejected" | "skipped" | "running" | "lost" | "fenced") | null;
            acked_at: string | null;
            started_at: string | null;
            finished_at: string | null;
            execution_time_ms: number | null;
            error_code: string | null;
            error_message: string | null;
            snapshot_before: {
                [key: string]: unknown;
            } | null;
            snapshot_after: {
                [key: string]: unknown;
            } | null;
            payload: {
                [key: string]: unknown;
            } | null;
            late_count: number;
            late_acks: {
                [key: string]: unknown;
            }[] | null;
        };
        AuditEntryList: {
            entries: components["schemas"]["AuditEntryOut"][];
            next_cursor: string | null;
        };
        AuditEntryOut: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** Format: date-time */
            recorded_at: string;
            actor_kind: components["schemas"]["ActorKind"];
            actor_id: string | null;
            action: string;
            entity_type: string;
            entity_id: string | null;
            before: {
                [key: string]: unknown;
            } | null;
            after: {
                [key: string]: unknown;
            } | null;
            reason: string | null;
            request_id: string | null;
            address: string | null;
        };
        Baseline: {
            metrics: {
                [key: string]: components["schemas"]["MetricBaseline"];
            };
            /** @enum {string} */
            inferred_mode: "unknown" | "eco" | "normal" | "perf";
            mode_confidence: number | null;
            /** @enum {string} */
            thaw_reason: "none" | "timeout" | "acknowledged" | "repaired";
            updated_at: string | null;
            frozen_since: string | null;
            thawed_at: string | null;
            mode_changed_at: string | null;
        };
        BatchCounts: {
            machines: number;
            created: number;
            existing: number;
            refused: number;
        };
        BatchDecision: {
            /** Format: uuid */
            batch_id: string;
            commands: number;
            states: {
                [key: string]: number;
            };
        };
        BatchList: {
            batches: components["schemas"]["BatchOut"][];
            next_cursor: string | null;
        };
        BatchOut: {
            /** Format: uuid */
            batch_id: string;
            site_id: number;
            /** @enum {string} */
            command_type: "reboot_device" | "restart_mining" | "disable_hashing" | "enable_hashing" | "set_pool" | "set_frequency" | "set_fan" | "set_power_limit" | "set_power_mode" | "fault_light" | "update_config";
            params: {
                [key: string]: unknown;
            };
            priority: components["schemas"]["Priority"];
            created_by_kind: components["schemas"]["ActorKind"];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            reason: string;
            approval_state: components["schemas"]["Approval"];
            approval_reason: string | null;
            waits: boolean;
            counts: components["schemas"]["BatchCounts"];
        };
        BatchStory: {
            /** Format: uuid */
            batch_id: string;
            site_id: number;
            /** @enum {string} */
            command_type: "reboot_device" | "restart_mining" | "disable_hashing" | "enable_hashing" | "set_pool" | "set_frequency" | "set_fan" | "set_power_limit" | "set_power_mode" | "fault_light" | "update_config";
            params: {
                [key: string]: unknown;
            };
            priority: components["schemas"]["Priority"];
            created_by_kind: components["schemas"]["ActorKind"];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            reason: string;
            approval_state: components["schemas"]["Approval"];
            approval_reason: string | null;
            waits: boolean;
            counts: components["schemas"]["BatchCounts"];
            selection: components["schemas"]["Selection"];
            states: {
                [key: string]: number;
            };
            waiting_for_approval: number;
            refused: components["schemas"]["RefusalOut"][];
            approvals: components["schemas"]["ApprovalOut"][];
        };
        BlastRadiusOut: {
            down_now: number;
            cap: number;
            would_wait: number;
            exceeds_cap: boolean;
        };
        BucketPoint: {
            /** Format: date-time */
            ts: string;
            hashrate_ths: number | null;
            hashrate_min_ths: number | null;
            hashrate_max_ths: number | null;
            temp_c: number | null;
            temp_max_c: number | null;
            power_w: number | null;
            fan_rpm: number | null;
            efficiency_j_th: number | null;
            accepted_shares: number | null;
            rejected_shares: number | null;
            reject_rate: number | null;
            hardware_errors: number | null;
            online_ratio: number;
            samples: number;
        };
        Bulk: {
            act: components["schemas"]["ProblemAction"];
            ids: string[];
            comment?: string | null;
            assignee?: string | null;
            cause?: components["schemas"]["ResolutionCause"] | null;
            action?: string | null;
        };
        BulkResult: {
            results: (components["schemas"]["ActionDone"] | components["schemas"]["ActionRefused"])[];
            counts: components["schemas"]["ActionCounts"];
        };
        CallerGrant: {
            role: components["schemas"]["Role"];
            site_ids: number[] | null;
            zone_ids: number[] | null;
            group_ids: number[] | null;
            touches: number[] | null;
            may: components["schemas"]["Permission"][];
        };
        CallerOut: {
            /** Format: uuid */
            tenant_id: string;
            actor: components["schemas"]["ActorOut"];
            user: components["schemas"]["UserOut"] | null;
            grants: components["schemas"]["CallerGrant"][];
            may: components["schemas"]["Permission"][];
            must_enrol_totp: boolean;
            csrf_token: string | null;
        };
        Cancellation: {
            /** @default  */
            reason: string;
        };
        CatalogueOut: {
            types: components["schemas"]["CommandTypeOut"][];
            priorities: components["schemas"]["Priority"][];
            ttl_sec: components["schemas"]["TtlBounds"];
            machines: components["schemas"]["MachineBounds"];
        };
        CellColumns: {
            hashrate_ths: (number | null)[];
            expected_ths: (number | null)[];
            temp_max_c: (number | null)[];
            temp_other_c: (number | null)[];
            power_w: (number | null)[];
            efficiency_j_th: (number | null)[];
            age_sec: (number | null)[];
            miner_no: number[];
            miner_id: string[];
            position: (string | null)[];
            online: boolean[];
            boards_healthy: (number | null)[];
            boards_total: (number | null)[];
            stopped: number[];
        };
        CellNames: {
            zone: components["schemas"]["CodedWords"];
            rack: components["schemas"]["CodedWords"];
            model: components["schemas"]["CodedWords"];
            firmware: components["schemas"]["CodedWords"];
            data_state: components["schemas"]["CodedWords"];
            data_reason: components["schemas"]["CodedWords"];
            overall_health: components["schemas"]["CodedWords"];
            condition: components["schemas"]["CodedWords"];
            inferred_mode: components["schemas"]["CodedWords"];
            expected_state: components["schemas"]["CodedWords"];
        };
        CellsAnswer: {
            machines: number;
            columns: components["schemas"]["CellColumns"];
            named: components["schemas"]["CellNames"];
            _meta: components["schemas"]["CellsMeta"];
        };
        CellsMeta: {
            /** Format: date-time */
            as_of: string;
            bucket: string | null;
            /** @enum {string} */
            source: "live" | "telemetry_history_5min";
            site_id: number;
        };
        ChangeCollectorBody: {
            name?: string | null;
            zone_id?: number | string | null;
            permissions?: components["schemas"]["CollectorPermission"][] | null;
            collection_interval_sec?: number | null;
            heartbeat_interval_sec?: number | null;
            settings?: {
                [key: string]: unknown;
            } | null;
            notes?: string | null;
            registration_open_until?: string | null;
        };
        ChangeTenantBody: {
            name?: string | null;
            require_totp?: boolean | null;
        };
        ChangeUserBody: {
            name?: string | null;
            state?: ("active" | "disabled") | null;
        };
        CloudSign: {
            /** @enum {string} */
            alg: "hmac-sha256" | "ed25519";
            key_id: string;
            tenant_id: string;
            /** Format: date-time */
            not_before: string;
            nonce: string;
            signature: string;
        };
        CodeBody: {
            /** @default 24 */
            life_hours: number;
        };
        CodedWords: {
            words: string[];
            index: number[];
        };
        CollectorBrief: {
            /** Format: uuid */
            id: string;
            name: string;
            site_id: number;
            site_code: string;
            zone_id: number | null;
            status: components["schemas"]["Status"];
            last_seen_at: string | null;
            version: string | null;
            active_miners: number | null;
            total_miners: number | null;
        };
        CollectorDetails: {
            /** Format: uuid */
            id: string;
            name: string;
            site_id: number;
            site_code: string;
            zone_id: number | null;
            status: components["schemas"]["Status"];
            last_seen_at: string | null;
            version: string | null;
            active_miners: number | null;
            total_miners: number | null;
            config_version: string | null;
            config_applied_at: string | null;
            collection_interval_sec: number;
            heartbeat_interval_sec: number;
            offline_after_sec: number;
            permissions: components["schemas"]["CollectorPermission"][];
            signs_commands: boolean;
            settings: {
                [key: string]: unknown;
            };
            notes: string | null;
            last_address: string | null;
            last_device_id: string | null;
            registration_open_until: string | null;
            connection_count: number;
            last_heartbeat_at: string | null;
            reported_status: components["schemas"]["HeartbeatStatus"] | null;
            cpu_usage: number | null;
            memory_usage: number | null;
            disk_usage: number | null;
            uptime_sec: number | null;
            clock_skew_sec: number | null;
            /** Format: date-time */
            created_at: string;
            created_by: string | null;
            /** Format: date-time */
            updated_at: string;
            token: components["schemas"]["TokenDates"] | null;
        };
        CollectorErrorAnswer: {
            error_code: string;
            message: string;
            details: {
                [key: string]: unknown;
            };
            request_id: string | null;
            /** @constant */
            success: false;
        };
        CollectorList: {
            collectors: (components["schemas"]["CollectorOut"] | components["schemas"]["CollectorBrief"])[];
            next_cursor: string | null;
        };
        CollectorOut: {
            /** Format: uuid */
            id: string;
            name: string;
            site_id: number;
            site_code: string;
            zone_id: number | null;
            status: components["schemas"]["Status"];
            last_seen_at: string | null;
            version: string | null;
            active_miners: number | null;
            total_miners: number | null;
            config_version: string | null;
            config_applied_at: string | null;
            collection_interval_sec: number;
            heartbeat_interval_sec: number;
            offline_after_sec: number;
            permissions: components["schemas"]["CollectorPermission"][];
            signs_commands: boolean;
            settings: {
                [key: string]: unknown;
            };
            notes: string | null;
            last_address: string | null;
            last_device_id: string | null;
            registration_open_until: string | null;
            connection_count: number;
            last_heartbeat_at: string | null;
            reported_status: components["schemas"]["HeartbeatStatus"] | null;
            cpu_usage: number | null;
            memory_usage: number | null;
            disk_usage: number | null;
            uptime_sec: number | null;
            clock_skew_sec: number | null;
            /** Format: date-time */
            created_at: string;
            created_by: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        /** @enum {string} */
        CollectorPermission: "read" | "control" | "config";
        CollectorState: {
            /** @constant */
            success: true;
            collector_id: string;
            status: components["schemas"]["Status"];
            site_id: string;
            token?: string;
            /** Format: date-time */
            token_expires_at?: string;
        };
        CommandCounts: {
            dispatched: number;
            succeeded: number;
            failed: number;
            expired: number;
            canceled: number;
            superseded: number;
            mean_execution_sec: number | null;
        };
        CommandList: {
            commands: components["schemas"]["CommandOut"][];
            next_cursor: string | null;
        };
        CommandOut: {
            /** Format: uuid */
            command_id: string;
            /** Format: uuid */
            tenant_id: string;
            site_id: number;
            zone_id: number | null;
            miner_no: number;
            miner_id: string;
            /** Format: uuid */
            batch_id: string;
            /** @enum {string} */
            command_type: "reboot_device" | "restart_mining" | "disable_hashing" | "enable_hashing" | "set_pool" | "set_frequency" | "set_fan" | "set_power_limit" | "set_power_mode" | "fault_light" | "update_config";
            is_control: boolean;
            params: {
                [key: string]: unknown;
            };
            priority: components["schemas"]["Priority"];
            priority_number: number;
            urgency: number;
            emergency: boolean;
            ttl_sec: number;
            expires_at: string | null;
            dedupe_key: string | null;
            approval_state: components["schemas"]["Approval"];
            approval_until: string | null;
            created_by_kind: components["schemas"]["ActorKind"];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            created_reason: string;
            rule_id: string | null;
            rule_version: number | null;
            problem_id: string | null;
            state: components["schemas"]["State"];
            moves: number;
            attempt: number;
            max_retries: number;
            retry_backoff_sec: number;
            /** Format: date-time */
            next_attempt_at: string;
            dispatch_id: string | null;
            lease_owner: string | null;
            lease_device: string | null;
            lease_until: string | null;
            dispatched_at: string | null;
            started_at: string | null;
            finished_at: string | null;
            cancel_requested_at: string | null;
            error_code: string | null;
            error_message: string | null;
            superseded_by: string | null;
            verification: ("pending" | "verified" | "unverified" | "unverifiable") | null;
            over_cap: components["schemas"]["OverCap"] | null;
            /** Format: date-time */
            updated_at: string;
            wait_reason: components["schemas"]["WaitReason"] | null;
        };
        CommandStory: {
            /** Format: uuid */
            command_id: string;
            /** Format: uuid */
            tenant_id: string;
            site_id: number;
            zone_id: number | null;
            miner_no: number;
            miner_id: string;
            /** Format: uuid */
            batch_id: string;
            /** @enum {string} */
            command_type: "reboot_device" | "restart_mining" | "disable_hashing" | "enable_hashing" | "set_pool" | "set_frequency" | "set_fan" | "set_power_limit" | "set_power_mode" | "fault_light" | "update_config";
            is_control: boolean;
            params: {
                [key: string]: unknown;
            };
            priority: components["schemas"]["Priority"];
            priority_number: number;
            urgency: number;
            emergency: boolean;
            ttl_sec: number;
            expires_at: string | null;
            dedupe_key: string | null;
            approval_state: components["schemas"]["Approval"];
            approval_until: string | null;
            created_by_kind: components["schemas"]["ActorKind"];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            created_reason: string;
            rule_id: string | null;
            rule_version: number | null;
            problem_id: string | null;
            state: components["schemas"]["State"];
            moves: number;
            attempt: number;
            max_retries: number;
            retry_backoff_sec: number;
            /** Format: date-time */
            next_attempt_at: string;
            dispatch_id: string | null;
            lease_owner: string | null;
            lease_device: string | null;
            lease_until: string | null;
            dispatched_at: string | null;
            started_at: string | null;
            finished_at: string | null;
            cancel_requested_at: string | null;
            error_code: string | null;
            error_message: string | null;
            superseded_by: string | null;
            verification: ("pending" | "verified" | "unverified" | "unverifiable") | null;
            over_cap: components["schemas"]["OverCap"] | null;
            /** Format: date-time */
            updated_at: string;
            wait_reason: components["schemas"]["WaitReason"] | null;
            evidence: {
                [key: string]: unknown;
            } | null;
            ack_payload: {
                [key: string]: unknown;
            } | null;
            attempts: components["schemas"]["AttemptOut"][];
            history: components["schemas"]["MoveOut"][];
            approvals: components["schemas"]["ApprovalOut"][];
            audit: components["schemas"]["AuditEntryOut"][] | null;
        };
        CommandTypeOut: {
            /** @enum {string} */
            command_type: "reboot_device" | "restart_mining" | "disable_hashing" | "enable_hashing" | "set_pool" | "set_frequency" | "set_fan" | "set_power_limit" | "set_power_mode" | "fault_light" | "update_config";
            /** @enum {string} */
            wire_verb: "reboot" | "restart" | "disable" | "enable" | "set_pool" | "set_frequency" | "set_fan" | "set_power_limit" | "set_power_mode" | "fault_light" | "update_config";
            risk: components["schemas"]["Risk"];
            effect: components["schemas"]["Effect"];
            down: components["schemas"]["Downtime"];
            is_control: boolean;
            params: components["schemas"]["ParamSchema"];
            secret_params: string[];
            opposes: string[];
            undone_by: string | null;
            older_names: string[];
        };
        Comment: {
            comment: string;
        };
        ConditionCounts: {
            P0: number;
            P1: number;
            P2: number;
            P3: number;
            down: number;
            stopped: number;
            unknown: number;
            fine: number;
        };
        ConfigAnswer: {
            /**
             * @default true
             * @constant
             */
            success: true;
            version: string | null;
            config: {
                [key: string]: unknown;
            };
            in_step: boolean;
        };
        ConfigList: {
            configs: components["schemas"]["ConfigOut"][];
            next_cursor: string | null;
        };
        ConfigOut: {
            /** Format: uuid */
            id: string;
            version: string;
            data: {
                [key: string]: unknown;
            };
            collector_ids: string[] | null;
            status: components["schemas"]["ConfigStatus"];
            is_default: boolean;
            change_summary: string;
            /** Format: date-time */
            created_at: string;
            created_by: string | null;
            activated_at: string | null;
            activated_by: string | null;
            deprecated_at: string | null;
            deprecated_by: string | null;
        };
        /** @enum {string} */
        ConfigStatus: "draft" | "active" | "deprecated";
        CookieRefreshed: {
            expires_in: number;
        };
        CookieSession: {
            expires_in: number;
            csrf_token: string;
        };
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            user_id: string | null;
            /** @enum {string} */
            state: "active" | "revoked" | "expired" | "ended";
            key_start: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
            key: string;
        };
        CreatedCommandOut: {
            /** Format: uuid */
            command_id: string;
            miner_id: string;
            state: components["schemas"]["State"];
            approval_state: components["schemas"]["Approval"];
            existing: boolean;
        };
        CreatedSuppressions: {
            suppressions: components["schemas"]["Suppression"][];
        };
        /** @enum {string} */
        Credential: "token" | "enrolment_code" | "nothing";
        CurrentPasswordBody: {
            /** Format: password */
            password: string;
        };
        DayPoint: {
            /** Format: date-time */
            ts: string;
            hashrate_ths: number | null;
            hashrate_min_ths: number | null;
            hashrate_max_ths: number | null;
            temp_c: number | null;
            temp_max_c: number | null;
            power_w: number | null;
            fan_rpm: number | null;
            efficiency_j_th: number | null;
            accepted_shares: number | null;
            rejected_shares: number | null;
            reject_rate: number | null;
            hardware_errors: number | null;
            online_ratio: number;
            samples: number;
            total_power_kwh: number | null;
            uptime_hours: number;
        };
        Decision: {
            reason: string;
        };
        DiagnosedIssue: {
            /** @enum {string} */
            issue_code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
            /** @enum {string} */
            severity: "P0" | "P1" | "P2" | "P3";
            recommended_actions: string[];
            confidence: number | null;
        };
        Diagnosis: {
            /** @enum {string} */
            health_state: "P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "ok";
            issues: components["schemas"]["DiagnosedIssue"][];
            hypotheses: components["schemas"]["Hypothesis"][];
            p_fail_24h: number | null;
            /** Format: date-time */
            assessed_at: string;
        };
        Dispatched: {
            /** @enum {string} */
            kind: "notice" | "ticket" | "command";
            action: string;
            /** Format: date-time */
            at: string;
            reason: string;
        };
        /** @enum {string} */
        Downtime: "no" | "until hashing" | "until back" | "until enabled";
        DryRunCounts: {
            excluded: number;
            supersedes: number;
        };
        DryRunOut: {
            machines: number;
            kw: number;
            ths: number;
            share_of_site: number;
            unknown_power: number;
            unknown_ths: number;
            excluded: components["schemas"]["RefusalOut"][];
            counts: components["schemas"]["DryRunCounts"];
            blast_radius: components["schemas"]["BlastRadiusOut"] | null;
            needs_approval: boolean;
            approval_reasons: string[];
            approval_causes: components["schemas"]["ApprovalReasonOut"][];
        };
        /** @enum {string} */
        Effect: "stops" | "resumes" | "restarts" | "adjusts" | "nothing";
        EndMaintenance: {
            site_id?: string | number | null;
            miner_ids?: string[] | null;
            filter?: components["schemas"]["MinerFilter"] | null;
            reason: string;
        };
        ErrorAnswer: {
            error_code: string;
            message: string;
            details: {
                [key: string]: unknown;
            };
            request_id: string | null;
        };
        /** @enum {string} */
        Event: "created" | "approved" | "rejected" | "extended" | "leased" | "started" | "succeeded" | "failed" | "retried" | "lease_lost" | "cancel_requested" | "canceled" | "superseded" | "expired";
        EventBody: {
            kind: string;
            severity?: components["schemas"]["Severity"] | null;
            /** @default  */
            title: string;
            /** @default  */
            message: string;
            details?: {
                [key: string]: unknown;
            } | null;
            miner_id?: string | null;
            command_id?: string | null;
            occurred_at?: string | null;
            event_id?: string | null;
        };
        EventFault: {
            index: number;
            error_code: string;
            reason: string;
        };
        EventList: {
            events: components["schemas"]["EventOut"][];
            next_cursor: string | null;
        };
        EventOut: {
            /** Format: uuid */
            id: string;
            site_id: number;
            zone_id: number | null;
            /** Format: uuid */
            collector_id: string;
            /** Format: date-time */
            at: string;
            occurred_at: string | null;
            source: components["schemas"]["Source"];
            kind: string;
            severity: components["schemas"]["Severity"];
            title: string;
            message: string;
            details: {
                [key: string]: unknown;
            } | null;
            miner_id: string | null;
            command_id: string | null;
            status: components["schemas"]["EventStatus"];
            acknowledged_at: string | null;
            acknowledged_by: string | null;
            resolved_at: string | null;
            resolved_by: string | null;
        };
        /** @enum {string} */
        EventStatus: "open" | "acknowledged" | "resolved";
        EventsAnswer: {
            /**
             * @default true
             * @constant
             */
            success: true;
            stored: number;
            duplicates: number;
            rejected: number;
            errors: components["schemas"]["EventFault"][];
        };
        EventsBody: {
            events: components["schemas"]["EventBody"][];
        };
        EvidenceBaseline: {
            metric: string;
            value?: number | null;
            expected?: number | null;
            residual?: number | null;
            sigma?: number | null;
            z?: number | null;
        } & {
            [key: string]: unknown;
        };
        ExpectedPoint: {
            hashrate_ratio: number | null;
            efficiency: number | null;
            temp_max: number | null;
        };
        ExpectedStateOut: {
            /** @enum {string} */
            state: "curtailed" | "stopped" | "rebooting" | "maintenance";
            /** Format: date-time */
            from_at: string;
            until_at: string | null;
            cause: string;
        };
        FacetCount: {
            value: string;
            problems: number;
        };
        Facets: {
            severity: components["schemas"]["FacetCount"][];
            issue_code: components["schemas"]["FacetCount"][];
            status: components["schemas"]["FacetCount"][];
            site: components["schemas"]["SiteFacetCount"][];
            zone: components["schemas"]["FacetCount"][];
            model: components["schemas"]["FacetCount"][];
            firmware: components["schemas"]["FacetCount"][];
            age: components["schemas"]["FacetCount"][];
        };
        FailureRisk: {
            p_fail_24h: number | null;
            risk_level?: string | null;
            top_features: components["schemas"]["TopFeature"][];
            model_version?: string;
            /** Format: date-time */
            at?: string;
        };
        FeaturePoint: {
            /** Format: date-time */
            ts: string;
            /** @enum {string} */
            data_state: "unknown" | "stale" | "offline" | "fresh";
            /** @enum {string} */
            inferred_mode: "unknown" | "eco" | "normal" | "perf";
            hashrate_ratio: number | null;
            temp_max: number | null;
            efficiency: number | null;
            boards_ratio: number | null;
            fan_speed_min: number | null;
            reject_rate: number | null;
            hw_error_rate: number | null;
            trend_slope: number | null;
            volatility: number | null;
            temp_spread: number | null;
            temp_load: number | null;
            board_share_min: number | null;
            expected: components["schemas"]["ExpectedPoint"];
        };
        Filter: {
            model?: string | null;
            firmware?: string | null;
            zone?: string | null;
            rack?: string | null;
            owner?: string | null;
            group_id?: number | null;
            text?: string | null;
            issue_code?: string | null;
            online?: boolean | null;
        };
        /** @enum {string} */
        FindingKind: "changed" | "removed" | "inserted" | "backdated" | "seal_changed" | "seal_removed" | "not_signed" | "cut" | "rewritten" | "unsealed" | "unguarded" | "not_an_anchor";
        FindingOut: {
            kind: components["schemas"]["FindingKind"];
            seal: number | null;
            entry_id: string | null;
            message: string;
        };
        FleetEfficiency: {
            efficiency_j_th: number | null;
            efficiency_left_out: number;
        };
        GrantList: {
            grants: components["schemas"]["GrantOut"][];
            next_cursor: string | null;
        };
        GrantOut: {
            /** Format: uuid */
            id: string;
            user_id: string | null;
            api_key_id: string | null;
            role: components["schemas"]["Role"];
            site_ids: number[] | null;
            zone_ids: number[] | null;
            group_ids: number[] | null;
            /** Format: date-time */
            created_at: string;
        };
        GroupChange: {
            name?: string | null;
            filter?: components["schemas"]["MinerFilter"] | null;
            site_id?: string | number | null;
            add?: string[] | null;
            remove?: string[] | null;
        };
        GroupFilter: {
            site_id?: number;
            model?: string;
            firmware?: string;
            zone?: string;
            rack?: string;
            owner?: string;
            group_id?: number;
            /** @enum {string} */
            state?: "in_service" | "retired" | "any";
            text?: string;
        };
        GroupList: {
            groups: components["schemas"]["GroupOut"][];
            next_cursor: string | null;
        };
        GroupOut: {
            id: number;
            name: string;
            /** @enum {string} */
            kind: "listed" | "filter";
            filter: components["schemas"]["GroupFilter"] | null;
            members: number;
            /** Format: date-time */
            created_at: string;
            refreshed_at: string | null;
            to_join: number | null;
            to_leave: number | null;
        };
        HeartbeatAnswer: {
            /**
             * @default true
             * @constant
             */
            success: true;
            /** Format: date-time */
            server_time: string;
            clock_skew_sec: number | null;
            config_version: string | null;
            commands_allowed: boolean;
        };
        HeartbeatBody: {
            /** @default online */
            status: components["schemas"]["HeartbeatStatus"];
            cpu_usage?: number | null;
            memory_usage?: number | null;
            disk_usage?: number | null;
            uptime?: number | null;
            version?: string | null;
            miners_online?: number | null;
            miners_total?: number | null;
            errors_count?: number | null;
            spool_depth?: number | null;
            spool_oldest_at?: string | null;
            sent_at?: string | null;
            extra_data?: {
                [key: string]: unknown;
            } | null;
        };
        HeartbeatList: {
            heartbeats: components["schemas"]["HeartbeatOut"][];
            next_cursor: string | null;
        };
        HeartbeatOut: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            device_id: string | null;
            status: components["schemas"]["HeartbeatStatus"];
            cpu_usage: number | null;
            memory_usage: number | null;
            disk_usage: number | null;
            uptime_sec: number | null;
            version: string | null;
            miners_online: number | null;
            miners_total: number | null;
            errors_count: number | null;
            spool_depth: number | null;
            spool_oldest_at: string | null;
            clock_skew_sec: number | null;
            extra_data: {
                [key: string]: unknown;
            } | null;
        };
        /** @enum {string} */
        HeartbeatStatus: "online" | "degraded" | "error";
        HistoryAnswer: {
            series: components["schemas"]["HistorySeries"][];
            next_cursor: string | null;
            _meta: components["schemas"]["HistoryMeta"];
        };
        HistoryMeta: {
            /** @enum {string} */
            source: "telemetry_raw_24h" | "telemetry_history_5min" | "telemetry_hourly" | "telemetry_daily";
            /** @enum {string} */
            resolution: "raw" | "5min" | "hourly" | "daily";
            site_id: number;
            /** Format: date-time */
            start: string;
            /** Format: date-time */
            end: string;
            /** Format: date-time */
            as_of: string;
            points: number;
            most_points: number;
        };
        HistorySeries: {
            miner_id: string;
            data: components["schemas"]["RawPoint"][] | components["schemas"]["DayPoint"][] | components["schemas"]["BucketPoint"][];
        };
        Hypothesis: {
            hypothesis_id: string;
            risk_level: string | null;
            confidence: number | null;
            evidence: components["schemas"]["HypothesisEvidence"][];
            recommended_actions: string[];
            ml_context: components["schemas"]["FailureRisk"] | null;
        };
        HypothesisEvidence: {
            metric: string;
            value: number | null;
            group_median: number | null;
            robust_z: number | null;
        };
        ImportReport: {
            created: number;
            changed: number;
            unchanged: number;
            refused: number;
            zones_created: number;
            racks_created: number;
            lines: components["schemas"]["RefusedLine"][];
        };
        IncidentCount: {
            /** Format: uuid */
            incident_id: string;
            problems: number;
        };
        LastReported: {
            /** Format: date-time */
            at: string;
            hashrate_ths: number | null;
            power_w: number | null;
            efficiency_j_th: number | null;
        };
        LegacyPollAnswer: {
            commands: components["schemas"]["WireCommand"][];
            /** @constant */
            success: true;
        };
        Lift: {
            reason?: string | null;
        };
        LimitColumns: {
            miner_no: number[];
            limit: number[];
        };
        LiveAnswer: {
            miners: components["schemas"]["LiveMachine"][];
            next_cursor: string | null;
            _meta: components["schemas"]["LiveMeta"];
        };
        LiveEfficiency: {
            value: number | null;
            /** @constant */
            unit: "J/TH";
        };
        LiveFan: {
            avg: number | null;
            min: number | null;
            /** @constant */
            unit: "rpm";
            sensor_fault: boolean | null;
        };
        LiveHardware: {
            model: string | null;
            firmware: string | null;
            boards_healthy: number | null;
            boards_total: number | null;
        };
        LiveHashrate: {
            value: number | null;
            expected_ths: number | null;
            /** @constant */
            unit: "TH/s";
            /** @enum {string} */
            source: "5min_avg" | "newest";
            expected_source: ("operator" | "reported" | "catalogue" | "baseline" | "inferred" | "mode" | "expected_state") | null;
            newest_ths: number | null;
            rated_ths: number | null;
            rated_source: ("operator" | "reported" | "catalogue" | "baseline" | "inferred") | null;
            reference_ths: number | null;
            stopped_ths: number | null;
        };
        LiveMachine: {
            site_id: number;
            miner_id: string;
            zone: string | null;
            rack: string | null;
            hardware: components["schemas"]["LiveHardware"];
            hashrate: components["schemas"]["LiveHashrate"];
            last_reported: components["schemas"]["LastReported"] | null;
            temperature: components["schemas"]["LiveTemperature"];
            power: components["schemas"]["LivePower"];
            efficiency: components["schemas"]["LiveEfficiency"];
            fan: components["schemas"]["LiveFan"];
            reject: components["schemas"]["LiveShares"];
            hardware_errors: number | null;
            uptime_seconds: number | null;
            pool: components["schemas"]["LivePool"];
            error_message: string | null;
            /** @enum {string} */
            overall_health: "P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "ok";
            /** @enum {string} */
            condition: "P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "fine";
            mode: ("unknown" | "eco" | "normal" | "perf") | null;
            expected_state: ("curtailed" | "stopped" | "rebooting" | "maintenance") | null;
            online: boolean;
            status: ("online" | "offline" | "error") | null;
            last_seen: string | null;
            sample_at: string | null;
            age_sec: number | null;
            /** @enum {string} */
            state: "fresh" | "stale" | "offline" | "unknown";
            /** @enum {string} */
            state_reason: "in_time" | "late" | "says_offline" | "no_samples" | "collector_silent" | "never_seen";
            doubts: ("hashrate_units_mended" | "hashrate_implausible" | "hashrate_doubtful" | "power_unknown" | "temperature_unknown" | "temperature_doubtful")[];
            /** @enum {string} */
            source: "live" | "right_now";
        };
        LiveMeta: {
            /** @enum {string} */
            source: "live" | "right_now";
            updated_at: string | null;
            /** Format: date-time */
            as_of: string;
            /** @enum {string} */
            right_now: "not_asked" | "used" | "unavailable";
            stale_after_sec: number;
            offline_after_sec: number;
        };
        LivePool: {
            url: string | null;
            worker: string | null;
            status: string | null;
            latency_ms: number | null;
        };
        LivePower: {
            value: number | null;
            /** @constant */
            unit: "W";
        };
        LiveShares: {
            rate: number | null;
            accepted: number | null;
            rejected: number | null;
        };
        LiveTemperature: {
            avg: number | null;
            max: number | null;
            /** @constant */
            unit: "C";
            sensor_fault: boolean | null;
        };
        Liveness: {
            /**
             * @default ok
             * @constant
             */
            status: "ok";
            /** @default 0.1.0 */
            version: string;
        };
        LoginBody: {
            email: string;
            /** Format: password */
            password: string;
            totp_code?: string | null;
            /** @default false */
            cookie: boolean;
        };
        Machine: {
            miner_no: number;
            miner_id: string;
            site_id: number;
            model: string | null;
            firmware: string | null;
            serial: string | null;
            owner: string | null;
            position: string | null;
            /** @enum {string} */
            state: "in_service" | "retired";
            zone: string | null;
            rack: string | null;
            overall_health: ("P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "ok") | null;
            condition: ("P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "fine") | null;
            online: boolean | null;
            expected_state: ("curtailed" | "stopped" | "rebooting" | "maintenance") | null;
            sample_at: string | null;
            last_seen_at: string | null;
            rated_ths: number | null;
            rated_source: ("operator" | "reported" | "catalogue" | "baseline" | "inferred") | null;
            reference_ths: number | null;
            expected_ths: number | null;
            expected_source: ("operator" | "reported" | "catalogue" | "baseline" | "inferred" | "mode" | "expected_state") | null;
            stopped_ths: number | null;
        };
        MachineBounds: {
            most: number;
        };
        MachineCount: {
            machines: number;
        };
        MachineHealth: {
            site_id: number;
            miner_id: string;
            /** @enum {string} */
            health_state: "P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "ok";
            /** @enum {string} */
            condition: "P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "fine";
            expected_state: ("curtailed" | "stopped" | "rebooting" | "maintenance") | null;
            issues: components["schemas"]["MachineIssue"][];
            hypotheses: components["schemas"]["Hypothesis"][];
            p_fail_24h: number | null;
            last_seen_ts: string | null;
            assessed_at: string | null;
            baseline: components["schemas"]["Baseline"] | null;
            suppressions: components["schemas"]["Suppression"][];
            suppressed_detections: components["schemas"]["SuppressedDetection"][];
        };
        MachineIssue: {
            /** Format: uuid */
            problem_id: string;
            /** @enum {string} */
            issue_code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
            /** @enum {string} */
            severity: "P0" | "P1" | "P2" | "P3";
            /** @enum {string} */
            status: "pending" | "open" | "ack" | "in_progress" | "resolved";
            /** Format: date-time */
            start_ts: string;
            evidence: ({
                /** @enum {string} */
                rule_code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
                description?: string;
                /** Format: date-time */
                evaluated_at?: string;
                way?: string;
                ways?: string[];
                metric?: string;
                threshold?: number | null;
                side?: ("above" | "below") | null;
                /** @enum {string} */
                measured?: "now" | "half_hour_mean";
                held?: boolean;
                baseline?: components["schemas"]["EvidenceBaseline"];
                /** @enum {string} */
                sensor?: "chip" | "board";
                /** @enum {string} */
                limit_source?: "machine" | "catalogue" | "settings" | "assumed";
                robust_z?: {
                    [key: string]: number | null;
                };
                robust_z_threshold?: number;
                peers?: {
                    [key: string]: components["schemas"]["PeerPosition"] | null;
                };
                expected_ths?: number | null;
                /** @enum {string} */
                expectation?: "none" | "given" | "kind" | "own_past";
                left_out?: string[];
            } & {
                [key: string]: unknown;
            })[];
            recommended_actions: string[];
            confidence: number | null;
        };
        MachinePeers: {
            site_id: number;
            miner_id: string;
            assessed_at: string | null;
            expected_state: ("curtailed" | "stopped" | "rebooting" | "maintenance") | null;
            peers: {
                [key: string]: components["schemas"]["PeerComparison"] | null;
            } | null;
        };
        MaintenanceList: {
            maintenance: components["schemas"]["MaintenanceOut"][];
            more: boolean;
        };
        MaintenanceOut: {
            /** @enum {string} */
            kind: "miner" | "zone" | "group" | "site";
            miner_id: string | null;
            zone: string | null;
            group: string | null;
            site: string;
            /** Format: date-time */
            from_at: string;
            until_at: string | null;
            cause: string;
            suppression_id: string | null;
        };
        MetricBaseline: {
            expected: number | null;
            sigma: number | null;
            samples: number;
            is_known: boolean;
            last_value: number | null;
            last_residual: number | null;
            anchor: number | null;
        };
        MinerChangeList: {
            miner_no: number;
            changes: components["schemas"]["MinerChangeOut"][];
            next_cursor: string | null;
        };
        MinerChangeOut: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            field: string;
            old: string | null;
            new: string | null;
            /** @enum {string} */
            cause: "operator" | "import" | "telemetry";
        };
        MinerDetail: {
            miner: components["schemas"]["MinerOut"];
            expected: components["schemas"]["ExpectedStateOut"] | null;
        };
        MinerFilter: {
            site_id?: string | number | null;
            model?: string | null;
            firmware?: string | null;
            zone?: string | null;
            rack?: string | null;
            owner?: string | null;
            group_id?: number | null;
            /**
             * @default in_service
             * @enum {string}
             */
            state: "in_service" | "retired" | "any";
            text?: string | null;
        };
        MinerList: {
            miners: components["schemas"]["MinerOut"][];
            next_cursor: string | null;
        };
        MinerOut: {
            miner_no: number;
            miner_id: string;
            site_id: number;
            site: string;
            serial: string | null;
            mac: string | null;
            model: string | null;
            firmware: string | null;
            /** @enum {string} */
            cooling: "air" | "hydro" | "immersion";
            zone: string | null;
            rack: string | null;
            position: string | null;
            power_node_id: number | null;
            network_node_id: number | null;
            owner: string | null;
            expected_ths: number | null;
            expected_source: ("operator" | "reported" | "catalogue" | "baseline") | null;
            /** @enum {string} */
            state: "in_service" | "retired";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        MinerProblems: {
            miner_id: string;
            problems: components["schemas"]["Problem"][];
            total: number;
        };
        MinerSuppressed: {
            success: boolean;
            miner_id: string;
            message: string;
            until: string | null;
            maintenance: boolean;
            reason: string;
        };
        MinerUnsuppressed: {
            success: boolean;
            miner_id: string;
            message: string;
            lifted: number;
            still_by: ("miner" | "zone" | "group" | "site")[];
        };
        MinerUpdate: {
            serial?: string | null;
            mac?: string | null;
            model?: string | null;
            firmware?: string | null;
            zone?: string | null;
            rack?: string | null;
            position?: string | null;
            power_node_id?: number | null;
            network_node_id?: number | null;
            owner?: string | null;
            expected_ths?: number | null;
            site_id?: string | number | null;
            miner_id?: string;
            /** @enum {string} */
            cooling?: "air" | "hydro" | "immersion";
            /** @enum {string} */
            state?: "in_service" | "retired";
        };
        MoveOut: {
            /** Format: uuid */
            command_id: string;
            n: number;
            /** Format: uuid */
            tenant_id: string;
            site_id: number;
            /** Format: date-time */
            at: string;
            event: components["schemas"]["Event"];
            old_state: components["schemas"]["State"] | null;
            new_state: components["schemas"]["State"];
            actor_kind: components["schemas"]["ActorKind"];
            actor_id: string | null;
            message: string | null;
            details: {
                [key: string]: unknown;
            } | null;
            execution_time_ms: number | null;
            /** Format: date-time */
            recorded_at: string;
        };
        NewCollectorBody: {
            site_id: string;
            name: string;
            zone_id?: number | string | null;
            /** @default token */
            credential: components["schemas"]["Credential"];
            permissions?: components["schemas"]["CollectorPermission"][];
            /** @default 60 */
            collection_interval_sec: number;
            /** @default 30 */
            heartbeat_interval_sec: number;
            settings?: {
                [key: string]: unknown;
            };
            notes?: string | null;
        };
        NewCollectorOut: {
            collector: components["schemas"]["CollectorOut"];
            token?: string;
            enrolment_code?: string;
            /** Format: date-time */
            expires_at?: string;
        };
        NewCommands: {
            site_id?: string | number | null;
            miner_ids?: string[] | null;
            group_id?: number | null;
            filter?: components["schemas"]["Filter"] | null;
            command_type: string;
            params?: {
                [key: string]: unknown;
            } | null;
            /**
             * @default efficiency
             * @enum {string}
             */
            priority: "convenience" | "efficiency" | "compliance" | "safety";
            /** @default 5 */
            priority_number: number;
            /** @default 900 */
            ttl_sec: number;
            /** @default 3 */
            max_retries: number;
            /** @default 15 */
            retry_backoff_sec: number;
            /** @default  */
            reason: string;
            problem_id?: string | null;
            evidence?: {
                [key: string]: unknown;
            } | null;
            /** @default false */
            emergency: boolean;
            /** @default false */
            approval_required: boolean;
            dedupe_key?: string | null;
            dedupe_window_sec?: number | null;
            /** @default false */
            dry_run: boolean;
        };
        NewConfigBody: {
            version: string;
            data: {
                [key: string]: unknown;
            };
            collector_ids?: string[] | null;
            /** @default false */
            is_default: boolean;
            /** @default  */
            change_summary: string;
        };
        NewEnrolmentCode: {
            enrolment_code: string;
            /** Format: date-time */
            expires_at: string;
        };
        NewGrantBody: {
            site_ids?: number[] | null;
            zone_ids?: number[] | null;
            group_ids?: number[] | null;
            /** @default false */
            whole_tenant: boolean;
            /** Format: uuid */
            user_id: string;
            role: components["schemas"]["Role"];
        };
        NewGroup: {
            name: string;
            filter?: components["schemas"]["MinerFilter"] | null;
            site_id?: string | number | null;
            miner_ids?: string[] | null;
        };
        NewKeyBody: {
            site_ids?: number[] | null;
            zone_ids?: number[] | null;
            group_ids?: number[] | null;
            /** @default false */
            whole_tenant: boolean;
            name: string;
            role: components["schemas"]["Role"];
            expires_at?: string | null;
        };
        NewMiner: {
            serial?: string | null;
            mac?: string | null;
            model?: string | null;
            firmware?: string | null;
            zone?: string | null;
            rack?: string | null;
            position?: string | null;
            power_node_id?: number | null;
            network_node_id?: number | null;
            owner?: string | null;
            expected_ths?: number | null;
            site_id: string | number;
            miner_id: string;
            cooling?: ("air" | "hydro" | "immersion") | null;
        };
        NewNode: {
            site_id: string | number;
            /** @enum {string} */
            kind: "transformer" | "breaker" | "pdu" | "router" | "switch";
            code: string;
            parent_id?: number | null;
        };
        NewPasswordBody: {
            /** Format: password */
            new_password: string;
        };
        NewPayloadKeyOut: {
            payload_key: string | null;
            /** Format: date-time */
            old_keys_until: string;
        };
        NewRack: {
            site_id: string | number;
            zone?: string | null;
            code: string;
        };
        NewSigningKeyOut: {
            key_id: string;
            algorithm: components["schemas"]["Algorithm"];
            public_key: string | null;
            secret: string | null;
            /** Format: date-time */
            signs_from: string;
        };
        NewSite: {
            code: string;
            name: string;
            /** @default UTC */
            timezone: string;
        };
        NewSuppression: {
            /** @enum {string} */
            kind: "miner" | "zone" | "group" | "site";
            site_id?: string | number | null;
            miner_id?: string | null;
            zone?: string | null;
            group_id?: number | null;
            from?: string | null;
            until?: string | null;
            /** @default false */
            maintenance: boolean;
            reason: string;
        };
        NewToken: {
            token: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            old_tokens_until: string;
        };
        NewUserBody: {
            site_ids?: number[] | null;
            zone_ids?: number[] | null;
            group_ids?: number[] | null;
            /** @default false */
            whole_tenant: boolean;
            email: string;
            /** @default  */
            name: string;
            /** Format: password */
            password: string;
            role: components["schemas"]["Role"];
        };
        NewZone: {
            site_id: string | number;
            code: string;
            name?: string | null;
        };
        NodeList: {
            nodes: components["schemas"]["NodeOut"][];
            next_cursor: string | null;
        };
        NodeOut: {
            id: number;
            site_id: number;
            /** @enum {string} */
            kind: "transformer" | "breaker" | "pdu" | "router" | "switch";
            code: string;
            parent_id: number | null;
        };
        OpenAlerts: {
            info: number;
            warning: number;
            error: number;
            critical: number;
        };
        OverCap: {
            down: number;
            cap: number;
            site_machines: number;
        };
        Pagination: {
            page: number;
            per_page: number;
            total: number;
            pages: number;
        };
        ParamProperty: {
            /** @enum {string} */
            type?: "string" | "integer" | "number" | "boolean" | "object" | "null";
            enum?: string[];
            minimum?: number;
            maximum?: number;
            /** @enum {string} */
            unit?: "s" | "MHz" | "%" | "W";
            anyOf?: components["schemas"]["ParamProperty"][];
            /** Properties */
            properties?: {
                [key: string]: components["schemas"]["ParamProperty"];
            };
        } & {
            [key: string]: unknown;
        };
        ParamSchema: {
            /** Properties */
            properties: {
                [key: string]: components["schemas"]["ParamProperty"];
            };
            required: string[];
            anyOf: components["schemas"]["RequiredParams"][];
        };
        Part: {
            /** @enum {string} */
            state: "ok" | "degraded" | "down";
            /** @default  */
            message: string;
        };
        PasswordBody: {
            /** Format: password */
            old_password: string;
            /** Format: password */
            new_password: string;
        };
        PastCellColumns: {
            hashrate_ths: (number | null)[];
            expected_ths: (number | null)[];
            temp_max_c: (number | null)[];
            power_w: (number | null)[];
            efficiency_j_th: (number | null)[];
            miner_no: number[];
            online_ratio: (number | null)[];
            stopped: number[];
        };
        PastCellsAnswer: {
            machines: number;
            columns: components["schemas"]["PastCellColumns"];
            _meta: components["schemas"]["CellsMeta"];
        };
        PayloadKeyBody: {
            key_b64?: string | null;
            /** @default 86400 */
            overlap_sec: number;
        };
        PeerComparison: {
            /** @enum {string} */
            level: "site:model:firmware:mode" | "site:model:mode" | "site:model" | "site";
            value: number | null;
            robust_z: number | null;
            percentile: number | null;
            median: number | null;
            mad?: number | null;
            count: number;
            p10: number | null;
            p25: number | null;
            p75: number | null;
            p90: number | null;
            min: number | null;
            max: number | null;
            spread: components["schemas"]["Spread"];
        };
        PeerPosition: {
            /** @enum {string} */
            level: "site:model:firmware:mode" | "site:model:mode" | "site:model" | "site";
            value: number | null;
            robust_z: number | null;
            percentile: number | null;
            median: number | null;
            mad?: number | null;
            count: number;
            p10: number | null;
            p25: number | null;
            p75: number | null;
            p90: number | null;
            min: number | null;
            max: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @enum {string} */
        Permission: "see" | "acknowledge" | "suppress" | "command" | "command_high" | "approve" | "govern" | "inventory" | "collector_tokens" | "audit_read" | "audit" | "admin";
        PollAnswer: {
            commands: components["schemas"]["WireCommand"][];
        };
        Pools: {
            /** @default [] */
            allowed: string[];
            /** @default [] */
            workers: string[];
        };
        Predecessor: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            severity: "P0" | "P1" | "P2" | "P3";
            /** @enum {string} */
            status: "pending" | "open" | "ack" | "in_progress" | "resolved";
            /** Format: date-time */
            start_ts: string;
            /** Format: date-time */
            last_seen_ts: string;
            resolved_ts: string | null;
            recurrence_count: number;
            resolved_by: string | null;
            resolution_cause: ("repaired" | "replaced" | "cleaned" | "reconfigured" | "false_alarm" | "accepted" | "other" | "recovered" | "escalated" | "left_site") | null;
            resolution_action: string | null;
        };
        Prices: {
            /** @default USD */
            currency: string;
            /** @default 50 */
            hashrate_per_ph_day: number;
            /** @default 0.06 */
            power_per_kwh: number;
        };
        /** @enum {string} */
        Priority: "convenience" | "efficiency" | "compliance" | "safety";
        Problem: {
            /** Format: uuid */
            id: string;
            site_id: number;
            event_no: number;
            miner_no: number | null;
            miner_id: string | null;
            collector_id: string | null;
            /** @enum {string} */
            issue_code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
            /** @enum {string} */
            severity: "P0" | "P1" | "P2" | "P3";
            /** @enum {string} */
            status: "pending" | "open" | "ack" | "in_progress" | "resolved";
            /** Format: date-time */
            start_ts: string;
            opened_ts: string | null;
            resolved_ts: string | null;
            dedup_key: string;
            suppress_until: string | null;
            maintenance_flag: boolean;
            symptom: boolean;
            flapping: boolean;
            escalated: boolean;
            incident_id: string | null;
            predecessor_id: string | null;
            assigned_to: string | null;
            acked_by: string | null;
            acked_at: string | null;
            resolved_by: string | null;
            resolution_cause: ("repaired" | "replaced" | "cleaned" | "reconfigured" | "false_alarm" | "accepted" | "other" | "recovered" | "escalated" | "left_site") | null;
            resolution_action: string | null;
            loss_ths: number | null;
            loss_thh: number | null;
            p_fail_24h: number | null;
            zone_id: number | null;
            model: string | null;
            firmware: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_seen_ts: string;
            recurrence_count: number;
            consecutive_ok: number;
            consecutive_fail: number;
            evidence_json: ({
                /** @enum {string} */
                rule_code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
                description?: string;
                /** Format: date-time */
                evaluated_at?: string;
                way?: string;
                ways?: string[];
                metric?: string;
                threshold?: number | null;
                side?: ("above" | "below") | null;
                /** @enum {string} */
                measured?: "now" | "half_hour_mean";
                held?: boolean;
                baseline?: components["schemas"]["EvidenceBaseline"];
                /** @enum {string} */
                sensor?: "chip" | "board";
                /** @enum {string} */
                limit_source?: "machine" | "catalogue" | "settings" | "assumed";
                robust_z?: {
                    [key: string]: number | null;
                };
                robust_z_threshold?: number;
                peers?: {
                    [key: string]: components["schemas"]["PeerPosition"] | null;
                };
                expected_ths?: number | null;
                /** @enum {string} */
                expectation?: "none" | "given" | "kind" | "own_past";
                left_out?: string[];
            } & {
                [key: string]: unknown;
            })[];
            actions_json: components["schemas"]["Dispatched"][];
            peer_metrics_json: {
                [key: string]: components["schemas"]["PeerPosition"] | null;
            } | null;
            ml_json: components["schemas"]["FailureRisk"] | null;
            health_json: components["schemas"]["Diagnosis"] | null;
            zone: string | null;
            suppressed: boolean;
        };
        /** @enum {string} */
        ProblemAction: "acknowledge" | "start" | "assign" | "comment" | "resolve";
        ProblemCounts: {
            total: number;
            symptoms: number;
            facets: components["schemas"]["Facets"];
        };
        ProblemDetails: {
            problem: components["schemas"]["Problem"];
            rule: components["schemas"]["RuleOut"] | null;
            timeline: components["schemas"]["TimelineEntry"][];
            timeline_cursor: string | null;
            predecessors: components["schemas"]["Predecessor"][];
            similar: components["schemas"]["SimilarResolution"][];
            people: {
                [key: string]: string;
            };
            machine: components["schemas"]["Machine"] | null;
            baseline: components["schemas"]["Baseline"] | null;
            history: components["schemas"]["FeaturePoint"][];
            suppressions: components["schemas"]["Suppression"][];
            suppressed_detections: components["schemas"]["SuppressedDetection"][];
        };
        ProblemList: {
            problems: components["schemas"]["Problem"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @enum {string} */
        ProblemSort: "severity" | "p_fail_24h" | "last_seen_ts" | "start_ts" | "loss_ths" | "miner_id";
        RackList: {
            racks: components["schemas"]["RackOut"][];
            next_cursor: string | null;
        };
        RackOut: {
            id: number;
            site_id: number;
            zone_id: number | null;
            code: string;
        };
        RawPoint: {
            /** Format: date-time */
            ts: string;
            /** @enum {string} */
            status: "online" | "offline" | "error";
            hashrate_ths: number | null;
            temp_c: number | null;
            temp_max_c: number | null;
            power_w: number | null;
            fan_rpm: number | null;
            frequency_mhz: number | null;
            reject_rate: number | null;
            accepted_shares: number | null;
            rejected_shares: number | null;
            hardware_errors: number | null;
            boards_healthy: number | null;
            uptime_seconds: number | null;
            error_message: string | null;
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "degraded" | "not_ready";
            parts: {
                [key: string]: components["schemas"]["Part"];
            };
        };
        RecoveryCodes: {
            recovery_codes: string[];
        };
        RefreshBody: {
            refresh_token?: string | null;
        };
        RefusalList: {
            refused: components["schemas"]["RefusalOut"][];
            next_cursor: string | null;
        };
        RefusalOut: {
            miner_id: string;
            error_code: string;
            reason: string;
            command_id?: string | null;
        };
        RefusedLine: {
            line: number;
            miner_id: string | null;
            error_code: string;
            reason: string;
        };
        RegisterBody: {
            enrolment_code?: string | null;
            version?: string | null;
            device_id?: string | null;
        };
        Remark: {
            comment?: string | null;
        };
        RemovedKeys: {
            removed: number;
        };
        RequestCounts: {
            created: number;
            existing: number;
            refused: number;
        };
        RequestOut: {
            /** Format: uuid */
            batch_id: string;
            commands: components["schemas"]["CreatedCommandOut"][];
            refused: components["schemas"]["RefusalOut"][];
            counts: components["schemas"]["RequestCounts"];
            approval_reasons: string[];
            repeated: boolean;
        };
        RequiredParams: {
            required: string[];
        };
        /** @enum {string} */
        Resolution: "raw" | "5min" | "hourly" | "daily";
        /** @enum {string} */
        ResolutionCause: "repaired" | "replaced" | "cleaned" | "reconfigured" | "false_alarm" | "accepted" | "other";
        ResolveBody: {
            cause: components["schemas"]["ResolutionCause"];
            action?: string | null;
            comment?: string | null;
        };
        RetireBody: {
            reason: string;
        };
        RevokedTokens: {
            revoked: number;
        };
        /** @enum {string} */
        Risk: "low" | "medium" | "high";
        RiskColumns: {
            miner_no: number[];
            miner_id: string[];
            p_fail_24h: number[];
        };
        /** @enum {string} */
        Role: "Owner" | "OpsManager" | "NOC" | "Technician" | "CustomerSuccess" | "Customer";
        RolloutList: {
            collectors: components["schemas"]["RolloutRow"][];
            next_cursor: string | null;
        };
        RolloutRow: {
            /** Format: uuid */
            collector_id: string;
            name: string;
            site_id: number;
            site_code: string;
            status: components["schemas"]["Status"];
            wanted_version: string | null;
            applied_version: string | null;
            applied_at: string | null;
            in_step: boolean;
        };
        RotateBody: {
            /** @default 3600 */
            overlap_sec: number;
            /** @default 365 */
            life_days: number;
        };
        RuleLimits: {
            overheat_warn_c?: number | null;
            overheat_crit_c?: number | null;
            overheat_hold_c?: number | null;
            hashrate_zero_ratio?: number | null;
            boards_dead_ratio?: number | null;
            boards_degrading_drop?: number | null;
            board_lost_share?: number | null;
            hashrate_z?: number | null;
            hashrate_effect?: number | null;
            efficiency_z?: number | null;
            efficiency_effect?: number | null;
            temp_z?: number | null;
            temp_effect_c?: number | null;
            fan_behind_rpm?: number | null;
            assumed_rise_c?: number | null;
            trend_per_day?: number | null;
            trend_hours?: number | null;
            reject_rate?: number | null;
            reject_times_peers?: number | null;
            reject_least?: number | null;
            hw_errors_per_hour?: number | null;
            hw_errors_times_peers?: number | null;
            outlier_z?: number | null;
            outlier_hashrate?: number | null;
            outlier_temp_c?: number | null;
            outlier_efficiency?: number | null;
            cusum_sigma_hours?: number | null;
            reboots_in_6_hours?: number | null;
            frozen_cycles?: number | null;
            sensor_spread_c?: number | null;
        };
        RuleOut: {
            /** @enum {string} */
            code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
            /** @enum {string} */
            severity: "P0" | "P1" | "P2" | "P3";
            description: string;
            metric: string;
            recommended_actions: string[];
            needs: string[];
        };
        Rules: {
            /** @default {} */
            tenant: components["schemas"]["RuleLimits"];
            /** @default {} */
            sites: {
                [key: string]: components["schemas"]["RuleLimits"];
            };
            /** @default {} */
            models: {
                [key: string]: components["schemas"]["RuleLimits"];
            };
            /** @default {} */
            firmwares: {
                [key: string]: components["schemas"]["RuleLimits"];
            };
            /** @default {} */
            sensors: {
                [key: string]: components["schemas"]["RuleLimits"];
            };
        };
        SampleError: {
            index: number;
            error_code: string;
            reason: string;
        };
        SealList: {
            seals: components["schemas"]["SealOut"][];
        };
        SealOut: {
            no: number;
            era: number;
            snapshot: string;
            server: string;
            entries: number;
            digest: string;
            previous: string;
            /** Format: date-time */
            sealed_at: string;
            key_id: string;
            hash: string;
            signature: string;
            public_key: string;
        };
        Selection: {
            site?: string | null;
            miner_ids?: string[] | null;
            miner_ids_not_shown?: number;
            group_id?: number | null;
            filter?: {
                [key: string]: unknown;
            } | null;
            online?: boolean | null;
            issue_code?: string | null;
        };
        SensorLimitsOut: {
            /** @enum {string} */
            sensor: "chip" | "board";
            warn_c: number;
            crit_c: number;
            /** @enum {string} */
            warn_source: "machine" | "catalogue" | "settings" | "assumed";
            /** @enum {string} */
            crit_source: "machine" | "catalogue" | "settings" | "assumed";
        };
        SetMaintenance: {
            site_id?: string | number | null;
            miner_ids?: string[] | null;
            filter?: components["schemas"]["MinerFilter"] | null;
            reason: string;
            from_at?: string | null;
            until_at?: string | null;
        };
        SettingsChange: {
            version: number;
            prices?: components["schemas"]["Prices"] | null;
            thresholds?: components["schemas"]["Thresholds"] | null;
            approval?: components["schemas"]["ApprovalSettings"] | null;
            pools?: components["schemas"]["Pools"] | null;
            rules?: components["schemas"]["Rules"] | null;
        };
        SettingsOut: {
            version: number;
            settings: components["schemas"]["TenantSettings"];
            updated_at: string | null;
        };
        /** @enum {string} */
        Severity: "info" | "warning" | "error" | "critical";
        SeverityCounts: {
            P0: number;
            P1: number;
            P2: number;
            P3: number;
        };
        SigningBody: {
            on: boolean;
        };
        SigningKeyBody: {
            /** @default ed25519 */
            algorithm: string;
            key_id?: string | null;
            key_b64?: string | null;
            signs_after_sec?: number | null;
        };
        SigningKeyList: {
            signs_commands: boolean;
            keys: components["schemas"]["SigningKeyOut"][];
        };
        SigningKeyOut: {
            key_id: string;
            algorithm: components["schemas"]["Algorithm"];
            public_key: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            signs_from: string;
            revoked_at: string | null;
        };
        SigningSwitch: {
            signs_commands: boolean;
        };
        SimilarResolution: {
            resolution_cause: ("repaired" | "replaced" | "cleaned" | "reconfigured" | "false_alarm" | "accepted" | "other" | "recovered" | "escalated" | "left_site") | null;
            resolution_action: string | null;
            times: number;
            /** Format: date-time */
            last_resolved_ts: string;
            median_sec: number | null;
        };
        SiteChange: {
            code?: string | null;
            name?: string | null;
            timezone?: string | null;
        };
        SiteDetail: {
            id: number;
            code: string;
            name: string;
            timezone: string;
            /** Format: date-time */
            created_at: string;
            miners: number;
        };
        SiteFacetCount: {
            value: string;
            problems: number;
            name: string;
        };
        SiteList: {
            sites: components["schemas"]["SiteOut"][];
            next_cursor: string | null;
        };
        SiteLoss: {
            ths: number | null;
            thh: number | null;
        };
        SiteOut: {
            id: number;
            code: string;
            name: string;
            timezone: string;
            /** Format: date-time */
            created_at: string;
        };
        SiteRisks: {
            site_id: number;
            judged: number;
            columns: components["schemas"]["RiskColumns"];
        };
        SiteSummary: {
            site_id: number;
            total_miners: number;
            healthy_miners: number;
            problem_miners: number;
            stopped_miners: number;
            down_miners: number;
            unknown_miners: number;
            by_severity: components["schemas"]["SeverityCounts"];
            by_issue: {
                [key: string]: number;
            };
            incidents: components["schemas"]["IncidentCount"][];
            loss: components["schemas"]["SiteLoss"];
            top_risks: components["schemas"]["TopRisk"][];
            last_scan_ts: string | null;
            scan_outdated_after_sec: number;
        };
        SiteTemperatureLimits: {
            site_id: number;
            limits: components["schemas"]["TemperatureLimitsOut"][];
            columns: components["schemas"]["LimitColumns"];
        };
        SiteTotals: {
            site_id: number;
            code: string;
            name: string;
            timezone: string;
            machines: number;
            online: number;
            power_unknown: number;
            efficiency_left_out: number;
            zones: number;
            hashrate_ths: number | null;
            expected_ths: number | null;
            expected_unknown_ths: number | null;
            stopped_ths: number | null;
            lost_ths: number | null;
            lost_with_problem_ths: number | null;
            surplus_ths: number | null;
            power_w: number | null;
            efficiency_j_th: number | null;
            hottest_c: number | null;
            newest_at: string | null;
            updated_at: string | null;
            offline_after_sec: number | null;
            unknown: number;
            conditions: components["schemas"]["ConditionCounts"] | null;
        };
        SitesAnswer: {
            sites: components["schemas"]["SiteTotals"][];
            fleet: components["schemas"]["FleetEfficiency"];
            _meta: components["schemas"]["SitesMeta"];
        };
        SitesMeta: {
            /** Format: date-time */
            as_of: string;
            bucket: string | null;
            zone: string | null;
            /** @enum {string} */
            source: "live" | "telemetry_history_5min";
        };
        /** @enum {string} */
        Source: "cloud" | "collector";
        Spread: {
            edges: number[];
            counts: number[];
        };
        /** @enum {string} */
        State: "queued" | "dispatched" | "running" | "succeeded" | "failed" | "expired" | "canceled" | "superseded";
        /** @enum {string} */
        Status: "pending" | "active" | "offline" | "disabled";
        StepUpBody: {
            code?: string | null;
            password?: string | null;
        };
        SummaryBrief: {
            /** Format: uuid */
            collector_id: string;
            name: string;
            site_id: number;
            site_code: string;
            zone_id: number | null;
            status: components["schemas"]["Status"];
            last_seen_at: string | null;
            version: string | null;
            active_miners: number | null;
            total_miners: number | null;
        };
        SummaryList: {
            collectors: (components["schemas"]["SummaryOut"] | components["schemas"]["SummaryBrief"])[];
            next_cursor: string | null;
        };
        SummaryOut: {
            /** Format: uuid */
            collector_id: string;
            name: string;
            site_id: number;
            site_code: string;
            zone_id: number | null;
            status: components["schemas"]["Status"];
            last_seen_at: string | null;
            version: string | null;
            active_miners: number | null;
            total_miners: number | null;
            reported_status: components["schemas"]["HeartbeatStatus"] | null;
            last_heartbeat_at: string | null;
            cpu_usage: number | null;
            memory_usage: number | null;
            clock_skew_sec: number | null;
            open_alerts: components["schemas"]["OpenAlerts"];
            pending_commands: number;
            commands_24h: components["schemas"]["CommandCounts"];
        };
        Suppress: {
            until?: string | null;
            /** @default false */
            maintenance: boolean;
            reason: string;
        };
        SuppressedDetection: {
            /** @enum {string} */
            issue_code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
            /** @enum {string} */
            severity: "P0" | "P1" | "P2" | "P3";
            /** Format: date-time */
            first_seen_ts: string;
            /** Format: date-time */
            last_seen_ts: string;
            detections: number;
        };
        Suppression: {
            /** Format: uuid */
            id: string;
            site_id: number;
            /** @enum {string} */
            kind: "miner" | "zone" | "group" | "site";
            miner_no: number | null;
            zone_id: number | null;
            group_id: number | null;
            /** Format: date-time */
            from_at: string;
            until_at: string | null;
            maintenance: boolean;
            reason: string;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            created_by_kind: "user" | "api_key" | "collector" | "rule" | "system" | "anonymous";
            created_by: string | null;
            lifted_at: string | null;
            lifted_by: string | null;
            site: string;
            miner_id: string | null;
            zone: string | null;
            group: string | null;
        };
        SuppressionPage: {
            suppressions: components["schemas"]["Suppression"][];
            next_cursor: string | null;
        };
        TemperatureLimitsOut: {
            /** @enum {string} */
            sensor: "chip" | "board";
            warn_c: number;
            crit_c: number;
            /** @enum {string} */
            warn_source: "machine" | "catalogue" | "settings" | "assumed";
            /** @enum {string} */
            crit_source: "machine" | "catalogue" | "settings" | "assumed";
            other: components["schemas"]["SensorLimitsOut"];
        };
        TenantList: {
            tenants: components["schemas"]["TenantOut"][];
        };
        TenantOut: {
            /** Format: uuid */
            id: string;
            name: string;
            require_totp: boolean;
        };
        TenantSettings: {
            /**
             * @default {
             *       "currency": "USD",
             *       "hashrate_per_ph_day": 50,
             *       "power_per_kwh": 0.06
             *     }
             */
            prices: components["schemas"]["Prices"];
            /**
             * @default {
             *       "overheat_warn_c": 75,
             *       "overheat_crit_c": 85,
             *       "debounce_cycles": 2,
             *       "debounce_cycles_p0": 2,
             *       "resolve_cycles": 3,
             *       "cooldown_hours": 24,
             *       "raise_at_p_fail": 0.7,
             *       "notices_per_cycle": 20,
             *       "tickets_per_cycle": 5,
             *       "reboots_per_site_5min": 20,
             *       "max_share_of_site_down": 0.2
             *     }
             */
            thresholds: components["schemas"]["Thresholds"];
            /**
             * @default {
             *       "tenant": {},
             *       "sites": {},
             *       "models": {},
             *       "firmwares": {},
             *       "sensors": {}
             *     }
             */
            rules: components["schemas"]["Rules"];
            /**
             * @default {
             *       "machines": 20,
             *       "power_kw": 100,
             *       "window_min": 60,
             *       "wait_hours": 24,
             *       "by_requester": false
             *     }
             */
            approval: components["schemas"]["ApprovalSettings"];
            /**
             * @default {
             *       "allowed": [],
             *       "workers": []
             *     }
             */
            pools: components["schemas"]["Pools"];
        };
        Thresholds: {
            /** @default 75 */
            overheat_warn_c: number;
            /** @default 85 */
            overheat_crit_c: number;
            /** @default 2 */
            debounce_cycles: number;
            /** @default 2 */
            debounce_cycles_p0: number;
            /** @default 3 */
            resolve_cycles: number;
            /** @default 24 */
            cooldown_hours: number;
            /** @default 0.7 */
            raise_at_p_fail: number;
            /** @default 20 */
            notices_per_cycle: number;
            /** @default 5 */
            tickets_per_cycle: number;
            /** @default 20 */
            reboots_per_site_5min: number;
            /** @default 0.2 */
            max_share_of_site_down: number;
        };
        Timeline: {
            timeline: components["schemas"]["TimelineEntry"][];
            next_cursor: string | null;
        };
        TimelineEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "opened" | "escalated" | "recurred" | "resolved" | "flapping" | "thawed" | "acknowledged" | "started" | "assigned" | "comment" | "suppressed" | "unsuppressed";
            /** @enum {string} */
            actor_kind: "user" | "api_key" | "collector" | "rule" | "system" | "anonymous";
            actor_id: string | null;
            message: string | null;
            details: {
                [key: string]: unknown;
            } | null;
        };
        TokenDates: {
            /** Format: date-time */
            issued_at: string;
            /** Format: date-time */
            expires_at: string;
            revoked_at: string | null;
        };
        TokenPair: {
            access_token: string;
            refresh_token: string;
            expires_in: number;
        };
        TopFeature: {
            feature: string;
            value?: number | null;
        };
        TopRisk: {
            miner_id: string | null;
            /** @enum {string} */
            issue_code: "overheat_crit" | "offline" | "hashrate_zero" | "boards_dead" | "fan_zero" | "overheat_warn" | "hashrate_degradation" | "efficiency_degradation" | "temp_anomaly" | "trend_anomaly" | "reject_rate_high" | "hw_error_rate_high" | "wrong_pool" | "sensor_fault" | "data_implausible" | "fleet_outlier" | "boards_degrading" | "collector_down" | "board_lost";
            /** @enum {string} */
            severity: "P0" | "P1" | "P2" | "P3";
            p_fail_24h: number | null;
            /** Format: date-time */
            start_ts: string;
        };
        TotpCodeBody: {
            code: string;
        };
        TotpSecret: {
            secret: string;
            uri: string;
        };
        TrendAnswer: {
            series: components["schemas"]["TrendSeries"][];
            _meta: components["schemas"]["TrendMeta"];
        };
        TrendMeta: {
            /** Format: date-time */
            as_of: string;
            /** Format: date-time */
            start: string;
            /** Format: date-time */
            end: string;
        };
        TrendSeries: {
            site_id: number;
            /** @enum {string} */
            resolution: "5min" | "hourly";
            ts: string[];
            hashrate_ths: (number | null)[];
            power_w: (number | null)[];
            temp_max_c: (number | null)[];
            online: (number | null)[];
        };
        TtlBounds: {
            least: number;
            most: number;
            default: number;
        };
        UploadAnswer: {
            /** @constant */
            success: true;
            accepted: number;
            rejected: number;
            duplicates: number;
            errors: components["schemas"]["SampleError"][];
        };
        UserDetail: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
            /** @enum {string} */
            state: "active" | "disabled" | "deleted";
            has_totp: boolean;
            /** Format: date-time */
            created_at: string;
            last_login_at: string | null;
            grants: components["schemas"]["GrantOut"][];
        };
        UserList: {
            users: components["schemas"]["UserOut"][];
            next_cursor: string | null;
        };
        UserOut: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
            /** @enum {string} */
            state: "active" | "disabled" | "deleted";
            has_totp: boolean;
            /** Format: date-time */
            created_at: string;
            last_login_at: string | null;
        };
        VerifyBody: {
            anchors?: {
                [key: string]: unknown;
            }[];
            /** @default 0 */
            after: number;
        };
        VerifyReportOut: {
            ok: boolean;
            complete: boolean;
            seals: number;
            entries: number;
            unsealed: number;
            oldest_unsealed_at: string | null;
            last_seal: number;
            last_hash: string;
            anchors: number;
            found: number;
            findings: components["schemas"]["FindingOut"][];
            notes: string[];
        };
        /** @enum {string} */
        WaitReason: "NOT_APPROVED" | "BACKOFF" | "MINER_LOCKED" | "RATE_LIMITED" | "BLAST_RADIUS" | "COLLECTOR_OFFLINE";
        WireCommand: {
            command_id: string;
            site_id: string | number;
            miner_id: string;
            command_type: string;
            command: string;
            params: {
                [key: string]: unknown;
            };
            priority: number;
            /** Format: date-time */
            issued_at: string;
            /** Format: date-time */
            expires_at: string;
            ttl_sec: number;
            attempt: number;
            /** Format: date-time */
            lease_until: string;
            zone_id?: string | number;
            cloud_sign?: components["schemas"]["CloudSign"];
        };
        ZoneChange: {
            code?: string | null;
            name?: string | null;
        };
        ZoneList: {
            zones: components["schemas"]["ZoneOut"][];
            next_cursor: string | null;
        };
        ZoneOut: {
            id: number;
            site_id: number;
            code: string;
            name: string;
        };
    };
    responses: {
        CollectorError400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        CollectorError503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectorErrorAnswer"];
            };
        };
        Error400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        Error503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    upload_telemetry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>[];
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    upload_telemetry_legacy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>[];
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    poll_commands: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    ack_commands: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AckBatchAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    ack_command: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                command_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AckAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    poll_commands_legacy: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyPollAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    poll_site_commands_legacy: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyPollAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    ack_command_legacy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                command_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AckAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    ack_named_command_legacy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AckAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    register_collector: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectorState"];
                };
            };
            400: components["responses"]["CollectorError400"];
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    send_heartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeartbeatBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeartbeatAnswer"];
                };
            };
            400: components["responses"]["CollectorError400"];
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    report_events: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsAnswer"];
                };
            };
            400: components["responses"]["CollectorError400"];
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    get_collector_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigAnswer"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    report_applied_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppliedBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedAnswer"];
                };
            };
            400: components["responses"]["CollectorError400"];
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            500: components["responses"]["Error500"];
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            500: components["responses"]["Error500"];
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPair"] | components["schemas"]["CookieSession"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    refresh_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPair"] | components["schemas"]["CookieSession"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_caller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallerOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_own_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    begin_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CurrentPasswordBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpSecret"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    confirm_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCodeBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    disable_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    step_up: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StepUpBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokenOut"] | components["schemas"]["CookieRefreshed"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_users: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_user: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUserBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    delete_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeUserBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    reset_password: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPasswordBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    unlock_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    reset_totp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_grants: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_grant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGrantBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    delete_grant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_tenants: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_tenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTenantBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_api_keys: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKeyBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revoke_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_audit_entries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
                entity_type?: string | null;
                entity_id?: string | null;
                actor?: string | null;
                action?: components["schemas"]["Action"] | null;
                since?: string | null;
                until?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    export_audit_log: {
        parameters: {
            query?: {
                entity_type?: string | null;
                entity_id?: string | null;
                actor?: string | null;
                action?: components["schemas"]["Action"] | null;
                since?: string | null;
                until?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_audit_seals: {
        parameters: {
            query?: {
                after?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SealList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    verify_audit_log: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerifyBody"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyReportOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_sites: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_site: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSite"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_site: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteDetail"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_site: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_zones: {
        parameters: {
            query?: {
                site_id?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ZoneList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_zone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewZone"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ZoneOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_zone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                zone_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ZoneOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_zone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                zone_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ZoneChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ZoneOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_racks: {
        parameters: {
            query?: {
                site_id?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RackList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_rack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRack"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RackOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_nodes: {
        parameters: {
            query?: {
                site_id?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_node: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNode"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_groups: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_group: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGroup"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_group: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    delete_group: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_group: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    refresh_group: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    import_asset_list: {
        parameters: {
            query: {
                site_id: string;
                all_or_nothing?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    export_asset_list: {
        parameters: {
            query: {
                site_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_miners: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
                site_id?: string | null;
                model?: string | null;
                firmware?: string | null;
                zone?: string | null;
                rack?: string | null;
                owner?: string | null;
                group_id?: number | null;
                state?: "in_service" | "retired" | "any";
                text?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_miner: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMiner"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_maintenance: {
        parameters: {
            query?: {
                site_id?: string | null;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    set_maintenance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetMaintenance"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MachineCount"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    end_maintenance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndMaintenance"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MachineCount"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_miner: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerDetail"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_miner: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MinerUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    retire_miner: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetireBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_miner_history: {
        parameters: {
            query?: {
                site_id?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerChangeList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_collectors: {
        parameters: {
            query?: {
                site_id?: string | null;
                status?: components["schemas"]["Status"] | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectorList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_collector: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCollectorBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewCollectorOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_collector_summaries: {
        parameters: {
            query?: {
                site_id?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummaryList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_collector_details: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectorDetails"] | components["schemas"]["CollectorBrief"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_collector: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeCollectorBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectorDetails"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    approve_collector: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectorDetails"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    disable_collector: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectorDetails"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    enable_collector: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectorDetails"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_heartbeats: {
        parameters: {
            query?: {
                since?: string | null;
                until?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeartbeatList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    rotate_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revoke_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedTokens"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    issue_enrolment_code: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewEnrolmentCode"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    set_payload_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayloadKeyBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewPayloadKeyOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    remove_payload_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedKeys"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_signing_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    add_signing_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SigningKeyBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewSigningKeyOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revoke_signing_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    switch_signing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SigningBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningSwitch"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_configs: {
        parameters: {
            query?: {
                status?: components["schemas"]["ConfigStatus"] | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    draft_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewConfigBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_config_rollout: {
        parameters: {
            query?: {
                site_id?: string | null;
                only_behind?: boolean;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolloutList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_config: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                config_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    activate_config: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                config_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deprecate_config: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                config_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_collector_events: {
        parameters: {
            query?: {
                site_id?: string | null;
                collector_id?: string | null;
                status?: components["schemas"]["EventStatus"] | null;
                severity?: components["schemas"]["Severity"] | null;
                kind?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    acknowledge_collector_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    resolve_collector_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_live_machines: {
        parameters: {
            query?: {
                site_id?: string | null;
                miner_id?: string | null;
                online?: boolean | null;
                right_now?: boolean;
                limit?: number;
                cursor?: string | null;
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveAnswer"];
                    "text/csv": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_history: {
        parameters: {
            query: {
                site_id: string;
                start: string;
                end: string;
                miner_id?: string | null;
                resolution?: components["schemas"]["Resolution"];
                limit?: number;
                cursor?: string | null;
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryAnswer"];
                    "text/csv": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_site_totals: {
        parameters: {
            query?: {
                site_id?: string | null;
                zone?: string | null;
                at?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SitesAnswer"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_site_cells: {
        parameters: {
            query: {
                site_id: string;
                at?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CellsAnswer"] | components["schemas"]["PastCellsAnswer"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_trends: {
        parameters: {
            query?: {
                site_id?: string | null;
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrendAnswer"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_site_summary: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSummary"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_site_problems: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                severity?: string[] | null;
                issue_code?: string[] | null;
                status?: string[] | null;
                site?: string[] | null;
                zone?: string[] | null;
                model?: string[] | null;
                firmware?: string[] | null;
                age?: components["schemas"]["Age"][] | null;
                text?: string | null;
                assigned_to?: string | null;
                symptoms?: "include" | "exclude" | "";
                sort?: components["schemas"]["ProblemSort"];
                order?: "usual" | "reversed";
            };
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_miner_problems: {
        parameters: {
            query?: {
                site_id?: string | null;
                status?: string[] | null;
                include_resolved?: boolean;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerProblems"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    suppress_miner: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Suppress"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerSuppressed"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    unsuppress_miner: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Lift"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerUnsuppressed"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_problems: {
        parameters: {
            query?: {
                site_id?: string | null;
                page?: number;
                per_page?: number;
                format?: "json" | "csv";
                severity?: string[] | null;
                issue_code?: string[] | null;
                status?: string[] | null;
                site?: string[] | null;
                zone?: string[] | null;
                model?: string[] | null;
                firmware?: string[] | null;
                age?: components["schemas"]["Age"][] | null;
                text?: string | null;
                assigned_to?: string | null;
                symptoms?: "include" | "exclude" | "";
                sort?: components["schemas"]["ProblemSort"];
                order?: "usual" | "reversed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemList"];
                    "text/csv": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    count_problems: {
        parameters: {
            query?: {
                site_id?: string | null;
                severity?: string[] | null;
                issue_code?: string[] | null;
                status?: string[] | null;
                site?: string[] | null;
                zone?: string[] | null;
                model?: string[] | null;
                firmware?: string[] | null;
                age?: components["schemas"]["Age"][] | null;
                text?: string | null;
                assigned_to?: string | null;
                symptoms?: "include" | "exclude" | "";
                sort?: components["schemas"]["ProblemSort"];
                order?: "usual" | "reversed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemCounts"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_site_risks: {
        parameters: {
            query?: {
                least?: number;
            };
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteRisks"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_temperature_limits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteTemperatureLimits"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_assignees: {
        parameters: {
            query: {
                site_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssigneeList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_problem: {
        parameters: {
            query?: {
                history_hours?: number;
            };
            header?: never;
            path: {
                problem_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_problem_timeline: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path: {
                problem_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_miner_health: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MachineHealth"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_miner_peers: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MachinePeers"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    act_on_problems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Bulk"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkResult"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    acknowledge_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                problem_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Remark"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    start_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                problem_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Remark"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    assign_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                problem_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Assignment"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    comment_on_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                problem_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Comment"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    resolve_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                problem_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_suppressions: {
        parameters: {
            query?: {
                site_id?: string | null;
                miner_id?: string | null;
                kind?: ("miner" | "zone" | "group" | "site") | null;
                all?: boolean;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionPage"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_suppression: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSuppression"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedSuppressions"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    lift_suppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                suppression_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Lift"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    stream_changes: {
        parameters: {
            query?: {
                site_id?: string | null;
                kinds?: string;
                seconds?: number;
            };
            header?: {
                "last-event-id"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    hosting_get_site_summary: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSummary"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    hosting_list_site_problems: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                severity?: string[] | null;
                issue_code?: string[] | null;
                status?: string[] | null;
                site?: string[] | null;
                zone?: string[] | null;
                model?: string[] | null;
                firmware?: string[] | null;
                age?: components["schemas"]["Age"][] | null;
                text?: string | null;
                assigned_to?: string | null;
                symptoms?: "include" | "exclude" | "";
                sort?: components["schemas"]["ProblemSort"];
                order?: "usual" | "reversed";
            };
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemList"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    hosting_list_miner_problems: {
        parameters: {
            query?: {
                site_id?: string | null;
                status?: string[] | null;
                include_resolved?: boolean;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerProblems"];
                };
            };
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            409: components["responses"]["CollectorError409"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    hosting_suppress_miner: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Suppress"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerSuppressed"];
                };
            };
            400: components["responses"]["CollectorError400"];
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            409: components["responses"]["CollectorError409"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    hosting_unsuppress_miner: {
        parameters: {
            query?: {
                site_id?: string | null;
            };
            header?: never;
            path: {
                miner_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Lift"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerUnsuppressed"];
                };
            };
            400: components["responses"]["CollectorError400"];
            401: components["responses"]["CollectorError401"];
            403: components["responses"]["CollectorError403"];
            404: components["responses"]["CollectorError404"];
            409: components["responses"]["CollectorError409"];
            413: components["responses"]["CollectorError413"];
            422: components["responses"]["CollectorError422"];
            429: components["responses"]["CollectorError429"];
            500: components["responses"]["CollectorError500"];
            503: components["responses"]["CollectorError503"];
        };
    };
    get_command_catalogue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogueOut"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_commands: {
        parameters: {
            query?: {
                site_id?: string | null;
                miner_id?: string | null;
                batch_id?: string | null;
                state?: components["schemas"]["State"][] | null;
                approval_state?: components["schemas"]["Approval"] | null;
                command_type?: string | null;
                priority?: components["schemas"]["Priority"] | null;
                rule_id?: string | null;
                problem_id?: string | null;
                created_by?: string | null;
                since?: string | null;
                until?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    request_commands: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCommands"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRunOut"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_command: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                command_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandStory"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    approve_command: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                command_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    reject_command: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                command_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    cancel_command: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                command_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cancellation"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandOut"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_batches: {
        parameters: {
            query?: {
                site_id?: string | null;
                command_type?: string | null;
                approval_state?: components["schemas"]["Approval"] | null;
                waiting?: boolean | null;
                created_by?: string | null;
                since?: string | null;
                until?: string | null;
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    get_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchStory"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_refused_machines: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string | null;
            };
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusalList"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    approve_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDecision"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    reject_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDecision"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    cancel_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cancellation"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDecision"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
}
