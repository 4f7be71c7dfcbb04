// Who is signed in, and what they may do: what a role may not do is not offered.
import { queryOptions, useQuery, type Query, type QueryClient } from "@tanstack/react-query";
import { ApiError, call, get, setCsrf } from "./client";
import type { Me } from "./known";
import { t } from "../i18n";
import { wording } from "../ui/refusals";
import { say } from "../ui/toast";

export type Right =
  | "see"
  | "acknowledge"
  | "suppress"
  | "command"
  | "command_high"
  | "approve"
  | "govern"
  | "inventory"
  | "admin";

let shownTo: string | null = null; // whose data the page holds

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ client }): Promise<Me | null> => {
    try {
      const me = (await get("/api/v1/auth/me")) as Me;
      if (shownTo !== null && shownTo !== me.actor.id) return await beginAnew(client);
      shownTo = me.actor.id;
      setCsrf(me.csrf_token);
      return me;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** Somebody else has signed in, here or in another tab, or nobody is any more: nothing that the page holds is theirs. */
function beginAnew(client: QueryClient): Promise<never> {
  client.clear();
  window.location.replace("/");
  return new Promise(() => undefined);
}

/** What is refused now is not shown from before. After a 401 it stays below the sign-in: it may be the same person. */
export function forgetRefused(error: unknown, query: Query<unknown, unknown, unknown>): void {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) query.setState({ data: undefined });
}

export function useMe(): Me | null | undefined {
  return useQuery(meQuery).data;
}

/** With a site: whether a grant that reaches it allows it, of all of it or of a part. Without: whether any does. */
export function mayAt(me: Me | null | undefined, right: Right, site?: number): boolean {
  const reaching = me?.grants.filter((one) => site === undefined || !one.touches || one.touches.includes(site));
  return reaching?.some((one) => one.may.includes(right)) ?? false;
}

export function useMay(): (right: Right, site?: number) => boolean {
  const me = useMe();
  return (right, site) => mayAt(me, right, site);
}

/** Whether a grant reaches the whole tenant: some things belong to it as such. */
export function useWhole(): boolean {
  const me = useMe();
  return me?.grants.some((one) => one.touches === null) ?? false;
}

export async function signIn(client: QueryClient, email: string, password: string, code: string): Promise<void> {
  const body = { email, password, cookie: true, ...(code ? { totp_code: code } : {}) };
  const answer = (await call("post", "/api/v1/auth/login", { body })) as unknown as { csrf_token: string };
  setCsrf(answer.csrf_token);
  await client.fetchQuery({ ...meQuery, staleTime: 0 });
  await client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "me" });
}

/** Whoever leaves the place must know: what could not be ended is still open to the next one. */
export async function signOut(client: QueryClient): Promise<void> {
  try {
    await call("post", "/api/v1/auth/logout");
  } catch (error) {
    // a session that has ended is signed out already
    if (!(error instanceof ApiError && error.status === 401)) return say(t("user.signout.failed", { reason: wording(error) }));
  }
  await beginAnew(client);
}
