// Collects changes for a moment: twenty sites that change at once cause one refetch, not twenty.
import type { Query, QueryClient } from "@tanstack/react-query";

const COLLECT_MS = 1000;

export type Changes = { notify: (kind: string, site: number | null) => void; stop: () => void };

export function collectChanges(client: QueryClient): Changes {
  const changed = new Map<string, Set<number | null>>();
  let loadChunk = new Set<Query>(); // were being fetched when they changed: their answer may be older
  let timer: number | undefined;

  const isOld = (query: Query) => {
    const [kind, site] = query.queryKey as [string, unknown];
    const sites = changed.get(kind);
    return loadChunk.has(query) || (sites !== undefined && (site === null || sites.has(null) || sites.has(site as number)));
  };
  const flush = () => {
    timer = undefined;
    const old = client.getQueryCache().findAll({ predicate: isOld });
    changed.clear();
    loadChunk = new Set(old.filter((query) => query.state.fetchStatus === "fetching"));
    const now = new Set(old.filter((query) => !loadChunk.has(query)));
    // running fetches are not canceled: under a steady stream of changes they would never finish
    void client.invalidateQueries({ predicate: (query) => now.has(query) }, { cancelRefetch: false });
    if (loadChunk.size) begin();
  };
  const begin = () => {
    timer ??= window.setTimeout(flush, COLLECT_MS);
  };
  return {
    notify: (kind, site) => {
      changed.set(kind, (changed.get(kind) ?? new Set()).add(site));
      begin();
    },
    stop: () => window.clearTimeout(timer),
  };
}
