// Queries of the pages. The first word of a key is the kind of change that makes it stale; the second is the site.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import type { Cells, Command, LiveMachine, PastCells, SiteTotals } from "./types";

const SLOW = 60_000; // without a stream everything is still read once a minute

export const sitesQuery = queryOptions({
  queryKey: ["telemetry", null, "sites"],
  queryFn: async ({ signal }) => {
    const { sites, fleet } = await get("/api/v1/telemetry/sites", { signal });
    return { sites, fleet };
  },
  refetchInterval: SLOW,
});

/** Totals of a zone, or of a past time. No other totals are shown while they load. */
export const partQuery = (site: number, zone: string | null, at: string | null) =>
  queryOptions({
    queryKey: at === null ? ["telemetry", site, "part", zone] : ["past", site, "part", zone, at],
    queryFn: async ({ signal }): Promise<SiteTotals | null> => {
      const query = { site_id: site, zone: zone ?? undefined, at: at ?? undefined };
      const { sites } = await get("/api/v1/telemetry/sites", { query, signal });
      return sites[0] ?? null;
    },
    enabled: zone !== null || at !== null,
    ...(at === null ? { refetchInterval: SLOW } : { staleTime: Infinity }),
  });

export const trendQuery = (site: number | null) =>
  queryOptions({
    queryKey: ["history", site, "trend"],
    queryFn: ({ signal }) => get("/api/v1/telemetry/trend", { query: { site_id: site ?? undefined }, signal }),
    refetchInterval: 5 * SLOW,
  });

export const cellsQuery = (site: number) =>
  queryOptions({
    queryKey: ["telemetry", site, "cells"],
    queryFn: async ({ signal }): Promise<Cells> => {
      const cells = await get("/api/v1/telemetry/cells", { query: { site_id: site }, signal });
      if (!("named" in cells)) throw new Error("cells of a past time");
      return cells;
    },
    refetchInterval: SLOW,
  });

export const pastCellsQuery = (site: number, at: string | null) =>
  queryOptions({
    queryKey: ["past", site, at],
    queryFn: async ({ signal }): Promise<PastCells> => {
      const cells = await get("/api/v1/telemetry/cells", { query: { site_id: site, at }, signal });
      if ("named" in cells) throw new Error("cells of now");
      return cells;
    },
    // no placeholder: figures of another time would be shown under this one
    enabled: at !== null,
    staleTime: Infinity,
    gcTime: 5 * SLOW,
  });

export const minerQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["inventory", site, "miner", miner],
    queryFn: ({ signal }) =>
      get("/api/admin/v1/miners/{miner_id}", { path: { miner_id: miner }, query: { site_id: site }, signal }),
    refetchInterval: SLOW,
  });

export const liveQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["telemetry", site, "live", miner],
    queryFn: async ({ signal }): Promise<LiveMachine | null> => {
      const query = { site_id: site, miner_id: miner, right_now: true };
      return (await get("/api/v1/telemetry/live", { query, signal })).miners[0] ?? null;
    },
    refetchInterval: 15_000,
  });

export type Range = "6h" | "24h" | "7d" | "30d";
const RANGES: Record<Range, { hours: number; resolution: string }> = {
  "6h": { hours: 6, resolution: "5min" },
  "24h": { hours: 24, resolution: "5min" },
  "7d": { hours: 168, resolution: "hourly" },
  "30d": { hours: 720, resolution: "hourly" },
};

export const historyQuery = (site: number, miner: string, range: Range) =>
  queryOptions({
    queryKey: ["history", site, miner, range],
    queryFn: async ({ signal }) => {
      const { hours, resolution } = RANGES[range];
      const end = new Date();
      const start = new Date(end.getTime() - hours * 3_600_000);
      const query = { site_id: site, miner_id: miner, start: start.toISOString(), end: end.toISOString(), resolution };
      const { series } = await get("/api/v1/telemetry/history", { query, signal });
      const points = (series[0]?.data ?? []).filter((point) => "samples" in point); // buckets, not raw samples
      return { points, start: start.getTime(), end: end.getTime() };
    },
    refetchInterval: 5 * SLOW,
    placeholderData: keepPreviousData,
  });

/** An open command changes within seconds. */
export function pollWhileOpen(query: { state: { data?: Command[] | undefined } }): number {
  return query.state.data?.some((command) => command.finished_at === null) ? 2000 : SLOW;
}

export const commandsQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["commands", site, miner],
    queryFn: async ({ signal }): Promise<Command[]> => {
      const query = { site_id: site, miner_id: miner, limit: 20 };
      return (await get("/api/admin/v1/commands", { query, signal })).commands;
    },
    refetchInterval: pollWhileOpen,
  });

export const changesQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["inventory", site, "changes", miner],
    queryFn: ({ signal }) =>
      get("/api/admin/v1/miners/{miner_id}/history", {
        path: { miner_id: miner },
        query: { site_id: site, limit: 20 },
        signal,
      }),
  });

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => get("/api/admin/v1/settings", { signal }),
  retry: false,
  staleTime: 5 * SLOW,
});

export const approvalsQuery = queryOptions({
  queryKey: ["commands", null, "waiting"],
  queryFn: ({ signal }) => get("/api/admin/v1/batches", { query: { waiting: true, limit: 100 }, signal }),
  refetchInterval: SLOW / 2,
});

export const catalogueQuery = queryOptions({
  queryKey: ["catalogue"],
  queryFn: ({ signal }) => get("/api/admin/v1/commands/catalogue", { signal }),
  staleTime: Infinity,
});

export const findMinersQuery = (text: string) =>
  queryOptions({
    queryKey: ["inventory", null, "find", text],
    queryFn: async ({ signal }) => (await get("/api/admin/v1/miners", { query: { text, limit: 8 }, signal })).miners,
    enabled: text.length > 0,
    placeholderData: keepPreviousData,
  });
