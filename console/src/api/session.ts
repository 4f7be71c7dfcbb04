// Who is signed in, and what they are allowed to do.
import { queryOptions, useQuery, type Query, type QueryClient } from "@tanstack/react-query";
import { ApiError, call, get, setCsrf } from "./client";
import type { Caller, Permission } from "./types";
import { t } from "../i18n";
import { reasonOf } from "../ui/errors";
import { showToast } from "../ui/toast";

let dataOf: string | null = null; // the user whose data the page holds

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ client }): Promise<Caller | null> => {
    try {
      const me = await get("/api/v1/auth/me");
      if (dataOf !== null && dataOf !== me.actor.id) return await startOver(client);
      dataOf = me.actor.id;
      setCsrf(me.csrf_token);
      return me;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** Another user signed in, here or in another tab, or nobody is signed in: the page holds data that is not theirs. */
function startOver(client: QueryClient): Promise<never> {
  client.clear();
  window.location.replace("/");
  return new Promise(() => undefined);
}

/** Data that is forbidden now is dropped. After a 401 it stays below the sign-in: it may be the same user. */
export function dropForbidden(error: unknown, query: Query<unknown, unknown, unknown>): void {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) query.setState({ data: undefined });
}

export function useMe(): Caller | null | undefined {
  return useQuery(meQuery).data;
}

/** With a site: whether a grant that covers all or part of it allows it. Without: whether any grant does. */
export function isAllowedAt(me: Caller | null | undefined, permission: Permission, site?: number): boolean {
  const grants = me?.grants.filter(({ touches }) => site === undefined || !touches || touches.includes(site));
  return grants?.some(({ may }) => may.includes(permission)) ?? false;
}

export function useMay(): (permission: Permission, site?: number) => boolean {
  const me = useMe();
  return (permission, site) => isAllowedAt(me, permission, site);
}

/** Whether a grant covers the whole tenant. */
export function useIsWholeTenant(): boolean {
  const me = useMe();
  return me?.grants.some(({ touches }) => touches === null) ?? false;
}

export async function signIn(client: QueryClient, email: string, password: string, code: string): Promise<void> {
  const body = { email, password, cookie: true, ...(code ? { totp_code: code } : {}) };
  const session = await call("post", "/api/v1/auth/login", { body });
  if ("csrf_token" in session) setCsrf(session.csrf_token);
  await client.fetchQuery({ ...meQuery, staleTime: 0 });
  await client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "me" });
}

/** The user must know when sign-out failed: the session is still open to the next person. */
export async function signOut(client: QueryClient): Promise<void> {
  try {
    await call("post", "/api/v1/auth/logout");
  } catch (error) {
    // a session that has ended counts as signed out
    if (!(error instanceof ApiError && error.status === 401)) return showToast(t("user.signout.failed", { reason: reasonOf(error) }));
  }
  await startOver(client);
}
