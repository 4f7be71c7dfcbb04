// The registry's part of the API: lists, the one, and what people do about it.
import { queryOptions } from "@tanstack/react-query";
import { call, get } from "../api/client";
import type { Problem, Story } from "./types";

export const FIRST = 100; // more than a screen holds, and a fifth of the wait
const PER_PAGE = 500;
export const MOST_ROWS = 4000; // in the browser; beyond it, the worst come first and filters narrow
const SLOW = 60_000;

export type Filters = { status?: string | undefined };
export type Listed = { problems: Problem[]; total: number };
type Page = { problems: Problem[]; pagination: { page: number; per_page: number; total: number; pages: number } };

async function page(filters: Filters, number: number, size: number, signal: AbortSignal): Promise<Page> {
  const query = { ...filters, page: number, per_page: size };
  return (await get("/api/v1/problems", { query, signal })) as unknown as Page;
}

/** The first page is enough to show something; the rest follows while people read. */
export const firstProblemsQuery = (filters: Filters) =>
  queryOptions({
    queryKey: ["problems", null, "first", filters],
    queryFn: async ({ signal }): Promise<Listed> => {
      const found = await page(filters, 1, FIRST, signal);
      return { problems: found.problems, total: found.pagination.total };
    },
    refetchInterval: SLOW,
  });

export const moreProblemsQuery = (filters: Filters, total: number) =>
  queryOptions({
    queryKey: ["problems", null, "more", filters],
    queryFn: async ({ signal }): Promise<Problem[]> => {
      const pages = Math.ceil(Math.min(total, MOST_ROWS) / PER_PAGE);
      const found: Problem[] = [];
      // one after the other: the first page's readers are not to wait behind the last one's
      for (let no = 1; no <= pages; no++) found.push(...(await page(filters, no, PER_PAGE, signal)).problems);
      return found;
    },
    enabled: total > FIRST,
    refetchInterval: SLOW,
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

export const problemQuery = (site: number, id: string) =>
  queryOptions({
    queryKey: ["problems", site, "one", id],
    queryFn: async ({ signal }) =>
      (await get("/api/v1/problems/{problem_id}", { path: { problem_id: id }, signal })) as unknown as Story,
    refetchInterval: SLOW / 2,
  });

export type Summary = {
  by_severity: Record<string, number>;
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
export type Outcome = { counts: { changed: number; refused: number }; results: { reason?: string | null }[] };

/** Up to a thousand at once, each with its own result. */
export async function act(ids: string[], verb: Verb, said: Said = {}): Promise<Outcome> {
  return (await call("post", "/api/v1/problems/bulk", { body: { act: verb, ids, ...said } })) as unknown as Outcome;
}

export type Suppression = { until: string | null; maintenance: boolean; reason: string };

export function suppress(site: number, miner: string, body: Suppression): Promise<unknown> {
  return call("post", "/api/v1/miners/{miner_id}/suppress", { path: { miner_id: miner }, query: { site_id: site }, body });
}

export function unsuppress(site: number, miner: string): Promise<unknown> {
  return call("post", "/api/v1/miners/{miner_id}/unsuppress", { path: { miner_id: miner }, query: { site_id: site } });
}
