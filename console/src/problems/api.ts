// Queries and actions of the problem registry.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call, get } from "../api/client";
import type { BulkRequest, BulkResult, Problem, ProblemAction, ProblemList, Suppress, Unsuppressed } from "../api/types";

export const PAGE = 100; // more than a screen holds, and a fifth of the wait for 500
export const MOST_AT_ONCE = 1000; // of one act
const MOST_PER_PAGE = 500;
const SLOW = 60_000;

export type Filters = Record<string, string | string[] | undefined>;

function readPage(filters: Filters, page: number, size: number, signal?: AbortSignal): Promise<ProblemList> {
  const query = { ...filters, page, per_page: size };
  return get("/api/v1/problems", { query, ...(signal ? { signal } : {}) });
}

/** One page of the list in the order of the server; the list is as long as the server says. */
export const pageQuery = (filters: Filters, no: number) =>
  queryOptions({
    queryKey: ["problems", null, "page", filters, no],
    queryFn: ({ signal }) => readPage(filters, no + 1, PAGE, signal),
    refetchInterval: SLOW,
  });

export const countsQuery = (filters: Filters) =>
  queryOptions({
    queryKey: ["problems", null, "counts", filters],
    queryFn: ({ signal }) => get("/api/v1/problems/counts", { query: filters, signal }),
    refetchInterval: SLOW,
    placeholderData: keepPreviousData,
  });

/** The first of a list, as many as one act takes. */
export async function readFirst(filters: Filters): Promise<Problem[]> {
  const all: Problem[] = [];
  for (let no = 1; all.length < MOST_AT_ONCE; no++) {
    const { problems } = await readPage(filters, no, MOST_PER_PAGE);
    all.push(...problems);
    if (problems.length < MOST_PER_PAGE) break;
  }
  return all.slice(0, MOST_AT_ONCE);
}

/** Failure risk of a site's machines, down to `least`. It changes with each scan: read once a minute, not by the stream. */
export const riskQuery = (site: number, least: number) =>
  queryOptions({
    queryKey: ["risk", site, least],
    queryFn: ({ signal }) => get("/api/v1/sites/{site_id}/risks", { path: { site_id: site }, query: { least }, signal }),
    refetchInterval: SLOW,
  });

/** Temperature limits of each machine; they only change with settings and firmware. */
export const temperatureLimitsQuery = (site: number) =>
  queryOptions({
    queryKey: ["temperature-limits", site],
    queryFn: ({ signal }) => get("/api/v1/sites/{site_id}/temperature-limits", { path: { site_id: site }, signal }),
    refetchInterval: 5 * SLOW,
  });

export const assigneesQuery = (site: number) =>
  queryOptions({
    queryKey: ["people", site],
    queryFn: async ({ signal }) => {
      const { assignees } = await get("/api/v1/problems/assignees", { query: { site_id: site }, signal });
      return assignees;
    },
    staleTime: 5 * SLOW,
  });

export const findProblemsQuery = (text: string) =>
  queryOptions({
    queryKey: ["problems", null, "find", text],
    queryFn: async ({ signal }) => (await readPage({ text }, 1, 6, signal)).problems,
    enabled: text.length > 1,
    placeholderData: keepPreviousData,
  });

export const minerProblemsQuery = (site: number, miner: string, resolved: boolean) =>
  queryOptions({
    queryKey: ["problems", site, "miner", miner, resolved],
    queryFn: async ({ signal }): Promise<Problem[]> => {
      const options = { path: { miner_id: miner }, query: { site_id: site, include_resolved: resolved }, signal };
      return (await get("/api/v1/miners/{miner_id}/problems", options)).problems;
    },
    refetchInterval: SLOW,
  });

/** Without a site, changes of any site make it stale. */
export const problemQuery = (site: number | null, id: string) =>
  queryOptions({
    queryKey: ["problems", site, "one", id],
    queryFn: ({ signal }) => get("/api/v1/problems/{problem_id}", { path: { problem_id: id }, signal }),
    refetchInterval: SLOW / 2,
  });

export const summaryQuery = (site: number) =>
  queryOptions({
    queryKey: ["problems", site, "summary"],
    queryFn: ({ signal }) => get("/api/v1/sites/{site_id}/health_summary", { path: { site_id: site }, signal }),
    refetchInterval: SLOW,
  });

export type ActionInput = Omit<BulkRequest, "act" | "ids">;

/** Up to a thousand at once, each with its own result. */
export function actOnProblems(ids: string[], action: ProblemAction, input: ActionInput = {}): Promise<BulkResult> {
  return call("post", "/api/v1/problems/bulk", { body: { act: action, ids, ...input } });
}

export function suppress(site: number, miner: string, body: Suppress): Promise<unknown> {
  return call("post", "/api/v1/miners/{miner_id}/suppress", { path: { miner_id: miner }, query: { site_id: site }, body });
}

export function unsuppress(site: number, miner: string, reason: string | null): Promise<Unsuppressed> {
  const options = { path: { miner_id: miner }, query: { site_id: site }, body: { reason } };
  return call("post", "/api/v1/miners/{miner_id}/unsuppress", options);
}

export const peersQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["problems", site, "peers", miner],
    queryFn: ({ signal }) => get("/api/v1/miners/{miner_id}/peers", { path: { miner_id: miner }, query: { site_id: site }, signal }),
    refetchInterval: SLOW,
  });

export const healthQuery = (site: number, miner: string) =>
  queryOptions({
    queryKey: ["problems", site, "health", miner],
    queryFn: ({ signal }) => get("/api/v1/miners/{miner_id}/health", { path: { miner_id: miner }, query: { site_id: site }, signal }),
    refetchInterval: SLOW,
  });
