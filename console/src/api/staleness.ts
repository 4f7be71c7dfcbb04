// Data on the page that could not be updated although the server answers: it stays, and a banner shows its age.
import { useQueryClient, type Query } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiError } from "./client";

const SHOWN_ELSEWHERE = new Set([401, 403, 404]); // by the sign-in, or in place of the data

function isOld({ state }: Pick<Query, "state">): boolean {
  const { error, data } = state;
  return data !== undefined && error instanceof ApiError && !SHOWN_ELSEWHERE.has(error.status);
}

/** When the oldest of them was fetched; null when all are current. */
export function oldestStale(queries: Pick<Query, "state" | "isActive">[]): number | null {
  const old = queries.filter((query) => query.isActive() && isOld(query));
  return old.length ? Math.min(...old.map((query) => query.state.dataUpdatedAt)) : null;
}

export function useOldestStale(): number | null {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => oldestStale(cache.getAll()),
  );
}
