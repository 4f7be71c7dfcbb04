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
        post: operations["take_batch_api_edge_v1_telemetry_batch_post"];
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
        post: operations["take_upload_api_collector_upload_post"];
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
        get: operations["poll_api_edge_v1_commands_poll_get"];
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
        post: operations["ack_batch_api_edge_v1_commands_ack_batch_post"];
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
        post: operations["ack_api_edge_v1_commands__command_id__ack_post"];
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
        get: operations["pending_api_collector_commands_pending_get"];
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
        get: operations["pending_of_site_api_collector_commands_pending__site_id__get"];
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
        post: operations["result_api_collector_commands__command_id__result_post"];
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
        post: operations["ack_named_api_collector_commands_ack_post"];
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
        post: operations["register_collector_api_edge_v1_register_post"];
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
        post: operations["heartbeat_api_edge_v1_heartbeat_post"];
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
        post: operations["report_events_api_edge_v1_events_post"];
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
        get: operations["get_config_api_edge_v1_config_get"];
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
        post: operations["config_applied_api_edge_v1_config_applied_post"];
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
        get: operations["healthz_healthz_get"];
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
        get: operations["readyz_readyz_get"];
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
        get: operations["metrics_metrics_get"];
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
        post: operations["sign_in_api_v1_auth_login_post"];
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
        post: operations["renew_api_v1_auth_refresh_post"];
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
        post: operations["sign_out_api_v1_auth_logout_post"];
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
        get: operations["me_api_v1_auth_me_get"];
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
        post: operations["set_own_password_api_v1_auth_password_post"];
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
        post: operations["begin_api_v1_auth_totp_begin_post"];
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
        post: operations["confirm_api_v1_auth_totp_confirm_post"];
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
        post: operations["disable_api_v1_auth_totp_disable_post"];
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
        post: operations["step_up_api_v1_auth_step_up_post"];
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
        get: operations["list_users_api_admin_v1_users_get"];
        put?: never;
        post: operations["create_user_api_admin_v1_users_post"];
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
        get: operations["get_user_api_admin_v1_users__user_id__get"];
        put?: never;
        post?: never;
        delete: operations["delete_user_api_admin_v1_users__user_id__delete"];
        options?: never;
        head?: never;
        patch: operations["change_user_api_admin_v1_users__user_id__patch"];
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
        post: operations["reset_password_api_admin_v1_users__user_id__password_post"];
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
        post: operations["unlock_api_admin_v1_users__user_id__unlock_post"];
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
        post: operations["reset_totp_api_admin_v1_users__user_id__totp_reset_post"];
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
        get: operations["list_grants_api_admin_v1_grants_get"];
        put?: never;
        post: operations["create_grant_api_admin_v1_grants_post"];
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
        delete: operations["delete_grant_api_admin_v1_grants__grant_id__delete"];
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
        get: operations["list_tenants_api_admin_v1_tenants_get"];
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
        patch: operations["change_tenant_api_admin_v1_tenants__tenant_id__patch"];
        trace?: never;
    };
    "/api/admin/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_keys_api_admin_v1_api_keys_get"];
        put?: never;
        post: operations["create_key_api_admin_v1_api_keys_post"];
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
        delete: operations["revoke_key_api_admin_v1_api_keys__key_id__delete"];
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
        get: operations["search_api_admin_v1_audit_get"];
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
        get: operations["export_api_admin_v1_audit_export_get"];
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
        get: operations["list_seals_api_admin_v1_audit_seals_get"];
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
        post: operations["verify_now_api_admin_v1_audit_verify_post"];
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
        get: operations["list_sites_api_admin_v1_sites_get"];
        put?: never;
        post: operations["create_site_api_admin_v1_sites_post"];
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
        get: operations["get_site_api_admin_v1_sites__site_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_site_api_admin_v1_sites__site_id__patch"];
        trace?: never;
    };
    "/api/admin/v1/zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_zones_api_admin_v1_zones_get"];
        put?: never;
        post: operations["create_zone_api_admin_v1_zones_post"];
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
        get: operations["get_zone_api_admin_v1_zones__zone_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_zone_api_admin_v1_zones__zone_id__patch"];
        trace?: never;
    };
    "/api/admin/v1/racks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_racks_api_admin_v1_racks_get"];
        put?: never;
        post: operations["create_rack_api_admin_v1_racks_post"];
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
        get: operations["list_nodes_api_admin_v1_nodes_get"];
        put?: never;
        post: operations["create_node_api_admin_v1_nodes_post"];
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
        get: operations["list_groups_api_admin_v1_groups_get"];
        put?: never;
        post: operations["create_group_api_admin_v1_groups_post"];
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
        get: operations["get_group_api_admin_v1_groups__group_id__get"];
        put?: never;
        post?: never;
        delete: operations["delete_group_api_admin_v1_groups__group_id__delete"];
        options?: never;
        head?: never;
        patch: operations["change_group_api_admin_v1_groups__group_id__patch"];
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
        post: operations["refresh_group_api_admin_v1_groups__group_id__refresh_post"];
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
        get: operations["read_settings_api_admin_v1_settings_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_settings_api_admin_v1_settings_patch"];
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
        post: operations["import_list_api_admin_v1_miners_import_post"];
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
        get: operations["export_list_api_admin_v1_miners_export_get"];
        put?: never;
        post?: never;
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
        get: operations["list_maintenance_api_admin_v1_miners_maintenance_get"];
        put?: never;
        post: operations["set_maintenance_api_admin_v1_miners_maintenance_post"];
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
        post: operations["end_maintenance_api_admin_v1_miners_maintenance_end_post"];
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
        get: operations["list_miners_api_admin_v1_miners_get"];
        put?: never;
        post: operations["create_miner_api_admin_v1_miners_post"];
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
        get: operations["get_miner_api_admin_v1_miners__miner_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_miner_api_admin_v1_miners__miner_id__patch"];
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
        post: operations["retire_miner_api_admin_v1_miners__miner_id__retire_post"];
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
        get: operations["list_history_api_admin_v1_miners__miner_id__history_get"];
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
        get: operations["list_collectors_api_admin_v1_collectors_get"];
        put?: never;
        post: operations["create_collector_api_admin_v1_collectors_post"];
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
        get: operations["summary_api_admin_v1_collectors_summary_get"];
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
        get: operations["read_collector_api_admin_v1_collectors__collector_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["change_collector_api_admin_v1_collectors__collector_id__patch"];
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
        post: operations["approve_collector_api_admin_v1_collectors__collector_id__approve_post"];
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
        post: operations["disable_collector_api_admin_v1_collectors__collector_id__disable_post"];
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
        post: operations["enable_collector_api_admin_v1_collectors__collector_id__enable_post"];
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
        get: operations["list_heartbeats_api_admin_v1_collectors__collector_id__heartbeats_get"];
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
        post: operations["rotate_token_api_admin_v1_collectors__collector_id__rotate_token_post"];
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
        post: operations["revoke_tokens_api_admin_v1_collectors__collector_id__revoke_tokens_post"];
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
        post: operations["issue_enrolment_code_api_admin_v1_collectors__collector_id__enrolment_code_post"];
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
        post: operations["set_payload_key_api_admin_v1_collectors__collector_id__payload_key_post"];
        delete: operations["remove_payload_keys_api_admin_v1_collectors__collector_id__payload_key_delete"];
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
        get: operations["list_signing_keys_api_admin_v1_collectors__collector_id__signing_keys_get"];
        put?: never;
        post: operations["add_signing_key_api_admin_v1_collectors__collector_id__signing_keys_post"];
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
        delete: operations["revoke_signing_key_api_admin_v1_collectors__collector_id__signing_keys__key_id__delete"];
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
        put: operations["turn_signing_api_admin_v1_collectors__collector_id__signing_put"];
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
        get: operations["list_configs_api_admin_v1_collector_configs_get"];
        put?: never;
        post: operations["draft_config_api_admin_v1_collector_configs_post"];
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
        get: operations["rollout_api_admin_v1_collector_configs_rollout_get"];
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
        get: operations["read_config_api_admin_v1_collector_configs__config_id__get"];
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
        post: operations["activate_config_api_admin_v1_collector_configs__config_id__activate_post"];
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
        post: operations["deprecate_config_api_admin_v1_collector_configs__config_id__deprecate_post"];
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
        get: operations["list_events_api_admin_v1_collector_events_get"];
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
        post: operations["acknowledge_event_api_admin_v1_collector_events__event_id__acknowledge_post"];
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
        post: operations["resolve_event_api_admin_v1_collector_events__event_id__resolve_post"];
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
        get: operations["live_api_v1_telemetry_live_get"];
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
        get: operations["read_history_api_v1_telemetry_history_get"];
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
        get: operations["read_sites_api_v1_telemetry_sites_get"];
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
        get: operations["read_cells_api_v1_telemetry_cells_get"];
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
        get: operations["read_trend_api_v1_telemetry_trend_get"];
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
        get: operations["read_summary_api_v1_sites__site_id__health_summary_get"];
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
        get: operations["list_site_problems_api_v1_sites__site_id__problems_get"];
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
        get: operations["list_miner_problems_api_v1_miners__miner_id__problems_get"];
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
        post: operations["suppress_miner_api_v1_miners__miner_id__suppress_post"];
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
        post: operations["unsuppress_miner_api_v1_miners__miner_id__unsuppress_post"];
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
        get: operations["list_problems_api_v1_problems_get"];
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
        get: operations["count_problems_api_v1_problems_counts_get"];
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
        get: operations["read_risks_api_v1_sites__site_id__risks_get"];
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
        get: operations["read_temperature_limits_api_v1_sites__site_id__temperature_limits_get"];
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
        get: operations["list_assignees_api_v1_problems_assignees_get"];
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
        get: operations["read_problem_api_v1_problems__problem_id__get"];
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
        get: operations["read_timeline_api_v1_problems__problem_id__timeline_get"];
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
        get: operations["read_health_api_v1_miners__miner_id__health_get"];
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
        get: operations["read_peers_api_v1_miners__miner_id__peers_get"];
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
        post: operations["act_on_many_api_v1_problems_bulk_post"];
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
        post: operations["acknowledge_api_v1_problems__problem_id__acknowledge_post"];
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
        post: operations["start_api_v1_problems__problem_id__start_post"];
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
        post: operations["assign_api_v1_problems__problem_id__assign_post"];
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
        post: operations["comment_api_v1_problems__problem_id__comment_post"];
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
        post: operations["resolve_api_v1_problems__problem_id__resolve_post"];
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
        get: operations["list_suppressions_api_v1_suppressions_get"];
        put?: never;
        post: operations["make_suppression_api_v1_suppressions_post"];
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
        post: operations["lift_suppression_api_v1_suppressions__suppression_id__lift_post"];
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
        get: operations["stream_api_v1_stream_get"];
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
        get: operations["read_summary_hosting_api_sites__site_id__health_summary_get"];
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
        get: operations["list_site_problems_hosting_api_sites__site_id__problems_get"];
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
        get: operations["list_miner_problems_hosting_api_miners__miner_id__problems_get"];
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
        post: operations["suppress_miner_hosting_api_miners__miner_id__suppress_post"];
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
        post: operations["unsuppress_miner_hosting_api_miners__miner_id__unsuppress_post"];
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
        get: operations["read_catalogue_api_admin_v1_commands_catalogue_get"];
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
        get: operations["list_commands_api_admin_v1_commands_get"];
        put?: never;
        post: operations["request_commands_api_admin_v1_commands_post"];
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
        get: operations["read_command_api_admin_v1_commands__command_id__get"];
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
        post: operations["approve_command_api_admin_v1_commands__command_id__approve_post"];
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
        post: operations["reject_command_api_admin_v1_commands__command_id__reject_post"];
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
        post: operations["cancel_command_api_admin_v1_commands__command_id__cancel_post"];
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
        get: operations["list_batches_api_admin_v1_batches_get"];
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
        get: operations["read_batch_api_admin_v1_batches__batch_id__get"];
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
        get: operations["list_refused_api_admin_v1_batches__batch_id__refused_get"];
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
        post: operations["approve_batch_api_admin_v1_batches__batch_id__approve_post"];
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
        post: operations["reject_batch_api_admin_v1_batches__batch_id__reject_post"];
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
        post: operations["cancel_batch_api_admin_v1_batches__batch_id__cancel_post"];
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
        /** @enum {string} */
        Act: "acknowledge" | "start" | "assign" | "comment" | "resolve";
        /** @enum {string} */
        Action: "login" | "login_refused" | "refresh_refused" | "refresh_reused" | "token_refused" | "logout" | "step_up" | "step_up_refused" | "user_created" | "user_refused" | "user_changed" | "user_deleted" | "user_unlocked" | "password_changed" | "password_refused" | "totp_begun" | "totp_refused" | "totp_enabled" | "totp_disabled" | "grant_created" | "grant_deleted" | "api_key_created" | "api_key_revoked" | "tenant_created" | "tenant_changed" | "site_created" | "site_changed" | "zone_created" | "zone_changed" | "rack_created" | "node_created" | "miner_created" | "miner_changed" | "miner_retired" | "miners_registered" | "miners_claimed" | "registration_limited" | "miners_imported" | "miners_exported" | "group_created" | "group_changed" | "group_deleted" | "group_refreshed" | "settings_changed" | "maintenance_set" | "maintenance_ended" | "collector_created" | "collector_changed" | "collector_registered" | "collector_approved" | "collector_disabled" | "collector_enabled" | "collector_offline" | "collector_reconnected" | "collector_refused" | "collector_token_issued" | "collector_tokens_revoked" | "collector_payload_key_set" | "collector_payload_keys_removed" | "collector_signing_key_added" | "collector_signing_key_revoked" | "collector_signing_turned" | "enrolment_code_issued" | "collector_events_reported" | "collector_event_acknowledged" | "collector_event_resolved" | "collector_config_created" | "collector_config_activated" | "collector_config_deprecated" | "collector_config_applied" | "telemetry_exported" | "command_created" | "command_arbitrated" | "command_superseded" | "command_approved" | "command_rejected" | "command_extended" | "command_dispatched" | "command_over_cap" | "command_acked" | "command_ack_ignored" | "command_lease_lost" | "command_expired" | "command_cancel_requested" | "command_canceled" | "problem_acknowledged" | "problem_started" | "problem_assigned" | "problem_commented" | "problem_resolved" | "problems_exported" | "suppression_created" | "suppression_lifted" | "audit_exported" | "audit_verified" | "audit_resealed" | "audit_key_created";
        /** @enum {string} */
        Age: "hour" | "day" | "week" | "older";
        Alive: {
            /**
             * @default ok
             * @constant
             */
            status: "ok";
            /** @default 0.1.0 */
            version: string;
        };
        Anchored: {
            anchors?: {
                [key: string]: unknown;
            }[];
            /** @default 0 */
            after: number;
        };
        AppliedBody: {
            version: string;
        };
        "Approval-Output": {
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
        Assignment: {
            assignee: string | null;
            comment?: string | null;
        };
        Bulk: {
            act: components["schemas"]["Act"];
            ids: string[];
            comment?: string | null;
            assignee?: string | null;
            cause?: components["schemas"]["Cause"] | null;
            action?: string | null;
        };
        Cancellation: {
            /** @default  */
            reason: string;
        };
        /** @enum {string} */
        Cause: "repaired" | "replaced" | "cleaned" | "reconfigured" | "false_alarm" | "accepted" | "other";
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
        ChangeShown: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            field: string;
            old: string | null;
            new: string | null;
            cause: string;
        };
        ChangeTenantBody: {
            name?: string | null;
            require_totp?: boolean | null;
        };
        ChangeUserBody: {
            name?: string | null;
            state?: ("active" | "disabled") | null;
        };
        Changes: {
            miner_no: number;
            changes: components["schemas"]["ChangeShown"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        CollectorPermission: "read" | "control" | "config";
        Comment: {
            comment: string;
        };
        /** @enum {string} */
        ConfigStatus: "draft" | "active" | "deprecated";
        /** @enum {string} */
        Credential: "token" | "enrolment_code" | "nothing";
        Decision: {
            reason: string;
        };
        EndMaintenance: {
            site_id?: string | number | null;
            miner_ids?: string[] | null;
            filter?: components["schemas"]["MinerFilter"] | null;
            reason: string;
        };
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
        /** @enum {string} */
        EventStatus: "open" | "acknowledged" | "resolved";
        EventsBody: {
            events: components["schemas"]["EventBody"][];
        };
        Expected: {
            state: string;
            /** Format: date-time */
            from_at: string;
            until_at: string | null;
            cause: string;
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
        GroupChange: {
            name?: string | null;
            filter?: components["schemas"]["MinerFilter"] | null;
            site_id?: string | number | null;
            add?: string[] | null;
            remove?: string[] | null;
        };
        GroupShown: {
            id: number;
            name: string;
            kind: string;
            filter: {
                [key: string]: unknown;
            } | null;
            members: number;
            /** Format: date-time */
            created_at: string;
            refreshed_at: string | null;
            to_join: number | null;
            to_leave: number | null;
        };
        Groups: {
            groups: components["schemas"]["GroupShown"][];
            next_cursor: string | null;
        };
        HTTPValidationError: {
            detail?: components["schemas"]["ValidationError"][];
        };
        HeartbeatBody: {
            /**
             * @default online
             * @enum {string}
             */
            status: "online" | "degraded" | "error";
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
        ImportReport: {
            created: number;
            changed: number;
            unchanged: number;
            refused: number;
            zones_created: number;
            racks_created: number;
            lines: components["schemas"]["RefusedLine"][];
        };
        Lift: {
            reason?: string | null;
        };
        LoginBody: {
            email: string;
            /** Format: password */
            password: string;
            totp_code?: string | null;
            /** @default false */
            cookie: boolean;
        };
        MaintenanceList: {
            maintenance: components["schemas"]["MaintenanceShown"][];
            more: boolean;
        };
        MaintenanceShown: {
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
        MinerChangeBody: {
            site_id?: string | number | null;
            /** @default  */
            miner_id: string;
            serial?: string | null;
            mac?: string | null;
            model?: string | null;
            firmware?: string | null;
            /**
             * @default air
             * @enum {string}
             */
            cooling: "air" | "hydro" | "immersion";
            zone?: string | null;
            rack?: string | null;
            position?: string | null;
            power_node_id?: number | null;
            network_node_id?: number | null;
            owner?: string | null;
            expected_ths?: number | null;
            /**
             * @default in_service
             * @enum {string}
             */
            state: "in_service" | "retired";
        };
        MinerDetail: {
            miner: components["schemas"]["MinerShown"];
            expected: components["schemas"]["Expected"] | null;
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
        MinerShown: {
            miner_no: number;
            miner_id: string;
            site_id: number;
            site: string;
            serial: string | null;
            mac: string | null;
            model: string | null;
            firmware: string | null;
            cooling: string;
            zone: string | null;
            rack: string | null;
            position: string | null;
            power_node_id: number | null;
            network_node_id: number | null;
            owner: string | null;
            expected_ths: number | null;
            expected_source: string | null;
            state: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Miners: {
            miners: components["schemas"]["MinerShown"][];
            next_cursor: string | null;
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
        NewCommands: {
            site_id?: string | number | null;
            miner_ids?: string[] | null;
            group_id?: number | null;
            filter?: components["schemas"]["Filter"] | null;
            command_type: string;
            params?: unknown;
            /** @default efficiency */
            priority: string;
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
            site_id: string | number;
            miner_id: string;
            serial?: string | null;
            mac?: string | null;
            model?: string | null;
            firmware?: string | null;
            cooling?: ("air" | "hydro" | "immersion") | null;
            zone?: string | null;
            rack?: string | null;
            position?: string | null;
            power_node_id?: number | null;
            network_node_id?: number | null;
            owner?: string | null;
            expected_ths?: number | null;
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
        NewRack: {
            site_id: string | number;
            zone?: string | null;
            code: string;
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
        NodeShown: {
            id: number;
            site_id: number;
            kind: string;
            code: string;
            parent_id: number | null;
        };
        Nodes: {
            nodes: components["schemas"]["NodeShown"][];
            next_cursor: string | null;
        };
        OldPasswordBody: {
            /** Format: password */
            password: string;
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
        PayloadKeyBody: {
            key_b64?: string | null;
            /** @default 86400 */
            overlap_sec: number;
        };
        Pools: {
            /** @default [] */
            allowed: string[];
            /** @default [] */
            workers: string[];
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
        RackShown: {
            id: number;
            site_id: number;
            zone_id: number | null;
            code: string;
        };
        Racks: {
            racks: components["schemas"]["RackShown"][];
            next_cursor: string | null;
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "degraded" | "not_ready";
            parts: {
                [key: string]: components["schemas"]["Part"];
            };
        };
        RefreshBody: {
            refresh_token?: string | null;
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
        RetireBody: {
            reason: string;
        };
        /** @enum {string} */
        Role: "Owner" | "OpsManager" | "NOC" | "Technician" | "CustomerSuccess" | "Customer";
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
            approval?: components["schemas"]["hashinsight__inventory__tenant_settings__Approval"] | null;
            pools?: components["schemas"]["Pools"] | null;
            rules?: components["schemas"]["Rules"] | null;
        };
        SettingsShown: {
            version: number;
            settings: components["schemas"]["TenantSettings"];
            updated_at: string | null;
        };
        /** @enum {string} */
        Severity: "info" | "warning" | "error" | "critical";
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
        SiteShown: {
            id: number;
            code: string;
            name: string;
            timezone: string;
            /** Format: date-time */
            created_at: string;
        };
        Sites: {
            sites: components["schemas"]["SiteShown"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        Sort: "severity" | "p_fail_24h" | "last_seen_ts" | "start_ts" | "loss_ths" | "miner_id";
        /** @enum {string} */
        State: "queued" | "dispatched" | "running" | "succeeded" | "failed" | "expired" | "canceled" | "superseded";
        /** @enum {string} */
        Status: "pending" | "active" | "offline" | "disabled";
        StepUpBody: {
            code?: string | null;
            password?: string | null;
        };
        Suppress: {
            until?: string | null;
            /** @default false */
            maintenance: boolean;
            reason: string;
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
            approval: components["schemas"]["Approval-Output"];
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
        Touched: {
            machines: number;
        };
        ValidationError: {
            loc: (string | number)[];
            msg: string;
            type: string;
            input?: unknown;
            ctx?: Record<string, never>;
        };
        ZoneChange: {
            code?: string | null;
            name?: string | null;
        };
        ZoneShown: {
            id: number;
            site_id: number;
            code: string;
            name: string;
        };
        Zones: {
            zones: components["schemas"]["ZoneShown"][];
            next_cursor: string | null;
        };
        hashinsight__collectors__schemas__CodeBody: {
            /** @default 24 */
            life_hours: number;
        };
        /** @enum {string} */
        hashinsight__commands__states__Approval: "none" | "required" | "approved" | "rejected";
        hashinsight__identity__schemas__CodeBody: {
            code: string;
        };
        hashinsight__inventory__tenant_settings__Approval: {
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
        hashinsight__problems__schemas__Resolution: {
            cause: components["schemas"]["Cause"];
            action?: string | null;
            comment?: string | null;
        };
        /** @enum {string} */
        hashinsight__telemetry__resolutions__Resolution: "raw" | "5min" | "hourly" | "daily";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    take_batch_api_edge_v1_telemetry_batch_post: {
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
                    "application/json": {
                        success: boolean | null;
                        accepted: number | null;
                        rejected: number | null;
                        duplicates: number | null;
                        errors: {
                            index: number | null;
                            error_code: string | null;
                            reason: string | null;
                        }[];
                    };
                };
            };
        };
    };
    take_upload_api_collector_upload_post: {
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
                    "application/json": {
                        success: boolean | null;
                        accepted: number | null;
                        rejected: number | null;
                        duplicates: number | null;
                        errors: {
                            index: number | null;
                            error_code: string | null;
                            reason: string | null;
                        }[];
                    };
                };
            };
        };
    };
    poll_api_edge_v1_commands_poll_get: {
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
                    "application/json": {
                        commands: {
                            command_id: string | null;
                            site_id: string | null;
                            miner_id: string | null;
                            command_type: string | null;
                            command: string | null;
                            params: Record<string, never>;
                            priority: number | null;
                            issued_at: string | null;
                            expires_at: string | null;
                            ttl_sec: number | null;
                            attempt: number | null;
                            lease_until: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    ack_batch_api_edge_v1_commands_ack_batch_post: {
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
                    "application/json": {
                        success: boolean | null;
                        applied: number | null;
                        results: {
                            command_id: string | null;
                            applied: boolean | null;
                            state: string | null;
                        }[];
                    };
                };
            };
        };
    };
    ack_api_edge_v1_commands__command_id__ack_post: {
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
                    "application/json": {
                        success: boolean | null;
                        command_id: string | null;
                        applied: boolean | null;
                        state: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    pending_api_collector_commands_pending_get: {
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
                    "application/json": {
                        success: boolean | null;
                        commands: {
                            command_id: string | null;
                            site_id: string | null;
                            miner_id: string | null;
                            command_type: string | null;
                            command: string | null;
                            params: Record<string, never>;
                            priority: number | null;
                            issued_at: string | null;
                            expires_at: string | null;
                            ttl_sec: number | null;
                            attempt: number | null;
                            lease_until: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    pending_of_site_api_collector_commands_pending__site_id__get: {
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
                    "application/json": {
                        success: boolean | null;
                        commands: {
                            command_id: string | null;
                            site_id: string | null;
                            miner_id: string | null;
                            command_type: string | null;
                            command: string | null;
                            params: Record<string, never>;
                            priority: number | null;
                            issued_at: string | null;
                            expires_at: string | null;
                            ttl_sec: number | null;
                            attempt: number | null;
                            lease_until: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    result_api_collector_commands__command_id__result_post: {
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
                    "application/json": {
                        success: boolean | null;
                        command_id: string | null;
                        applied: boolean | null;
                        state: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    ack_named_api_collector_commands_ack_post: {
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
                    "application/json": {
                        success: boolean | null;
                        command_id: string | null;
                        applied: boolean | null;
                        state: string | null;
                    };
                };
            };
        };
    };
    register_collector_api_edge_v1_register_post: {
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
                    "application/json": {
                        success: boolean | null;
                        collector_id: string | null;
                        status: string | null;
                        site_id: string | null;
                        token: string | null;
                        token_expires_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    heartbeat_api_edge_v1_heartbeat_post: {
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
                    "application/json": {
                        success: boolean | null;
                        server_time: string | null;
                        clock_skew_sec: number | null;
                        config_version: string | null;
                        commands_allowed: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    report_events_api_edge_v1_events_post: {
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
                    "application/json": {
                        success: boolean | null;
                        stored: number | null;
                        duplicates: number | null;
                        rejected: number | null;
                        errors: {
                            index: number | null;
                            error_code: string | null;
                            reason: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_config_api_edge_v1_config_get: {
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
                    "application/json": {
                        success: boolean | null;
                        version: string | null;
                        config: {
                            collection_interval: number | null;
                            heartbeat_interval: number | null;
                            api_timeout: number | null;
                            retry: {
                                attempts: number | null;
                                delays_sec: (number | null)[];
                            };
                            buffer: {
                                hours: number | null;
                            };
                            features: {
                                auto_discovery: boolean | null;
                                remote_control: boolean | null;
                                auto_reboot: boolean | null;
                            };
                        };
                        in_step: boolean | null;
                    };
                };
            };
        };
    };
    config_applied_api_edge_v1_config_applied_post: {
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
                    "application/json": {
                        success: boolean | null;
                        version: string | null;
                        known: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    healthz_healthz_get: {
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
                    "application/json": components["schemas"]["Alive"];
                };
            };
        };
    };
    readyz_readyz_get: {
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
    metrics_metrics_get: {
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
                    "text/plain": unknown;
                };
            };
        };
    };
    sign_in_api_v1_auth_login_post: {
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
                    "application/json": {
                        access_token: string | null;
                        refresh_token: string | null;
                        expires_in: number | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    renew_api_v1_auth_refresh_post: {
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
                    "application/json": {
                        access_token: string | null;
                        refresh_token: string | null;
                        expires_in: number | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    sign_out_api_v1_auth_logout_post: {
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
        };
    };
    me_api_v1_auth_me_get: {
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
                    "application/json": {
                        tenant_id: string | null;
                        actor: {
                            kind: string | null;
                            id: string | null;
                        };
                        user: {
                            email: string | null;
                            name: string | null;
                        };
                        grants: {
                            role: string | null;
                            zone_ids: (number | null)[];
                            touches: (number | null)[];
                            may: (string | null)[];
                        }[];
                        may: (string | null)[];
                        must_enrol_totp: boolean | null;
                    };
                };
            };
        };
    };
    set_own_password_api_v1_auth_password_post: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    begin_api_v1_auth_totp_begin_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OldPasswordBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        secret: string | null;
                        uri: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    confirm_api_v1_auth_totp_confirm_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["hashinsight__identity__schemas__CodeBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recovery_codes: (string | null)[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    disable_api_v1_auth_totp_disable_post: {
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
        };
    };
    step_up_api_v1_auth_step_up_post: {
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
                    "application/json": {
                        access_token: string | null;
                        expires_in: number | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_users_api_admin_v1_users_get: {
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
                    "application/json": {
                        users: {
                            id: string | null;
                            email: string | null;
                            name: string | null;
                            state: string | null;
                            has_totp: boolean | null;
                            created_at: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_user_api_admin_v1_users_post: {
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
                    "application/json": {
                        id: string | null;
                        email: string | null;
                        name: string | null;
                        state: string | null;
                        has_totp: boolean | null;
                        created_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_user_api_admin_v1_users__user_id__get: {
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
                    "application/json": {
                        id: string | null;
                        email: string | null;
                        name: string | null;
                        state: string | null;
                        has_totp: boolean | null;
                        created_at: string | null;
                        grants: {
                            id: string | null;
                            user_id: string | null;
                            role: string | null;
                            site_ids: (number | null)[];
                            created_at: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_user_api_admin_v1_users__user_id__delete: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    change_user_api_admin_v1_users__user_id__patch: {
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
                    "application/json": {
                        id: string | null;
                        email: string | null;
                        name: string | null;
                        state: string | null;
                        has_totp: boolean | null;
                        created_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    reset_password_api_admin_v1_users__user_id__password_post: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    unlock_api_admin_v1_users__user_id__unlock_post: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    reset_totp_api_admin_v1_users__user_id__totp_reset_post: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_grants_api_admin_v1_grants_get: {
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
                    "application/json": {
                        grants: {
                            id: string | null;
                            user_id: string | null;
                            role: string | null;
                            site_ids: (number | null)[];
                            created_at: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_grant_api_admin_v1_grants_post: {
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
                    "application/json": {
                        id: string | null;
                        user_id: string | null;
                        role: string | null;
                        site_ids: (number | null)[];
                        created_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_grant_api_admin_v1_grants__grant_id__delete: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_tenants_api_admin_v1_tenants_get: {
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
                    "application/json": {
                        tenants: {
                            id: string | null;
                            name: string | null;
                            require_totp: boolean | null;
                        }[];
                    };
                };
            };
        };
    };
    change_tenant_api_admin_v1_tenants__tenant_id__patch: {
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
                    "application/json": {
                        id: string | null;
                        name: string | null;
                        require_totp: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_keys_api_admin_v1_api_keys_get: {
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
                    "application/json": {
                        api_keys: {
                            id: string | null;
                            name: string | null;
                            user_id: string | null;
                            state: string | null;
                            key_start: string | null;
                            created_at: string | null;
                            expires_at: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_key_api_admin_v1_api_keys_post: {
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
                    "application/json": {
                        id: string | null;
                        name: string | null;
                        user_id: string | null;
                        state: string | null;
                        key_start: string | null;
                        created_at: string | null;
                        expires_at: string | null;
                        key: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    revoke_key_api_admin_v1_api_keys__key_id__delete: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    search_api_admin_v1_audit_get: {
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
                    "application/json": {
                        entries: {
                            id: string | null;
                            at: string | null;
                            recorded_at: string | null;
                            actor_kind: string | null;
                            actor_id: string | null;
                            action: string | null;
                            entity_type: string | null;
                            entity_id: string | null;
                            before: {
                                owner: string | null;
                            };
                            after: {
                                owner: string | null;
                            };
                            request_id: string | null;
                            address: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    export_api_admin_v1_audit_export_get: {
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
                    "application/x-ndjson": unknown;
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_seals_api_admin_v1_audit_seals_get: {
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
                    "application/json": {
                        seals: {
                            no: number | null;
                            era: number | null;
                            snapshot: string | null;
                            server: string | null;
                            entries: number | null;
                            digest: string | null;
                            previous: string | null;
                            sealed_at: string | null;
                            key_id: string | null;
                            hash: string | null;
                            signature: string | null;
                            public_key: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    verify_now_api_admin_v1_audit_verify_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Anchored"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean | null;
                        complete: boolean | null;
                        seals: number | null;
                        entries: number | null;
                        unsealed: number | null;
                        oldest_unsealed_at: string | null;
                        last_seal: number | null;
                        last_hash: string | null;
                        anchors: number | null;
                        found: number | null;
                        findings: {
                            kind: string | null;
                            seal: number | null;
                            entry_id: string | null;
                            message: string | null;
                        }[];
                        notes: unknown[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_sites_api_admin_v1_sites_get: {
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
                    "application/json": components["schemas"]["Sites"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_site_api_admin_v1_sites_post: {
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
                    "application/json": components["schemas"]["SiteShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_site_api_admin_v1_sites__site_id__get: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    change_site_api_admin_v1_sites__site_id__patch: {
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
                    "application/json": components["schemas"]["SiteShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_zones_api_admin_v1_zones_get: {
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
                    "application/json": components["schemas"]["Zones"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_zone_api_admin_v1_zones_post: {
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
                    "application/json": components["schemas"]["ZoneShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_zone_api_admin_v1_zones__zone_id__get: {
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
                    "application/json": components["schemas"]["ZoneShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    change_zone_api_admin_v1_zones__zone_id__patch: {
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
                    "application/json": components["schemas"]["ZoneShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_racks_api_admin_v1_racks_get: {
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
                    "application/json": components["schemas"]["Racks"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_rack_api_admin_v1_racks_post: {
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
                    "application/json": components["schemas"]["RackShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_nodes_api_admin_v1_nodes_get: {
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
                    "application/json": components["schemas"]["Nodes"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_node_api_admin_v1_nodes_post: {
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
                    "application/json": components["schemas"]["NodeShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_groups_api_admin_v1_groups_get: {
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
                    "application/json": components["schemas"]["Groups"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_group_api_admin_v1_groups_post: {
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
                    "application/json": components["schemas"]["GroupShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_group_api_admin_v1_groups__group_id__get: {
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
                    "application/json": components["schemas"]["GroupShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_group_api_admin_v1_groups__group_id__delete: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    change_group_api_admin_v1_groups__group_id__patch: {
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
                    "application/json": components["schemas"]["GroupShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    refresh_group_api_admin_v1_groups__group_id__refresh_post: {
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
                    "application/json": components["schemas"]["GroupShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_settings_api_admin_v1_settings_get: {
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
                    "application/json": components["schemas"]["SettingsShown"];
                };
            };
        };
    };
    change_settings_api_admin_v1_settings_patch: {
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
                    "application/json": components["schemas"]["SettingsShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    import_list_api_admin_v1_miners_import_post: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    export_list_api_admin_v1_miners_export_get: {
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
                    "text/csv": unknown;
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_maintenance_api_admin_v1_miners_maintenance_get: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    set_maintenance_api_admin_v1_miners_maintenance_post: {
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
                    "application/json": components["schemas"]["Touched"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    end_maintenance_api_admin_v1_miners_maintenance_end_post: {
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
                    "application/json": components["schemas"]["Touched"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_miners_api_admin_v1_miners_get: {
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
                    "application/json": components["schemas"]["Miners"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_miner_api_admin_v1_miners_post: {
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
                    "application/json": components["schemas"]["MinerShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_miner_api_admin_v1_miners__miner_id__get: {
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
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    change_miner_api_admin_v1_miners__miner_id__patch: {
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
                "application/json": components["schemas"]["MinerChangeBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinerShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    retire_miner_api_admin_v1_miners__miner_id__retire_post: {
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
                    "application/json": components["schemas"]["MinerShown"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_history_api_admin_v1_miners__miner_id__history_get: {
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
                    "application/json": components["schemas"]["Changes"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_collectors_api_admin_v1_collectors_get: {
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
                    "application/json": {
                        collectors: {
                            id: string | null;
                            site_id: number | null;
                            site_code: string | null;
                            name: string | null;
                            status: string | null;
                            version: string | null;
                            config_version: string | null;
                            config_applied_at: string | null;
                            collection_interval_sec: number | null;
                            heartbeat_interval_sec: number | null;
                            offline_after_sec: number | null;
                            permissions: (string | null)[];
                            signs_commands: boolean | null;
                            settings: Record<string, never>;
                            last_seen_at: string | null;
                            last_address: string | null;
                            last_device_id: string | null;
                            connection_count: number | null;
                            last_heartbeat_at: string | null;
                            reported_status: string | null;
                            cpu_usage: number | null;
                            memory_usage: number | null;
                            disk_usage: number | null;
                            total_miners: number | null;
                            active_miners: number | null;
                            uptime_sec: number | null;
                            clock_skew_sec: number | null;
                            created_at: string | null;
                            created_by: string | null;
                            updated_at: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_collector_api_admin_v1_collectors_post: {
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
                    "application/json": {
                        collector: {
                            id: string | null;
                            site_id: number | null;
                            site_code: string | null;
                            name: string | null;
                            status: string | null;
                            version: string | null;
                            config_version: string | null;
                            config_applied_at: string | null;
                            collection_interval_sec: number | null;
                            heartbeat_interval_sec: number | null;
                            offline_after_sec: number | null;
                            permissions: (string | null)[];
                            signs_commands: boolean | null;
                            settings: Record<string, never>;
                            last_seen_at: string | null;
                            last_address: string | null;
                            last_device_id: string | null;
                            connection_count: number | null;
                            last_heartbeat_at: string | null;
                            reported_status: string | null;
                            cpu_usage: number | null;
                            memory_usage: number | null;
                            disk_usage: number | null;
                            total_miners: number | null;
                            active_miners: number | null;
                            uptime_sec: number | null;
                            clock_skew_sec: number | null;
                            created_at: string | null;
                            created_by: string | null;
                            updated_at: string | null;
                        };
                        token: string | null;
                        expires_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    summary_api_admin_v1_collectors_summary_get: {
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
                    "application/json": {
                        collectors: {
                            collector_id: string | null;
                            name: string | null;
                            site_id: number | null;
                            site_code: string | null;
                            status: string | null;
                            version: string | null;
                            reported_status: string | null;
                            last_seen_at: string | null;
                            last_heartbeat_at: string | null;
                            cpu_usage: number | null;
                            memory_usage: number | null;
                            active_miners: number | null;
                            total_miners: number | null;
                            clock_skew_sec: number | null;
                            open_alerts: {
                                info: number | null;
                                warning: number | null;
                                error: number | null;
                                critical: number | null;
                            };
                            pending_commands: number | null;
                            commands_24h: {
                                dispatched: number | null;
                                succeeded: number | null;
                                failed: number | null;
                                expired: number | null;
                                canceled: number | null;
                                superseded: number | null;
                                mean_execution_sec: number | null;
                            };
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_collector_api_admin_v1_collectors__collector_id__get: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        site_code: string | null;
                        name: string | null;
                        status: string | null;
                        version: string | null;
                        config_version: string | null;
                        config_applied_at: string | null;
                        collection_interval_sec: number | null;
                        heartbeat_interval_sec: number | null;
                        offline_after_sec: number | null;
                        permissions: (string | null)[];
                        signs_commands: boolean | null;
                        settings: Record<string, never>;
                        last_seen_at: string | null;
                        last_address: string | null;
                        last_device_id: string | null;
                        connection_count: number | null;
                        last_heartbeat_at: string | null;
                        reported_status: string | null;
                        cpu_usage: number | null;
                        memory_usage: number | null;
                        disk_usage: number | null;
                        total_miners: number | null;
                        active_miners: number | null;
                        uptime_sec: number | null;
                        clock_skew_sec: number | null;
                        created_at: string | null;
                        created_by: string | null;
                        updated_at: string | null;
                        token: {
                            issued_at: string | null;
                            expires_at: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    change_collector_api_admin_v1_collectors__collector_id__patch: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        site_code: string | null;
                        name: string | null;
                        status: string | null;
                        version: string | null;
                        config_version: string | null;
                        config_applied_at: string | null;
                        collection_interval_sec: number | null;
                        heartbeat_interval_sec: number | null;
                        offline_after_sec: number | null;
                        permissions: (string | null)[];
                        signs_commands: boolean | null;
                        settings: Record<string, never>;
                        last_seen_at: string | null;
                        last_address: string | null;
                        last_device_id: string | null;
                        connection_count: number | null;
                        last_heartbeat_at: string | null;
                        reported_status: string | null;
                        cpu_usage: number | null;
                        memory_usage: number | null;
                        disk_usage: number | null;
                        total_miners: number | null;
                        active_miners: number | null;
                        uptime_sec: number | null;
                        clock_skew_sec: number | null;
                        created_at: string | null;
                        created_by: string | null;
                        updated_at: string | null;
                        token: {
                            issued_at: string | null;
                            expires_at: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    approve_collector_api_admin_v1_collectors__collector_id__approve_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        site_code: string | null;
                        name: string | null;
                        status: string | null;
                        version: string | null;
                        config_version: string | null;
                        config_applied_at: string | null;
                        collection_interval_sec: number | null;
                        heartbeat_interval_sec: number | null;
                        offline_after_sec: number | null;
                        permissions: (string | null)[];
                        signs_commands: boolean | null;
                        settings: Record<string, never>;
                        last_seen_at: string | null;
                        last_address: string | null;
                        last_device_id: string | null;
                        connection_count: number | null;
                        last_heartbeat_at: string | null;
                        reported_status: string | null;
                        cpu_usage: number | null;
                        memory_usage: number | null;
                        disk_usage: number | null;
                        total_miners: number | null;
                        active_miners: number | null;
                        uptime_sec: number | null;
                        clock_skew_sec: number | null;
                        created_at: string | null;
                        created_by: string | null;
                        updated_at: string | null;
                        token: {
                            issued_at: string | null;
                            expires_at: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    disable_collector_api_admin_v1_collectors__collector_id__disable_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        site_code: string | null;
                        name: string | null;
                        status: string | null;
                        version: string | null;
                        config_version: string | null;
                        config_applied_at: string | null;
                        collection_interval_sec: number | null;
                        heartbeat_interval_sec: number | null;
                        offline_after_sec: number | null;
                        permissions: (string | null)[];
                        signs_commands: boolean | null;
                        settings: Record<string, never>;
                        last_seen_at: string | null;
                        last_address: string | null;
                        last_device_id: string | null;
                        connection_count: number | null;
                        last_heartbeat_at: string | null;
                        reported_status: string | null;
                        cpu_usage: number | null;
                        memory_usage: number | null;
                        disk_usage: number | null;
                        total_miners: number | null;
                        active_miners: number | null;
                        uptime_sec: number | null;
                        clock_skew_sec: number | null;
                        created_at: string | null;
                        created_by: string | null;
                        updated_at: string | null;
                        token: {
                            issued_at: string | null;
                            expires_at: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    enable_collector_api_admin_v1_collectors__collector_id__enable_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        site_code: string | null;
                        name: string | null;
                        status: string | null;
                        version: string | null;
                        config_version: string | null;
                        config_applied_at: string | null;
                        collection_interval_sec: number | null;
                        heartbeat_interval_sec: number | null;
                        offline_after_sec: number | null;
                        permissions: (string | null)[];
                        signs_commands: boolean | null;
                        settings: Record<string, never>;
                        last_seen_at: string | null;
                        last_address: string | null;
                        last_device_id: string | null;
                        connection_count: number | null;
                        last_heartbeat_at: string | null;
                        reported_status: string | null;
                        cpu_usage: number | null;
                        memory_usage: number | null;
                        disk_usage: number | null;
                        total_miners: number | null;
                        active_miners: number | null;
                        uptime_sec: number | null;
                        clock_skew_sec: number | null;
                        created_at: string | null;
                        created_by: string | null;
                        updated_at: string | null;
                        token: {
                            issued_at: string | null;
                            expires_at: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_heartbeats_api_admin_v1_collectors__collector_id__heartbeats_get: {
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
                    "application/json": {
                        heartbeats: {
                            id: string | null;
                            at: string | null;
                            device_id: string | null;
                            status: string | null;
                            cpu_usage: number | null;
                            memory_usage: number | null;
                            disk_usage: number | null;
                            uptime_sec: number | null;
                            version: string | null;
                            miners_online: number | null;
                            miners_total: number | null;
                            errors_count: number | null;
                            spool_depth: number | null;
                            clock_skew_sec: number | null;
                            extra_data: {
                                polls: number | null;
                            };
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    rotate_token_api_admin_v1_collectors__collector_id__rotate_token_post: {
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
                    "application/json": {
                        token: string | null;
                        expires_at: string | null;
                        old_tokens_until: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    revoke_tokens_api_admin_v1_collectors__collector_id__revoke_tokens_post: {
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
                    "application/json": {
                        revoked: number | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    issue_enrolment_code_api_admin_v1_collectors__collector_id__enrolment_code_post: {
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
                "application/json": components["schemas"]["hashinsight__collectors__schemas__CodeBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enrolment_code: string | null;
                        expires_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    set_payload_key_api_admin_v1_collectors__collector_id__payload_key_post: {
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
                    "application/json": {
                        payload_key: string | null;
                        old_keys_until: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    remove_payload_keys_api_admin_v1_collectors__collector_id__payload_key_delete: {
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
                    "application/json": {
                        removed: number | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_signing_keys_api_admin_v1_collectors__collector_id__signing_keys_get: {
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
                    "application/json": {
                        signs_commands: boolean | null;
                        keys: {
                            key_id: string | null;
                            algorithm: string | null;
                            public_key: string | null;
                            created_at: string | null;
                            signs_from: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    add_signing_key_api_admin_v1_collectors__collector_id__signing_keys_post: {
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
                    "application/json": {
                        key_id: string | null;
                        algorithm: string | null;
                        public_key: string | null;
                        signs_from: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    revoke_signing_key_api_admin_v1_collectors__collector_id__signing_keys__key_id__delete: {
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
                    "application/json": {
                        signs_commands: boolean | null;
                        keys: {
                            key_id: string | null;
                            algorithm: string | null;
                            public_key: string | null;
                            created_at: string | null;
                            signs_from: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    turn_signing_api_admin_v1_collectors__collector_id__signing_put: {
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
                    "application/json": {
                        signs_commands: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_configs_api_admin_v1_collector_configs_get: {
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
                    "application/json": {
                        configs: {
                            id: string | null;
                            version: string | null;
                            data: {
                                collection_interval: number | null;
                                heartbeat_interval: number | null;
                                api_timeout: number | null;
                                retry: {
                                    attempts: number | null;
                                    delays_sec: (number | null)[];
                                };
                                buffer: {
                                    hours: number | null;
                                };
                                features: {
                                    auto_discovery: boolean | null;
                                    remote_control: boolean | null;
                                    auto_reboot: boolean | null;
                                };
                            };
                            status: string | null;
                            is_default: boolean | null;
                            change_summary: string | null;
                            created_at: string | null;
                            created_by: string | null;
                            activated_at: string | null;
                            activated_by: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    draft_config_api_admin_v1_collector_configs_post: {
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
                    "application/json": {
                        id: string | null;
                        version: string | null;
                        data: {
                            collection_interval: number | null;
                            heartbeat_interval: number | null;
                            api_timeout: number | null;
                            retry: {
                                attempts: number | null;
                                delays_sec: (number | null)[];
                            };
                            buffer: {
                                hours: number | null;
                            };
                            features: {
                                auto_discovery: boolean | null;
                                remote_control: boolean | null;
                                auto_reboot: boolean | null;
                            };
                        };
                        status: string | null;
                        is_default: boolean | null;
                        change_summary: string | null;
                        created_at: string | null;
                        created_by: string | null;
                        activated_at: string | null;
                        activated_by: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    rollout_api_admin_v1_collector_configs_rollout_get: {
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
                    "application/json": {
                        collectors: {
                            collector_id: string | null;
                            name: string | null;
                            site_id: number | null;
                            site_code: string | null;
                            status: string | null;
                            wanted_version: string | null;
                            applied_version: string | null;
                            applied_at: string | null;
                            in_step: boolean | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_config_api_admin_v1_collector_configs__config_id__get: {
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
                    "application/json": {
                        id: string | null;
                        version: string | null;
                        data: {
                            collection_interval: number | null;
                            heartbeat_interval: number | null;
                            api_timeout: number | null;
                            retry: {
                                attempts: number | null;
                                delays_sec: (number | null)[];
                            };
                            buffer: {
                                hours: number | null;
                            };
                            features: {
                                auto_discovery: boolean | null;
                                remote_control: boolean | null;
                                auto_reboot: boolean | null;
                            };
                        };
                        status: string | null;
                        is_default: boolean | null;
                        change_summary: string | null;
                        created_at: string | null;
                        created_by: string | null;
                        activated_at: string | null;
                        activated_by: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    activate_config_api_admin_v1_collector_configs__config_id__activate_post: {
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
                    "application/json": {
                        id: string | null;
                        version: string | null;
                        data: {
                            collection_interval: number | null;
                            heartbeat_interval: number | null;
                            api_timeout: number | null;
                            retry: {
                                attempts: number | null;
                                delays_sec: (number | null)[];
                            };
                            buffer: {
                                hours: number | null;
                            };
                            features: {
                                auto_discovery: boolean | null;
                                remote_control: boolean | null;
                                auto_reboot: boolean | null;
                            };
                        };
                        status: string | null;
                        is_default: boolean | null;
                        change_summary: string | null;
                        created_at: string | null;
                        created_by: string | null;
                        activated_at: string | null;
                        activated_by: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    deprecate_config_api_admin_v1_collector_configs__config_id__deprecate_post: {
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
                    "application/json": {
                        id: string | null;
                        version: string | null;
                        data: {
                            collection_interval: number | null;
                            heartbeat_interval: number | null;
                            api_timeout: number | null;
                            retry: {
                                attempts: number | null;
                                delays_sec: (number | null)[];
                            };
                            buffer: {
                                hours: number | null;
                            };
                            features: {
                                auto_discovery: boolean | null;
                                remote_control: boolean | null;
                                auto_reboot: boolean | null;
                            };
                        };
                        status: string | null;
                        is_default: boolean | null;
                        change_summary: string | null;
                        created_at: string | null;
                        created_by: string | null;
                        activated_at: string | null;
                        activated_by: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_events_api_admin_v1_collector_events_get: {
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
                    "application/json": {
                        events: {
                            id: string | null;
                            site_id: number | null;
                            collector_id: string | null;
                            at: string | null;
                            source: string | null;
                            kind: string | null;
                            severity: string | null;
                            title: string | null;
                            message: string | null;
                            details: {
                                last_seen_at: string | null;
                            };
                            status: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    acknowledge_event_api_admin_v1_collector_events__event_id__acknowledge_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        collector_id: string | null;
                        at: string | null;
                        source: string | null;
                        kind: string | null;
                        severity: string | null;
                        title: string | null;
                        message: string | null;
                        details: {
                            last_seen_at: string | null;
                        };
                        status: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    resolve_event_api_admin_v1_collector_events__event_id__resolve_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        collector_id: string | null;
                        at: string | null;
                        source: string | null;
                        kind: string | null;
                        severity: string | null;
                        title: string | null;
                        message: string | null;
                        details: {
                            last_seen_at: string | null;
                        };
                        status: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    live_api_v1_telemetry_live_get: {
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
                    "application/json": {
                        miners: {
                            site_id: number | null;
                            miner_id: string | null;
                            zone: string | null;
                            rack: string | null;
                            hardware: {
                                model: string | null;
                                firmware: string | null;
                                boards_healthy: number | null;
                                boards_total: number | null;
                            };
                            hashrate: {
                                value: number | null;
                                expected_ths: number | null;
                                unit: string | null;
                                source: string | null;
                                expected_source: string | null;
                                newest_ths: number | null;
                                rated_ths: number | null;
                                rated_source: string | null;
                                reference_ths: number | null;
                                stopped_ths: number | null;
                            };
                            last_reported: {
                                at: string | null;
                                hashrate_ths: number | null;
                            };
                            temperature: {
                                avg: number | null;
                                max: number | null;
                                unit: string | null;
                                sensor_fault: boolean | null;
                            };
                            power: {
                                unit: string | null;
                            };
                            efficiency: {
                                unit: string | null;
                            };
                            fan: {
                                avg: number | null;
                                min: number | null;
                                unit: string | null;
                                sensor_fault: boolean | null;
                            };
                            reject: {
                                rate: number | null;
                                accepted: number | null;
                                rejected: number | null;
                            };
                            hardware_errors: number | null;
                            uptime_seconds: number | null;
                            pool: {
                                url: string | null;
                                worker: string | null;
                                status: string | null;
                                latency_ms: number | null;
                            };
                            overall_health: string | null;
                            condition: string | null;
                            mode: string | null;
                            expected_state: string | null;
                            online: boolean | null;
                            status: string | null;
                            last_seen: string | null;
                            sample_at: string | null;
                            age_sec: number | null;
                            state: string | null;
                            state_reason: string | null;
                            doubts: (string | null)[];
                            source: string | null;
                        }[];
                        _meta: {
                            source: string | null;
                            updated_at: string | null;
                            as_of: string | null;
                            right_now: string | null;
                            stale_after_sec: number | null;
                            offline_after_sec: number | null;
                        };
                    };
                    "text/csv": unknown;
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_history_api_v1_telemetry_history_get: {
        parameters: {
            query: {
                site_id: string;
                start: string;
                end: string;
                miner_id?: string | null;
                resolution?: components["schemas"]["hashinsight__telemetry__resolutions__Resolution"];
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
                    "application/json": {
                        series: {
                            miner_id: string | null;
                            data: {
                                ts: string | null;
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
                                online_ratio: number | null;
                                samples: number | null;
                            }[];
                        }[];
                        _meta: {
                            source: string | null;
                            resolution: string | null;
                            site_id: number | null;
                            start: string | null;
                            end: string | null;
                            as_of: string | null;
                            points: number | null;
                            most_points: number | null;
                        };
                    };
                    "text/csv": unknown;
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error_code: string | null;
                        message: string | null;
                        details: {
                            points: number | null;
                            most_points: number | null;
                            use_resolution: string | null;
                        };
                        request_id: string | null;
                    };
                };
            };
        };
    };
    read_sites_api_v1_telemetry_sites_get: {
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
                    "application/json": {
                        sites: {
                            site_id: number | null;
                            code: string | null;
                            name: string | null;
                            timezone: string | null;
                            machines: number | null;
                            online: number | null;
                            unknown: number | null;
                            hashrate_ths: number | null;
                            expected_ths: number | null;
                            expected_unknown_ths: number | null;
                            stopped_ths: number | null;
                            lost_ths: number | null;
                            lost_with_problem_ths: number | null;
                            surplus_ths: number | null;
                            power_w: number | null;
                            power_unknown: number | null;
                            efficiency_j_th: number | null;
                            efficiency_left_out: number | null;
                            conditions: {
                                P0: number | null;
                                P1: number | null;
                                P2: number | null;
                                P3: number | null;
                                down: number | null;
                                stopped: number | null;
                                unknown: number | null;
                                fine: number | null;
                            };
                            hottest_c: number | null;
                            newest_at: string | null;
                            updated_at: string | null;
                            zones: number | null;
                        }[];
                        fleet: {
                            efficiency_j_th: number | null;
                            efficiency_left_out: number | null;
                        };
                        _meta: {
                            as_of: string | null;
                            source: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_cells_api_v1_telemetry_cells_get: {
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
                    "application/json": {
                        machines: number | null;
                        columns: {
                            miner_no: (number | null)[];
                            miner_id: (string | null)[];
                            position: (string | null)[];
                            online: (boolean | null)[];
                            boards_healthy: (number | null)[];
                            boards_total: (number | null)[];
                            hashrate_ths: (number | null)[];
                            expected_ths: (number | null)[];
                            temp_max_c: (number | null)[];
                            temp_other_c: (number | null)[];
                            power_w: (number | null)[];
                            efficiency_j_th: (number | null)[];
                            age_sec: (number | null)[];
                            online_ratio: (number | null)[];
                            stopped: (number | null)[];
                        };
                        named: {
                            zone: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            rack: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            model: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            firmware: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            data_state: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            data_reason: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            overall_health: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            condition: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            inferred_mode: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                            expected_state: {
                                words: (string | null)[];
                                index: (number | null)[];
                            };
                        };
                        _meta: {
                            as_of: string | null;
                            bucket: string | null;
                            source: string | null;
                            site_id: number | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_trend_api_v1_telemetry_trend_get: {
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
                    "application/json": {
                        series: {
                            site_id: number | null;
                            resolution: string | null;
                            ts: (string | null)[];
                            hashrate_ths: (number | null)[];
                            power_w: (number | null)[];
                            temp_max_c: (number | null)[];
                            online: (number | null)[];
                        }[];
                        _meta: {
                            as_of: string | null;
                            start: string | null;
                            end: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_summary_api_v1_sites__site_id__health_summary_get: {
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
                    "application/json": {
                        site_id: number | null;
                        total_miners: number | null;
                        healthy_miners: number | null;
                        problem_miners: number | null;
                        stopped_miners: number | null;
                        down_miners: number | null;
                        unknown_miners: number | null;
                        by_severity: {
                            P0: number | null;
                            P1: number | null;
                            P2: number | null;
                            P3: number | null;
                        };
                        by_issue: {
                            hashrate_degradation: number | null;
                            offline: number | null;
                        };
                        incidents: {
                            incident_id: string | null;
                            problems: number | null;
                        }[];
                        loss: {
                            ths: number | null;
                            thh: number | null;
                        };
                        top_risks: {
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            p_fail_24h: number | null;
                            start_ts: string | null;
                        }[];
                        last_scan_ts: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_site_problems_api_v1_sites__site_id__problems_get: {
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
                sort?: components["schemas"]["Sort"];
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
                    "application/json": {
                        problems: {
                            id: string | null;
                            site_id: number | null;
                            event_no: number | null;
                            miner_no: number | null;
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            opened_ts: string | null;
                            dedup_key: string | null;
                            maintenance_flag: boolean | null;
                            symptom: boolean | null;
                            flapping: boolean | null;
                            escalated: boolean | null;
                            loss_ths: number | null;
                            loss_thh: number | null;
                            p_fail_24h: number | null;
                            zone_id: number | null;
                            model: string | null;
                            firmware: string | null;
                            created_at: string | null;
                            updated_at: string | null;
                            last_seen_ts: string | null;
                            recurrence_count: number | null;
                            consecutive_ok: number | null;
                            consecutive_fail: number | null;
                            evidence_json: {
                                rule_code: string | null;
                                description: string | null;
                                evaluated_at: string | null;
                                way: string | null;
                                ways: (string | null)[];
                                metric: string | null;
                                hashrate_ratio: number | null;
                                threshold: number | null;
                                side: string | null;
                                measured: string | null;
                                held: boolean | null;
                                baseline: {
                                    metric: string | null;
                                    value: number | null;
                                    expected: number | null;
                                    residual: number | null;
                                    smoothed_residual: number | null;
                                    sigma: number | null;
                                    z: number | null;
                                    from_anchor: number | null;
                                };
                                expected_ths: number | null;
                                expectation: string | null;
                                left_out: (string | null)[];
                            }[];
                            actions_json: unknown[];
                            peer_metrics_json: {
                                hashrate_ratio: {
                                    level: string | null;
                                    value: number | null;
                                    robust_z: number | null;
                                    percentile: number | null;
                                    median: number | null;
                                    p10: number | null;
                                    p25: number | null;
                                    p75: number | null;
                                    p90: number | null;
                                    min: number | null;
                                    max: number | null;
                                    count: number | null;
                                };
                            };
                            zone: string | null;
                            suppressed: boolean | null;
                        }[];
                        pagination: {
                            page: number | null;
                            per_page: number | null;
                            total: number | null;
                            pages: number | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_miner_problems_api_v1_miners__miner_id__problems_get: {
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
                    "application/json": {
                        miner_id: string | null;
                        problems: {
                            id: string | null;
                            site_id: number | null;
                            event_no: number | null;
                            miner_no: number | null;
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            opened_ts: string | null;
                            dedup_key: string | null;
                            maintenance_flag: boolean | null;
                            symptom: boolean | null;
                            flapping: boolean | null;
                            escalated: boolean | null;
                            loss_ths: number | null;
                            loss_thh: number | null;
                            p_fail_24h: number | null;
                            zone_id: number | null;
                            model: string | null;
                            firmware: string | null;
                            created_at: string | null;
                            updated_at: string | null;
                            last_seen_ts: string | null;
                            recurrence_count: number | null;
                            consecutive_ok: number | null;
                            consecutive_fail: number | null;
                            evidence_json: {
                                rule_code: string | null;
                                description: string | null;
                                evaluated_at: string | null;
                                way: string | null;
                                ways: (string | null)[];
                                metric: string | null;
                                hashrate_ratio: number | null;
                                threshold: number | null;
                                side: string | null;
                                measured: string | null;
                                held: boolean | null;
                                baseline: {
                                    metric: string | null;
                                    value: number | null;
                                    expected: number | null;
                                    residual: number | null;
                                    smoothed_residual: number | null;
                                    sigma: number | null;
                                    z: number | null;
                                    from_anchor: number | null;
                                };
                                expected_ths: number | null;
                                expectation: string | null;
                                left_out: (string | null)[];
                            }[];
                            actions_json: unknown[];
                            peer_metrics_json: {
                                hashrate_ratio: {
                                    level: string | null;
                                    value: number | null;
                                    robust_z: number | null;
                                    percentile: number | null;
                                    median: number | null;
                                    p10: number | null;
                                    p25: number | null;
                                    p75: number | null;
                                    p90: number | null;
                                    min: number | null;
                                    max: number | null;
                                    count: number | null;
                                };
                            };
                            zone: string | null;
                            suppressed: boolean | null;
                        }[];
                        total: number | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    suppress_miner_api_v1_miners__miner_id__suppress_post: {
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
                    "application/json": {
                        success: boolean | null;
                        miner_id: string | null;
                        message: string | null;
                        until: string | null;
                        maintenance: boolean | null;
                        reason: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    unsuppress_miner_api_v1_miners__miner_id__unsuppress_post: {
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
                    "application/json": {
                        success: boolean | null;
                        miner_id: string | null;
                        message: string | null;
                        lifted: number | null;
                        still_by: (string | null)[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_problems_api_v1_problems_get: {
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
                sort?: components["schemas"]["Sort"];
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
                    "application/json": {
                        problems: {
                            id: string | null;
                            site_id: number | null;
                            event_no: number | null;
                            miner_no: number | null;
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            opened_ts: string | null;
                            dedup_key: string | null;
                            maintenance_flag: boolean | null;
                            symptom: boolean | null;
                            flapping: boolean | null;
                            escalated: boolean | null;
                            loss_ths: number | null;
                            loss_thh: number | null;
                            p_fail_24h: number | null;
                            zone_id: number | null;
                            model: string | null;
                            firmware: string | null;
                            created_at: string | null;
                            updated_at: string | null;
                            last_seen_ts: string | null;
                            recurrence_count: number | null;
                            consecutive_ok: number | null;
                            consecutive_fail: number | null;
                            evidence_json: {
                                rule_code: string | null;
                                description: string | null;
                                evaluated_at: string | null;
                                way: string | null;
                                ways: (string | null)[];
                                metric: string | null;
                                hashrate_ratio: number | null;
                                threshold: number | null;
                                side: string | null;
                                measured: string | null;
                                held: boolean | null;
                                baseline: {
                                    metric: string | null;
                                    value: number | null;
                                    expected: number | null;
                                    residual: number | null;
                                    smoothed_residual: number | null;
                                    sigma: number | null;
                                    z: number | null;
                                    from_anchor: number | null;
                                };
                                expected_ths: number | null;
                                expectation: string | null;
                                left_out: (string | null)[];
                            }[];
                            actions_json: unknown[];
                            peer_metrics_json: {
                                hashrate_ratio: {
                                    level: string | null;
                                    value: number | null;
                                    robust_z: number | null;
                                    percentile: number | null;
                                    median: number | null;
                                    p10: number | null;
                                    p25: number | null;
                                    p75: number | null;
                                    p90: number | null;
                                    min: number | null;
                                    max: number | null;
                                    count: number | null;
                                };
                            };
                            zone: string | null;
                            suppressed: boolean | null;
                        }[];
                        pagination: {
                            page: number | null;
                            per_page: number | null;
                            total: number | null;
                            pages: number | null;
                        };
                    };
                    "text/csv": unknown;
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    count_problems_api_v1_problems_counts_get: {
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
                sort?: components["schemas"]["Sort"];
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
                    "application/json": {
                        total: number | null;
                        symptoms: number | null;
                        facets: {
                            severity: {
                                value: string | null;
                                problems: number | null;
                            }[];
                            issue_code: {
                                value: string | null;
                                problems: number | null;
                            }[];
                            status: {
                                value: string | null;
                                problems: number | null;
                            }[];
                            site: {
                                value: string | null;
                                problems: number | null;
                                name: string | null;
                            }[];
                            zone: {
                                value: string | null;
                                problems: number | null;
                            }[];
                            model: {
                                value: string | null;
                                problems: number | null;
                            }[];
                            firmware: {
                                value: string | null;
                                problems: number | null;
                            }[];
                            age: {
                                value: string | null;
                                problems: number | null;
                            }[];
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_risks_api_v1_sites__site_id__risks_get: {
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
                    "application/json": {
                        site_id: number | null;
                        judged: number | null;
                        columns: {
                            miner_no: (number | null)[];
                            miner_id: (string | null)[];
                            p_fail_24h: (number | null)[];
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_temperature_limits_api_v1_sites__site_id__temperature_limits_get: {
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
                    "application/json": {
                        site_id: number | null;
                        limits: {
                            sensor: string | null;
                            warn_c: number | null;
                            crit_c: number | null;
                            warn_source: string | null;
                            crit_source: string | null;
                            other: {
                                sensor: string | null;
                                warn_c: number | null;
                                crit_c: number | null;
                                warn_source: string | null;
                                crit_source: string | null;
                            };
                        }[];
                        columns: {
                            miner_no: (number | null)[];
                            limit: (number | null)[];
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_assignees_api_v1_problems_assignees_get: {
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
                    "application/json": {
                        assignees: {
                            id: string | null;
                            name: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_problem_api_v1_problems__problem_id__get: {
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
                    "application/json": {
                        problem: {
                            id: string | null;
                            site_id: number | null;
                            event_no: number | null;
                            miner_no: number | null;
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            opened_ts: string | null;
                            dedup_key: string | null;
                            maintenance_flag: boolean | null;
                            symptom: boolean | null;
                            flapping: boolean | null;
                            escalated: boolean | null;
                            loss_ths: number | null;
                            loss_thh: number | null;
                            p_fail_24h: number | null;
                            zone_id: number | null;
                            model: string | null;
                            firmware: string | null;
                            created_at: string | null;
                            updated_at: string | null;
                            last_seen_ts: string | null;
                            recurrence_count: number | null;
                            consecutive_ok: number | null;
                            consecutive_fail: number | null;
                            evidence_json: {
                                rule_code: string | null;
                                description: string | null;
                                evaluated_at: string | null;
                                way: string | null;
                                ways: (string | null)[];
                                metric: string | null;
                                hashrate_ratio: number | null;
                                threshold: number | null;
                                side: string | null;
                                measured: string | null;
                                held: boolean | null;
                                baseline: {
                                    metric: string | null;
                                    value: number | null;
                                    expected: number | null;
                                    residual: number | null;
                                    smoothed_residual: number | null;
                                    sigma: number | null;
                                    z: number | null;
                                    from_anchor: number | null;
                                };
                                expected_ths: number | null;
                                expectation: string | null;
                                left_out: (string | null)[];
                            }[];
                            actions_json: unknown[];
                            peer_metrics_json: {
                                hashrate_ratio: {
                                    level: string | null;
                                    value: number | null;
                                    robust_z: number | null;
                                    percentile: number | null;
                                    median: number | null;
                                    p10: number | null;
                                    p25: number | null;
                                    p75: number | null;
                                    p90: number | null;
                                    min: number | null;
                                    max: number | null;
                                    count: number | null;
                                };
                            };
                            zone: string | null;
                            suppressed: boolean | null;
                        };
                        rule: {
                            code: string | null;
                            severity: string | null;
                            description: string | null;
                            metric: string | null;
                            recommended_actions: (string | null)[];
                            needs: (string | null)[];
                        };
                        timeline: {
                            id: string | null;
                            at: string | null;
                            kind: string | null;
                            actor_kind: string | null;
                            actor_id: string | null;
                            message: string | null;
                            details: Record<string, never>;
                        }[];
                        predecessors: {
                            id: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            last_seen_ts: string | null;
                            resolved_ts: string | null;
                            recurrence_count: number | null;
                            resolved_by: string | null;
                            resolution_cause: string | null;
                            resolution_action: string | null;
                        }[];
                        similar: {
                            resolution_cause: string | null;
                            resolution_action: string | null;
                            times: number | null;
                            last_resolved_ts: string | null;
                            median_sec: number | null;
                        }[];
                        people: {
                            "01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a11": string | null;
                        };
                        machine: {
                            miner_no: number | null;
                            miner_id: string | null;
                            site_id: number | null;
                            model: string | null;
                            firmware: string | null;
                            serial: string | null;
                            owner: string | null;
                            position: string | null;
                            rated_ths: number | null;
                            rated_source: string | null;
                            reference_ths: number | null;
                            expected_ths: number | null;
                            expected_source: string | null;
                            state: string | null;
                            zone: string | null;
                            rack: string | null;
                            condition: string | null;
                            overall_health: string | null;
                            stopped_ths: number | null;
                            online: boolean | null;
                            sample_at: string | null;
                            last_seen_at: string | null;
                        };
                        suppressions: {
                            id: string | null;
                            site_id: number | null;
                            kind: string | null;
                            zone_id: number | null;
                            from_at: string | null;
                            until_at: string | null;
                            maintenance: boolean | null;
                            reason: string | null;
                            created_at: string | null;
                            created_by_kind: string | null;
                            created_by: string | null;
                            site: string | null;
                            zone: string | null;
                        }[];
                        suppressed_detections: {
                            issue_code: string | null;
                            severity: string | null;
                            first_seen_ts: string | null;
                            last_seen_ts: string | null;
                            detections: number | null;
                        }[];
                        baseline: {
                            metrics: {
                                hashrate_ratio: {
                                    expected: number | null;
                                    sigma: number | null;
                                    samples: number | null;
                                    last_value: number | null;
                                    last_residual: number | null;
                                    anchor: number | null;
                                };
                            };
                            inferred_mode: string | null;
                            mode_confidence: number | null;
                            thaw_reason: string | null;
                            updated_at: string | null;
                            frozen_since: string | null;
                        };
                        history: {
                            ts: string | null;
                            data_state: string | null;
                            inferred_mode: string | null;
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
                            expected: {
                                hashrate_ratio: number | null;
                                efficiency: number | null;
                                temp_max: number | null;
                            };
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_timeline_api_v1_problems__problem_id__timeline_get: {
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
                    "application/json": {
                        timeline: {
                            id: string | null;
                            at: string | null;
                            kind: string | null;
                            actor_kind: string | null;
                            actor_id: string | null;
                            message: string | null;
                            details: Record<string, never>;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_health_api_v1_miners__miner_id__health_get: {
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
                    "application/json": {
                        site_id: number | null;
                        miner_id: string | null;
                        health_state: string | null;
                        condition: string | null;
                        issues: {
                            problem_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            evidence: {
                                rule_code: string | null;
                                description: string | null;
                                evaluated_at: string | null;
                                way: string | null;
                                ways: (string | null)[];
                                metric: string | null;
                                hashrate_ratio: number | null;
                                threshold: number | null;
                                side: string | null;
                                measured: string | null;
                                held: boolean | null;
                                baseline: {
                                    metric: string | null;
                                    value: number | null;
                                    expected: number | null;
                                    residual: number | null;
                                    smoothed_residual: number | null;
                                    sigma: number | null;
                                    z: number | null;
                                    from_anchor: number | null;
                                };
                                expected_ths: number | null;
                                expectation: string | null;
                                left_out: (string | null)[];
                            }[];
                            recommended_actions: (string | null)[];
                        }[];
                        hypotheses: unknown[];
                        p_fail_24h: number | null;
                        last_seen_ts: string | null;
                        assessed_at: string | null;
                        suppressions: {
                            id: string | null;
                            site_id: number | null;
                            kind: string | null;
                            zone_id: number | null;
                            from_at: string | null;
                            until_at: string | null;
                            maintenance: boolean | null;
                            reason: string | null;
                            created_at: string | null;
                            created_by_kind: string | null;
                            created_by: string | null;
                            site: string | null;
                            zone: string | null;
                        }[];
                        suppressed_detections: {
                            issue_code: string | null;
                            severity: string | null;
                            first_seen_ts: string | null;
                            last_seen_ts: string | null;
                            detections: number | null;
                        }[];
                        baseline: {
                            metrics: {
                                hashrate_ratio: {
                                    expected: number | null;
                                    sigma: number | null;
                                    samples: number | null;
                                    last_value: number | null;
                                    last_residual: number | null;
                                    anchor: number | null;
                                };
                            };
                            inferred_mode: string | null;
                            mode_confidence: number | null;
                            thaw_reason: string | null;
                            updated_at: string | null;
                            frozen_since: string | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_peers_api_v1_miners__miner_id__peers_get: {
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
                    "application/json": {
                        site_id: number | null;
                        miner_id: string | null;
                        assessed_at: string | null;
                        peers: {
                            hashrate_ratio: {
                                level: string | null;
                                value: number | null;
                                robust_z: number | null;
                                percentile: number | null;
                                median: number | null;
                                p10: number | null;
                                p25: number | null;
                                p75: number | null;
                                p90: number | null;
                                min: number | null;
                                max: number | null;
                                count: number | null;
                                spread: {
                                    edges: (number | null)[];
                                    counts: (number | null)[];
                                };
                            };
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    act_on_many_api_v1_problems_bulk_post: {
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
                    "application/json": {
                        results: {
                            id: string | null;
                            changed: boolean | null;
                            status: string | null;
                        }[];
                        counts: {
                            changed: number | null;
                            refused: number | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    acknowledge_api_v1_problems__problem_id__acknowledge_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        event_no: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        issue_code: string | null;
                        severity: string | null;
                        status: string | null;
                        start_ts: string | null;
                        opened_ts: string | null;
                        dedup_key: string | null;
                        maintenance_flag: boolean | null;
                        symptom: boolean | null;
                        flapping: boolean | null;
                        escalated: boolean | null;
                        loss_ths: number | null;
                        loss_thh: number | null;
                        p_fail_24h: number | null;
                        zone_id: number | null;
                        model: string | null;
                        firmware: string | null;
                        created_at: string | null;
                        updated_at: string | null;
                        last_seen_ts: string | null;
                        recurrence_count: number | null;
                        consecutive_ok: number | null;
                        consecutive_fail: number | null;
                        evidence_json: {
                            rule_code: string | null;
                            description: string | null;
                            evaluated_at: string | null;
                            way: string | null;
                            ways: (string | null)[];
                            metric: string | null;
                            hashrate_ratio: number | null;
                            threshold: number | null;
                            side: string | null;
                            measured: string | null;
                            held: boolean | null;
                            baseline: {
                                metric: string | null;
                                value: number | null;
                                expected: number | null;
                                residual: number | null;
                                smoothed_residual: number | null;
                                sigma: number | null;
                                z: number | null;
                                from_anchor: number | null;
                            };
                            expected_ths: number | null;
                            expectation: string | null;
                            left_out: (string | null)[];
                        }[];
                        actions_json: unknown[];
                        peer_metrics_json: {
                            hashrate_ratio: {
                                level: string | null;
                                value: number | null;
                                robust_z: number | null;
                                percentile: number | null;
                                median: number | null;
                                p10: number | null;
                                p25: number | null;
                                p75: number | null;
                                p90: number | null;
                                min: number | null;
                                max: number | null;
                                count: number | null;
                            };
                        };
                        zone: string | null;
                        suppressed: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    start_api_v1_problems__problem_id__start_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        event_no: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        issue_code: string | null;
                        severity: string | null;
                        status: string | null;
                        start_ts: string | null;
                        opened_ts: string | null;
                        dedup_key: string | null;
                        maintenance_flag: boolean | null;
                        symptom: boolean | null;
                        flapping: boolean | null;
                        escalated: boolean | null;
                        loss_ths: number | null;
                        loss_thh: number | null;
                        p_fail_24h: number | null;
                        zone_id: number | null;
                        model: string | null;
                        firmware: string | null;
                        created_at: string | null;
                        updated_at: string | null;
                        last_seen_ts: string | null;
                        recurrence_count: number | null;
                        consecutive_ok: number | null;
                        consecutive_fail: number | null;
                        evidence_json: {
                            rule_code: string | null;
                            description: string | null;
                            evaluated_at: string | null;
                            way: string | null;
                            ways: (string | null)[];
                            metric: string | null;
                            hashrate_ratio: number | null;
                            threshold: number | null;
                            side: string | null;
                            measured: string | null;
                            held: boolean | null;
                            baseline: {
                                metric: string | null;
                                value: number | null;
                                expected: number | null;
                                residual: number | null;
                                smoothed_residual: number | null;
                                sigma: number | null;
                                z: number | null;
                                from_anchor: number | null;
                            };
                            expected_ths: number | null;
                            expectation: string | null;
                            left_out: (string | null)[];
                        }[];
                        actions_json: unknown[];
                        peer_metrics_json: {
                            hashrate_ratio: {
                                level: string | null;
                                value: number | null;
                                robust_z: number | null;
                                percentile: number | null;
                                median: number | null;
                                p10: number | null;
                                p25: number | null;
                                p75: number | null;
                                p90: number | null;
                                min: number | null;
                                max: number | null;
                                count: number | null;
                            };
                        };
                        zone: string | null;
                        suppressed: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    assign_api_v1_problems__problem_id__assign_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        event_no: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        issue_code: string | null;
                        severity: string | null;
                        status: string | null;
                        start_ts: string | null;
                        opened_ts: string | null;
                        dedup_key: string | null;
                        maintenance_flag: boolean | null;
                        symptom: boolean | null;
                        flapping: boolean | null;
                        escalated: boolean | null;
                        loss_ths: number | null;
                        loss_thh: number | null;
                        p_fail_24h: number | null;
                        zone_id: number | null;
                        model: string | null;
                        firmware: string | null;
                        created_at: string | null;
                        updated_at: string | null;
                        last_seen_ts: string | null;
                        recurrence_count: number | null;
                        consecutive_ok: number | null;
                        consecutive_fail: number | null;
                        evidence_json: {
                            rule_code: string | null;
                            description: string | null;
                            evaluated_at: string | null;
                            way: string | null;
                            ways: (string | null)[];
                            metric: string | null;
                            hashrate_ratio: number | null;
                            threshold: number | null;
                            side: string | null;
                            measured: string | null;
                            held: boolean | null;
                            baseline: {
                                metric: string | null;
                                value: number | null;
                                expected: number | null;
                                residual: number | null;
                                smoothed_residual: number | null;
                                sigma: number | null;
                                z: number | null;
                                from_anchor: number | null;
                            };
                            expected_ths: number | null;
                            expectation: string | null;
                            left_out: (string | null)[];
                        }[];
                        actions_json: unknown[];
                        peer_metrics_json: {
                            hashrate_ratio: {
                                level: string | null;
                                value: number | null;
                                robust_z: number | null;
                                percentile: number | null;
                                median: number | null;
                                p10: number | null;
                                p25: number | null;
                                p75: number | null;
                                p90: number | null;
                                min: number | null;
                                max: number | null;
                                count: number | null;
                            };
                        };
                        zone: string | null;
                        suppressed: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    comment_api_v1_problems__problem_id__comment_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        event_no: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        issue_code: string | null;
                        severity: string | null;
                        status: string | null;
                        start_ts: string | null;
                        opened_ts: string | null;
                        dedup_key: string | null;
                        maintenance_flag: boolean | null;
                        symptom: boolean | null;
                        flapping: boolean | null;
                        escalated: boolean | null;
                        loss_ths: number | null;
                        loss_thh: number | null;
                        p_fail_24h: number | null;
                        zone_id: number | null;
                        model: string | null;
                        firmware: string | null;
                        created_at: string | null;
                        updated_at: string | null;
                        last_seen_ts: string | null;
                        recurrence_count: number | null;
                        consecutive_ok: number | null;
                        consecutive_fail: number | null;
                        evidence_json: {
                            rule_code: string | null;
                            description: string | null;
                            evaluated_at: string | null;
                            way: string | null;
                            ways: (string | null)[];
                            metric: string | null;
                            hashrate_ratio: number | null;
                            threshold: number | null;
                            side: string | null;
                            measured: string | null;
                            held: boolean | null;
                            baseline: {
                                metric: string | null;
                                value: number | null;
                                expected: number | null;
                                residual: number | null;
                                smoothed_residual: number | null;
                                sigma: number | null;
                                z: number | null;
                                from_anchor: number | null;
                            };
                            expected_ths: number | null;
                            expectation: string | null;
                            left_out: (string | null)[];
                        }[];
                        actions_json: unknown[];
                        peer_metrics_json: {
                            hashrate_ratio: {
                                level: string | null;
                                value: number | null;
                                robust_z: number | null;
                                percentile: number | null;
                                median: number | null;
                                p10: number | null;
                                p25: number | null;
                                p75: number | null;
                                p90: number | null;
                                min: number | null;
                                max: number | null;
                                count: number | null;
                            };
                        };
                        zone: string | null;
                        suppressed: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    resolve_api_v1_problems__problem_id__resolve_post: {
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
                "application/json": components["schemas"]["hashinsight__problems__schemas__Resolution"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        event_no: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        issue_code: string | null;
                        severity: string | null;
                        status: string | null;
                        start_ts: string | null;
                        opened_ts: string | null;
                        resolved_ts: string | null;
                        dedup_key: string | null;
                        maintenance_flag: boolean | null;
                        symptom: boolean | null;
                        flapping: boolean | null;
                        escalated: boolean | null;
                        resolved_by: string | null;
                        resolution_cause: string | null;
                        resolution_action: string | null;
                        loss_ths: number | null;
                        loss_thh: number | null;
                        p_fail_24h: number | null;
                        zone_id: number | null;
                        model: string | null;
                        firmware: string | null;
                        created_at: string | null;
                        updated_at: string | null;
                        last_seen_ts: string | null;
                        recurrence_count: number | null;
                        consecutive_ok: number | null;
                        consecutive_fail: number | null;
                        evidence_json: {
                            rule_code: string | null;
                            description: string | null;
                            evaluated_at: string | null;
                            way: string | null;
                            ways: (string | null)[];
                            metric: string | null;
                            hashrate_ratio: number | null;
                            threshold: number | null;
                            side: string | null;
                            measured: string | null;
                            held: boolean | null;
                            baseline: {
                                metric: string | null;
                                value: number | null;
                                expected: number | null;
                                residual: number | null;
                                smoothed_residual: number | null;
                                sigma: number | null;
                                z: number | null;
                                from_anchor: number | null;
                            };
                            expected_ths: number | null;
                            expectation: string | null;
                            left_out: (string | null)[];
                        }[];
                        actions_json: unknown[];
                        peer_metrics_json: {
                            hashrate_ratio: {
                                level: string | null;
                                value: number | null;
                                robust_z: number | null;
                                percentile: number | null;
                                median: number | null;
                                p10: number | null;
                                p25: number | null;
                                p75: number | null;
                                p90: number | null;
                                min: number | null;
                                max: number | null;
                                count: number | null;
                            };
                        };
                        zone: string | null;
                        suppressed: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_suppressions_api_v1_suppressions_get: {
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
                    "application/json": {
                        suppressions: {
                            id: string | null;
                            site_id: number | null;
                            kind: string | null;
                            zone_id: number | null;
                            from_at: string | null;
                            until_at: string | null;
                            maintenance: boolean | null;
                            reason: string | null;
                            created_at: string | null;
                            created_by_kind: string | null;
                            created_by: string | null;
                            site: string | null;
                            zone: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    make_suppression_api_v1_suppressions_post: {
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
                    "application/json": {
                        suppressions: {
                            id: string | null;
                            site_id: number | null;
                            kind: string | null;
                            zone_id: number | null;
                            from_at: string | null;
                            until_at: string | null;
                            maintenance: boolean | null;
                            reason: string | null;
                            created_at: string | null;
                            created_by_kind: string | null;
                            created_by: string | null;
                            site: string | null;
                            zone: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    lift_suppression_api_v1_suppressions__suppression_id__lift_post: {
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
                    "application/json": {
                        id: string | null;
                        site_id: number | null;
                        kind: string | null;
                        zone_id: number | null;
                        from_at: string | null;
                        until_at: string | null;
                        maintenance: boolean | null;
                        reason: string | null;
                        created_at: string | null;
                        created_by_kind: string | null;
                        created_by: string | null;
                        lifted_at: string | null;
                        lifted_by: string | null;
                        site: string | null;
                        zone: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    stream_api_v1_stream_get: {
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
                    "text/event-stream": unknown;
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_summary_hosting_api_sites__site_id__health_summary_get: {
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
                    "application/json": {
                        site_id: number | null;
                        total_miners: number | null;
                        healthy_miners: number | null;
                        problem_miners: number | null;
                        stopped_miners: number | null;
                        down_miners: number | null;
                        unknown_miners: number | null;
                        by_severity: {
                            P0: number | null;
                            P1: number | null;
                            P2: number | null;
                            P3: number | null;
                        };
                        by_issue: {
                            hashrate_degradation: number | null;
                            offline: number | null;
                        };
                        incidents: {
                            incident_id: string | null;
                            problems: number | null;
                        }[];
                        loss: {
                            ths: number | null;
                            thh: number | null;
                        };
                        top_risks: {
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            p_fail_24h: number | null;
                            start_ts: string | null;
                        }[];
                        last_scan_ts: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_site_problems_hosting_api_sites__site_id__problems_get: {
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
                sort?: components["schemas"]["Sort"];
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
                    "application/json": {
                        problems: {
                            id: string | null;
                            site_id: number | null;
                            event_no: number | null;
                            miner_no: number | null;
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            opened_ts: string | null;
                            dedup_key: string | null;
                            maintenance_flag: boolean | null;
                            symptom: boolean | null;
                            flapping: boolean | null;
                            escalated: boolean | null;
                            loss_ths: number | null;
                            loss_thh: number | null;
                            p_fail_24h: number | null;
                            zone_id: number | null;
                            model: string | null;
                            firmware: string | null;
                            created_at: string | null;
                            updated_at: string | null;
                            last_seen_ts: string | null;
                            recurrence_count: number | null;
                            consecutive_ok: number | null;
                            consecutive_fail: number | null;
                            evidence_json: {
                                rule_code: string | null;
                                description: string | null;
                                evaluated_at: string | null;
                                way: string | null;
                                ways: (string | null)[];
                                metric: string | null;
                                hashrate_ratio: number | null;
                                threshold: number | null;
                                side: string | null;
                                measured: string | null;
                                held: boolean | null;
                                baseline: {
                                    metric: string | null;
                                    value: number | null;
                                    expected: number | null;
                                    residual: number | null;
                                    smoothed_residual: number | null;
                                    sigma: number | null;
                                    z: number | null;
                                    from_anchor: number | null;
                                };
                                expected_ths: number | null;
                                expectation: string | null;
                                left_out: (string | null)[];
                            }[];
                            actions_json: unknown[];
                            peer_metrics_json: {
                                hashrate_ratio: {
                                    level: string | null;
                                    value: number | null;
                                    robust_z: number | null;
                                    percentile: number | null;
                                    median: number | null;
                                    p10: number | null;
                                    p25: number | null;
                                    p75: number | null;
                                    p90: number | null;
                                    min: number | null;
                                    max: number | null;
                                    count: number | null;
                                };
                            };
                            zone: string | null;
                            suppressed: boolean | null;
                        }[];
                        pagination: {
                            page: number | null;
                            per_page: number | null;
                            total: number | null;
                            pages: number | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_miner_problems_hosting_api_miners__miner_id__problems_get: {
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
                    "application/json": {
                        miner_id: string | null;
                        problems: {
                            id: string | null;
                            site_id: number | null;
                            event_no: number | null;
                            miner_no: number | null;
                            miner_id: string | null;
                            issue_code: string | null;
                            severity: string | null;
                            status: string | null;
                            start_ts: string | null;
                            opened_ts: string | null;
                            dedup_key: string | null;
                            maintenance_flag: boolean | null;
                            symptom: boolean | null;
                            flapping: boolean | null;
                            escalated: boolean | null;
                            loss_ths: number | null;
                            loss_thh: number | null;
                            p_fail_24h: number | null;
                            zone_id: number | null;
                            model: string | null;
                            firmware: string | null;
                            created_at: string | null;
                            updated_at: string | null;
                            last_seen_ts: string | null;
                            recurrence_count: number | null;
                            consecutive_ok: number | null;
                            consecutive_fail: number | null;
                            evidence_json: {
                                rule_code: string | null;
                                description: string | null;
                                evaluated_at: string | null;
                                way: string | null;
                                ways: (string | null)[];
                                metric: string | null;
                                hashrate_ratio: number | null;
                                threshold: number | null;
                                side: string | null;
                                measured: string | null;
                                held: boolean | null;
                                baseline: {
                                    metric: string | null;
                                    value: number | null;
                                    expected: number | null;
                                    residual: number | null;
                                    smoothed_residual: number | null;
                                    sigma: number | null;
                                    z: number | null;
                                    from_anchor: number | null;
                                };
                                expected_ths: number | null;
                                expectation: string | null;
                                left_out: (string | null)[];
                            }[];
                            actions_json: unknown[];
                            peer_metrics_json: {
                                hashrate_ratio: {
                                    level: string | null;
                                    value: number | null;
                                    robust_z: number | null;
                                    percentile: number | null;
                                    median: number | null;
                                    p10: number | null;
                                    p25: number | null;
                                    p75: number | null;
                                    p90: number | null;
                                    min: number | null;
                                    max: number | null;
                                    count: number | null;
                                };
                            };
                            zone: string | null;
                            suppressed: boolean | null;
                        }[];
                        total: number | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    suppress_miner_hosting_api_miners__miner_id__suppress_post: {
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
                    "application/json": {
                        success: boolean | null;
                        miner_id: string | null;
                        message: string | null;
                        until: string | null;
                        maintenance: boolean | null;
                        reason: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    unsuppress_miner_hosting_api_miners__miner_id__unsuppress_post: {
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
                    "application/json": {
                        success: boolean | null;
                        miner_id: string | null;
                        message: string | null;
                        lifted: number | null;
                        still_by: (string | null)[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_catalogue_api_admin_v1_commands_catalogue_get: {
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
                    "application/json": {
                        types: {
                            command_type: string | null;
                            wire_verb: string | null;
                            risk: string | null;
                            effect: string | null;
                            down: string | null;
                            is_control: boolean | null;
                            params: {
                                properties: {
                                    speed: {
                                        type: string | null;
                                        title: string | null;
                                        minimum: number | null;
                                        maximum: number | null;
                                        unit: string | null;
                                    };
                                };
                                required: (string | null)[];
                            };
                            secret_params: unknown[];
                            opposes: unknown[];
                            undone_by: string | null;
                            older_names: unknown[];
                        }[];
                        priorities: (string | null)[];
                        ttl_sec: {
                            least: number | null;
                            most: number | null;
                            default: number | null;
                        };
                        machines: {
                            most: number | null;
                        };
                    };
                };
            };
        };
    };
    list_commands_api_admin_v1_commands_get: {
        parameters: {
            query?: {
                site_id?: string | null;
                miner_id?: string | null;
                batch_id?: string | null;
                state?: components["schemas"]["State"][] | null;
                approval_state?: components["schemas"]["hashinsight__commands__states__Approval"] | null;
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
                    "application/json": {
                        commands: {
                            command_id: string | null;
                            tenant_id: string | null;
                            site_id: number | null;
                            zone_id: number | null;
                            miner_no: number | null;
                            miner_id: string | null;
                            batch_id: string | null;
                            command_type: string | null;
                            is_control: boolean | null;
                            params: {
                                speed: number | null;
                            };
                            priority: string | null;
                            priority_number: number | null;
                            urgency: number | null;
                            emergency: boolean | null;
                            ttl_sec: number | null;
                            expires_at: string | null;
                            approval_state: string | null;
                            created_by_kind: string | null;
                            created_by: string | null;
                            created_at: string | null;
                            created_reason: string | null;
                            state: string | null;
                            moves: number | null;
                            attempt: number | null;
                            max_retries: number | null;
                            retry_backoff_sec: number | null;
                            next_attempt_at: string | null;
                            updated_at: string | null;
                            wait_reason: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    request_commands_api_admin_v1_commands_post: {
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
                    "application/json": {
                        machines: number | null;
                        kw: number | null;
                        ths: number | null;
                        share_of_site: number | null;
                        unknown_power: number | null;
                        unknown_ths: number | null;
                        excluded: {
                            miner_id: string | null;
                            error_code: string | null;
                            reason: string | null;
                            command_id: string | null;
                        }[];
                        counts: {
                            excluded: number | null;
                            supersedes: number | null;
                        };
                        blast_radius: {
                            down_now: number | null;
                            cap: number | null;
                            would_wait: number | null;
                            exceeds_cap: boolean | null;
                        };
                        needs_approval: boolean | null;
                        approval_reasons: (string | null)[];
                        approval_causes: {
                            code: string | null;
                        }[];
                    };
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        batch_id: string | null;
                        commands: {
                            command_id: string | null;
                            miner_id: string | null;
                            state: string | null;
                            approval_state: string | null;
                            existing: boolean | null;
                        }[];
                        refused: {
                            miner_id: string | null;
                            error_code: string | null;
                            reason: string | null;
                        }[];
                        counts: {
                            created: number | null;
                            existing: number | null;
                            refused: number | null;
                        };
                        approval_reasons: unknown[];
                        repeated: boolean | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_command_api_admin_v1_commands__command_id__get: {
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
                    "application/json": {
                        command_id: string | null;
                        tenant_id: string | null;
                        site_id: number | null;
                        zone_id: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        batch_id: string | null;
                        command_type: string | null;
                        is_control: boolean | null;
                        params: {
                            speed: number | null;
                        };
                        priority: string | null;
                        priority_number: number | null;
                        urgency: number | null;
                        emergency: boolean | null;
                        ttl_sec: number | null;
                        expires_at: string | null;
                        approval_state: string | null;
                        created_by_kind: string | null;
                        created_by: string | null;
                        created_at: string | null;
                        created_reason: string | null;
                        state: string | null;
                        moves: number | null;
                        attempt: number | null;
                        max_retries: number | null;
                        retry_backoff_sec: number | null;
                        next_attempt_at: string | null;
                        updated_at: string | null;
                        wait_reason: string | null;
                        attempts: {
                            tenant_id: string | null;
                            site_id: number | null;
                            command_id: string | null;
                            dispatch_id: string | null;
                            miner_no: number | null;
                            n: number | null;
                            collector_id: string | null;
                            device: string | null;
                            held_by: (string | null)[];
                            deliveries: number | null;
                            leased_at: string | null;
                            lease_until: string | null;
                            result: string | null;
                            acked_at: string | null;
                            started_at: string | null;
                            finished_at: string | null;
                            execution_time_ms: number | null;
                            snapshot_before: {
                                fan: number | null;
                            };
                            snapshot_after: {
                                fan: number | null;
                            };
                            payload: {
                                status: string | null;
                            };
                            late_count: number | null;
                        }[];
                        history: {
                            tenant_id: string | null;
                            site_id: number | null;
                            command_id: string | null;
                            n: number | null;
                            at: string | null;
                            event: string | null;
                            new_state: string | null;
                            actor_kind: string | null;
                            actor_id: string | null;
                            recorded_at: string | null;
                        }[];
                        approvals: {
                            id: string | null;
                            tenant_id: string | null;
                            site_id: number | null;
                            batch_id: string | null;
                            decision: string | null;
                            by_kind: string | null;
                            by_id: string | null;
                            at: string | null;
                            reason: string | null;
                            commands: number | null;
                        }[];
                        audit: {
                            id: string | null;
                            at: string | null;
                            recorded_at: string | null;
                            actor_kind: string | null;
                            actor_id: string | null;
                            action: string | null;
                            entity_type: string | null;
                            entity_id: string | null;
                            after: {
                                state: string | null;
                                command_type: string | null;
                                params: {
                                    speed: number | null;
                                };
                            };
                            reason: string | null;
                            request_id: string | null;
                            address: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    approve_command_api_admin_v1_commands__command_id__approve_post: {
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
                    "application/json": {
                        command_id: string | null;
                        tenant_id: string | null;
                        site_id: number | null;
                        zone_id: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        batch_id: string | null;
                        command_type: string | null;
                        is_control: boolean | null;
                        params: {
                            speed: number | null;
                        };
                        priority: string | null;
                        priority_number: number | null;
                        urgency: number | null;
                        emergency: boolean | null;
                        ttl_sec: number | null;
                        expires_at: string | null;
                        approval_state: string | null;
                        created_by_kind: string | null;
                        created_by: string | null;
                        created_at: string | null;
                        created_reason: string | null;
                        state: string | null;
                        moves: number | null;
                        attempt: number | null;
                        max_retries: number | null;
                        retry_backoff_sec: number | null;
                        next_attempt_at: string | null;
                        updated_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    reject_command_api_admin_v1_commands__command_id__reject_post: {
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
                    "application/json": {
                        command_id: string | null;
                        tenant_id: string | null;
                        site_id: number | null;
                        zone_id: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        batch_id: string | null;
                        command_type: string | null;
                        is_control: boolean | null;
                        params: {
                            speed: number | null;
                        };
                        priority: string | null;
                        priority_number: number | null;
                        urgency: number | null;
                        emergency: boolean | null;
                        ttl_sec: number | null;
                        expires_at: string | null;
                        approval_state: string | null;
                        created_by_kind: string | null;
                        created_by: string | null;
                        created_at: string | null;
                        created_reason: string | null;
                        state: string | null;
                        moves: number | null;
                        attempt: number | null;
                        max_retries: number | null;
                        retry_backoff_sec: number | null;
                        next_attempt_at: string | null;
                        error_code: string | null;
                        updated_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    cancel_command_api_admin_v1_commands__command_id__cancel_post: {
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
                    "application/json": {
                        command_id: string | null;
                        tenant_id: string | null;
                        site_id: number | null;
                        zone_id: number | null;
                        miner_no: number | null;
                        miner_id: string | null;
                        batch_id: string | null;
                        command_type: string | null;
                        is_control: boolean | null;
                        params: {
                            speed: number | null;
                        };
                        priority: string | null;
                        priority_number: number | null;
                        urgency: number | null;
                        emergency: boolean | null;
                        ttl_sec: number | null;
                        expires_at: string | null;
                        approval_state: string | null;
                        created_by_kind: string | null;
                        created_by: string | null;
                        created_at: string | null;
                        created_reason: string | null;
                        state: string | null;
                        moves: number | null;
                        attempt: number | null;
                        max_retries: number | null;
                        retry_backoff_sec: number | null;
                        next_attempt_at: string | null;
                        error_code: string | null;
                        updated_at: string | null;
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_batches_api_admin_v1_batches_get: {
        parameters: {
            query?: {
                site_id?: string | null;
                command_type?: string | null;
                approval_state?: components["schemas"]["hashinsight__commands__states__Approval"] | null;
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
                    "application/json": {
                        batches: {
                            batch_id: string | null;
                            site_id: number | null;
                            command_type: string | null;
                            params: Record<string, never>;
                            priority: string | null;
                            created_by_kind: string | null;
                            created_by: string | null;
                            created_at: string | null;
                            reason: string | null;
                            approval_state: string | null;
                            approval_reason: string | null;
                            waits: boolean | null;
                            counts: {
                                machines: number | null;
                                created: number | null;
                                existing: number | null;
                                refused: number | null;
                            };
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_batch_api_admin_v1_batches__batch_id__get: {
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
                    "application/json": {
                        batch_id: string | null;
                        site_id: number | null;
                        command_type: string | null;
                        params: Record<string, never>;
                        priority: string | null;
                        created_by_kind: string | null;
                        created_by: string | null;
                        created_at: string | null;
                        reason: string | null;
                        approval_state: string | null;
                        approval_reason: string | null;
                        waits: boolean | null;
                        counts: {
                            machines: number | null;
                            created: number | null;
                            existing: number | null;
                            refused: number | null;
                        };
                        selection: {
                            site: string | null;
                            group_id: number | null;
                        };
                        states: {
                            queued: number | null;
                            dispatched: number | null;
                            succeeded: number | null;
                        };
                        waiting_for_approval: number | null;
                        refused: {
                            miner_id: string | null;
                            error_code: string | null;
                            reason: string | null;
                        }[];
                        approvals: {
                            id: string | null;
                            tenant_id: string | null;
                            site_id: number | null;
                            batch_id: string | null;
                            decision: string | null;
                            by_kind: string | null;
                            by_id: string | null;
                            at: string | null;
                            reason: string | null;
                            commands: number | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_refused_api_admin_v1_batches__batch_id__refused_get: {
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
                    "application/json": {
                        refused: {
                            miner_id: string | null;
                            error_code: string | null;
                            reason: string | null;
                        }[];
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    approve_batch_api_admin_v1_batches__batch_id__approve_post: {
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
                    "application/json": {
                        batch_id: string | null;
                        commands: number | null;
                        states: {
                            queued: number | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    reject_batch_api_admin_v1_batches__batch_id__reject_post: {
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
                    "application/json": {
                        batch_id: string | null;
                        commands: number | null;
                        states: {
                            canceled: number | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    cancel_batch_api_admin_v1_batches__batch_id__cancel_post: {
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
                    "application/json": {
                        batch_id: string | null;
                        commands: number | null;
                        states: {
                            canceled: number | null;
                            dispatched: number | null;
                        };
                    };
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
}
