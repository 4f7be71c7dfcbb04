// Who is signed in, and what they may do: what a role may not do is not offered.
import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import { ApiError, call, get, setCsrf } from "./client";
import type { Me } from "./known";

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

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async (): Promise<Me | null> => {
    try {
      const me = (await get("/api/v1/auth/me")) as Me;
      setCsrf(me.csrf_token);
      return me;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

export function useMe(): Me | null | undefined {
  return useQuery(meQuery).data;
}

export function useMay(): (right: Right) => boolean {
  const me = useMe();
  return (right) => me?.may.includes(right) ?? false;
}

/** Whether a grant reaches the whole tenant: some things belong to it as such. */
export function useWhole(): boolean {
  const me = useMe();
  const grants = (me?.grants ?? []) as { site_ids?: unknown; zone_ids?: unknown; group_ids?: unknown }[];
  return grants.some((one) => !one.site_ids && !one.zone_ids && !one.group_ids);
}

export async function signIn(client: QueryClient, email: string, password: string, code: string): Promise<void> {
  const body = { email, password, cookie: true, ...(code ? { totp_code: code } : {}) };
  const answer = (await call("post", "/api/v1/auth/login", { body })) as unknown as { csrf_token: string };
  setCsrf(answer.csrf_token);
  await client.fetchQuery({ ...meQuery, staleTime: 0 });
  await client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "me" });
}

export async function signOut(client: QueryClient): Promise<void> {
  try {
    await call("post", "/api/v1/auth/logout");
  } finally {
    setCsrf(null);
    client.clear();
    client.setQueryData(meQuery.queryKey, null);
  }
}
