// What the pages ask for. The first word of a key is the kind of change that makes it old; the second is the site.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import type { Cells, CommandRow, FleetSums, Frame, LiveMiner, SiteSums, Trend } from "./known";

const SLOW = 60_000; // without a stream everything is still asked for once a minute
const OPEN_STATES = new Set(["queued", "dispatched", "running"]);

export const sitesQuery = queryOptions({
  queryKey: ["telemetry", null, "sites"],
  queryFn: async ({ signal }) => {
    const found = await get("/api/v1/telemetry/sites", { signal });
    return { sites: found.sites as unknown as SiteSums[], fleet: found.fleet as FleetSums, asOf: String(found._meta.as_of) };
  },
  refetchInterval: SLOW,
});

/** The sums of a zone of a site, or of a moment: nothing stands in for them meanwhile. */
export const partQuery = (site: number, zone: string | null, at: string | null) =>
  queryOptions({
    queryKey: at === null ? ["telemetry", site, "part", zone] : ["frame", site, "part", zone, at],
    queryFn: async ({ signal }): Promise<SiteSums | null> => {
      const query = { site_id: site, zone: zone ?? undefined, at: at ?? undefined };
      const { sites } = await get("/api/v1/telemetry/sites", { query, signal });
      return (sites[0] as unknown as SiteSums | undefined) ?? null;
    },
    enabled: zone !== null || at !== null,
    ...(at === null ? { refetchInterval: SLOW } : { staleTime: Infinity }),
  });

export const trendQuery = (site: number | null) =>
  queryOptions({
    queryKey: ["history", site, "trend"],
    queryFn: async ({ signal }) =>
      (await get("/api/v1/telemetry/trend", { query: { site_id: site ?? undefined }, signal })) as unknown as Trend,
    refetchInterval: 5 * SLOW,
  });

export const cellsQuery = (site: number) =>
  queryOptions({
    queryKey: ["telemetry", site, "cells"],
    queryFn: async ({ signal }) =>
      (await get("/api/v1/telemetry/cells", { query: { site_id: site }, signal })) as unknown as Cells,
    refetchInterval: SLOW,
  });

export const frameQuery = (site: number, at: string | null) =>
  queryOptions({
    queryKey: ["frame", site, at],
    queryFn: async ({ signal }) =>
      (await get("/api/v1/telemetry/cells", { query: { site_id: site, at }, signal })) as unknown as Frame,
    // nothing stands in for it meanwhile: another moment's figures would be told under this one's name
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
    queryFn: async ({ signal }): Promise<LiveMiner | null> => {
      const query = { site_id: site, miner_id: miner, right_now: true };
      return ((await get("/api/v1/telemetry/live", { query, signal })).miners[0] as LiveMiner | undefined) ?? null;
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
      const found = await get("/api/v1/telemetry/history", { query, signal });
      return { points: found.series[0]?.data ?? [], start: start.getTime(), end: end.getTime() };
    },
    refetchInterval: 5 * SLOW,
    placeholderData: keepPreviousData,
  });

/** A command under way moves within seconds. */
export function whileOpen(query: { state: { data?: CommandRow[] | undefined } }): number {
  return query.state.data?.some((one) => OPEN_STATES.has(String(one.state))) ? 2000 : SLOW;
}

export const commandsQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["commands", site, miner],
    queryFn: async ({ signal }): Promise<CommandRow[]> => {
      const query = { site_id: site, miner_id: miner, limit: 20 };
      return (await get("/api/admin/v1/commands", { query, signal })).commands as CommandRow[];
    },
    refetchInterval: whileOpen,
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

export const waitingQuery = queryOptions({
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
