// What is on the page and could not be read anew although the server answers: it stays, and the strip says how old it is.
import { useQueryClient, type Query } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiError } from "./client";

const TOLD_OTHERWISE = new Set([401, 403, 404]); // by the sign-in, or in the place of what was there

function isOld({ state }: Pick<Query, "state">): boolean {
  const { error, data } = state;
  return data !== undefined && error instanceof ApiError && !TOLD_OTHERWISE.has(error.status);
}

/** When the oldest of these was read; null where all are as new as they can be. */
export function oldestOf(queries: Pick<Query, "state" | "isActive">[]): number | null {
  const old = queries.filter((query) => query.isActive() && isOld(query));
  return old.length ? Math.min(...old.map((query) => query.state.dataUpdatedAt)) : null;
}

export function useOldest(): number | null {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (tell) => cache.subscribe(tell),
    () => oldestOf(cache.getAll()),
  );
}
