// Changes that the server tells are collected for a moment: twenty sites that change at once are one reading, not twenty.
import type { Query, QueryClient } from "@tanstack/react-query";

const COLLECT_MS = 1000;

export type Changes = { tell: (kind: string, site: number | null) => void; stop: () => void };

export function collectChanges(client: QueryClient): Changes {
  const told = new Map<string, Set<number | null>>();
  let late = new Set<Query>(); // were being read when they changed: what they bring may be of before
  let timer: number | undefined;

  const isOld = (query: Query) => {
    const [kind, site] = query.queryKey as [string, unknown];
    const sites = told.get(kind);
    return late.has(query) || (sites !== undefined && (site === null || sites.has(null) || sites.has(site as number)));
  };
  const flush = () => {
    timer = undefined;
    const old = client.getQueryCache().findAll({ predicate: isOld });
    told.clear();
    late = new Set(old.filter((query) => query.state.fetchStatus === "fetching"));
    const now = new Set(old.filter((query) => !late.has(query)));
    // what is under way is never cut off: under a steady stream of changes it would never arrive
    void client.invalidateQueries({ predicate: (query) => now.has(query) }, { cancelRefetch: false });
    if (late.size) begin();
  };
  const begin = () => {
    timer ??= window.setTimeout(flush, COLLECT_MS);
  };
  return {
    tell: (kind, site) => {
      told.set(kind, (told.get(kind) ?? new Set()).add(site));
      begin();
    },
    stop: () => window.clearTimeout(timer),
  };
}
