// The registry's part of the API: lists, the one, and what people do about it.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call, get } from "../api/client";
import type { Compared, Problem, Story } from "./types";

export const PAGE = 100; // more than a screen holds, and a fifth of the wait for 500
export const MOST_AT_ONCE = 1000; // of one act
const MOST_PER_PAGE = 500;
const SLOW = 60_000;

export type Filters = Record<string, string | string[] | undefined>;
export type Page = { problems: Problem[]; pagination: { page: number; per_page: number; total: number; pages: number } };
export type Counted = { value: string; problems: number; name?: string };
export type Counts = { total: number; symptoms: number; facets: Record<string, Counted[]> };

async function read(filters: Filters, page: number, size: number, signal?: AbortSignal): Promise<Page> {
  const query = { ...filters, page, per_page: size };
  return (await get("/api/v1/problems", { query, ...(signal ? { signal } : {}) })) as unknown as Page;
}

/** One page of the list in the order of the server; the list is as long as the server says. */
export const pageQuery = (filters: Filters, no: number) =>
  queryOptions({
    queryKey: ["problems", null, "page", filters, no],
    queryFn: ({ signal }) => read(filters, no + 1, PAGE, signal),
    refetchInterval: SLOW,
  });

export const countsQuery = (filters: Filters) =>
  queryOptions({
    queryKey: ["problems", null, "counts", filters],
    queryFn: async ({ signal }) => (await get("/api/v1/problems/counts", { query: filters, signal })) as unknown as Counts,
    refetchInterval: SLOW,
    placeholderData: keepPreviousData,
  });

/** The first of a list, as many as one act takes. */
export async function readFirst(filters: Filters): Promise<Problem[]> {
  const found: Problem[] = [];
  for (let no = 1; found.length < MOST_AT_ONCE; no++) {
    const { problems } = await read(filters, no, MOST_PER_PAGE);
    found.push(...problems);
    if (problems.length < MOST_PER_PAGE) break;
  }
  return found.slice(0, MOST_AT_ONCE);
}

export type Risks = { judged: number; columns: { miner_no: number[]; p_fail_24h: number[] } };

/** What a model says of the machines of a site, down to `least`.
 *
 * It is said anew by each scan, not by each change of a problem: so it is read by the minute, not by the stream.
 */
export const riskQuery = (site: number, least: number) =>
  queryOptions({
    queryKey: ["risk", site, least],
    queryFn: async ({ signal }) => {
      const options = { path: { site_id: site }, query: { least }, signal };
      return (await get("/api/v1/sites/{site_id}/risks", options)) as unknown as Risks;
    },
    refetchInterval: SLOW,
  });

type SensorLimits = { sensor: string; warn_c: number; crit_c: number };
export type TemperatureLimits = {
  limits: (SensorLimits & { other: SensorLimits })[];
  columns: { miner_no: number[]; limit: number[] };
};

/** The temperature limits that each machine of a site is judged by; they change with settings and firmware only. */
export const temperatureLimitsQuery = (site: number) =>
  queryOptions({
    queryKey: ["temperature-limits", site],
    queryFn: async ({ signal }) => {
      const options = { path: { site_id: site }, signal };
      return (await get("/api/v1/sites/{site_id}/temperature-limits", options)) as unknown as TemperatureLimits;
    },
    refetchInterval: 5 * SLOW,
  });

export type Person = { id: string; name: string };

export const assigneesQuery = (site: number) =>
  queryOptions({
    queryKey: ["people", site],
    queryFn: async ({ signal }) => {
      const found = await get("/api/v1/problems/assignees", { query: { site_id: site }, signal });
      return found.assignees as unknown as Person[];
    },
    staleTime: 5 * SLOW,
  });

export const findProblemsQuery = (text: string) =>
  queryOptions({
    queryKey: ["problems", null, "find", text],
    queryFn: async ({ signal }) => (await read({ text }, 1, 6, signal)).problems,
    enabled: text.length > 1,
    placeholderData: keepPreviousData,
  });

export const minerProblemsQuery = (site: number, miner: string, resolved: boolean) =>
  queryOptions({
    queryKey: ["problems", site, "miner", miner, resolved],
    queryFn: async ({ signal }): Promise<Problem[]> => {
      const options = { path: { miner_id: miner }, query: { site_id: site, include_resolved: resolved }, signal };
      return ((await get("/api/v1/miners/{miner_id}/problems", options)) as unknown as Page).problems;
    },
    refetchInterval: SLOW,
  });

/** A site of null is one that is not known yet: changes of any site make it old. */
export const problemQuery = (site: number | null, id: string) =>
  queryOptions({
    queryKey: ["problems", site, "one", id],
    queryFn: async ({ signal }) =>
      (await get("/api/v1/problems/{problem_id}", { path: { problem_id: id }, signal })) as unknown as Story,
    refetchInterval: SLOW / 2,
  });

export type Summary = {
  unknown_miners: number;
  by_severity: Record<string, number>;
  by_issue: Record<string, number>;
  loss: { ths: number | null; thh: number | null } | null;
  top_risks: { miner_id: string | null; issue_code: string; severity: string; p_fail_24h: number | null; start_ts: string }[];
  last_scan_ts: string | null;
};

export const summaryQuery = (site: number) =>
  queryOptions({
    queryKey: ["problems", site, "summary"],
    queryFn: async ({ signal }) =>
      (await get("/api/v1/sites/{site_id}/health_summary", { path: { site_id: site }, signal })) as unknown as Summary,
    refetchInterval: SLOW,
  });

export type Verb = "acknowledge" | "start" | "assign" | "comment" | "resolve";
export type Said = { comment?: string; assignee?: string | null; cause?: string; action?: string };
export type Result = { id: string; status?: string | null; error_code?: string | null; reason?: string | null };
export type Outcome = { counts: { changed: number; refused: number }; results: Result[] };

/** Up to a thousand at once, each with its own result. */
export async function act(ids: string[], verb: Verb, said: Said = {}): Promise<Outcome> {
  return (await call("post", "/api/v1/problems/bulk", { body: { act: verb, ids, ...said } })) as unknown as Outcome;
}

export type Suppression = { until: string | null; maintenance: boolean; reason: string };

export function suppress(site: number, miner: string, body: Suppression): Promise<unknown> {
  return call("post", "/api/v1/miners/{miner_id}/suppress", { path: { miner_id: miner }, query: { site_id: site }, body });
}

export type Lifted = { lifted: number; still_by: string[] };

export async function unsuppress(site: number, miner: string, reason: string | null): Promise<Lifted> {
  const options = { path: { miner_id: miner }, query: { site_id: site }, body: { reason } };
  return (await call("post", "/api/v1/miners/{miner_id}/unsuppress", options)) as unknown as Lifted;
}

export type Peers = { assessed_at: string | null; expected_state: string | null; peers: Record<string, Compared | null> | null };

export const peersQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["problems", site, "peers", miner],
    queryFn: async ({ signal }) => {
      const options = { path: { miner_id: miner }, query: { site_id: site }, signal };
      return (await get("/api/v1/miners/{miner_id}/peers", options)) as unknown as Peers;
    },
    refetchInterval: SLOW,
  });

export type Health = { baseline: Story["baseline"]; suppressions: Story["suppressions"] };

export const healthQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["problems", site, "health", miner],
    queryFn: async ({ signal }) => {
      const options = { path: { miner_id: miner }, query: { site_id: site }, signal };
      return (await get("/api/v1/miners/{miner_id}/health", options)) as unknown as Health;
    },
    refetchInterval: SLOW,
  });
