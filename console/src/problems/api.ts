// The registry's part of the API: lists, the one, and what people do about it.
import { queryOptions } from "@tanstack/react-query";
import { ask } from "../api/client";
import type { Happening, Problem } from "./types";

export const PER_PAGE = 500;
export const MOST_ROWS = 3000; // of one site in the browser; beyond it, filters narrow on the server

export type Filters = {
  severity?: string | undefined;
  code?: string | undefined;
  status?: string | undefined;
  zone?: string | undefined;
  model?: string | undefined;
  firmware?: string | undefined;
  symptoms?: string | undefined;
};

export type Listed = { problems: Problem[]; total: number };
type Page = { problems: Problem[]; pagination: { page: number; per_page: number; total: number; pages: number } };

async function page(site: number, filters: Filters, number: number, signal: AbortSignal): Promise<Page> {
  const { code, ...rest } = filters;
  const query = { ...rest, issue_code: code, page: number, per_page: PER_PAGE };
  return (await ask("get", "/api/v1/sites/{site_id}/problems", { path: { site_id: site }, query, signal })) as Page;
}

/** The first page is enough to show something; the rest follows while people read. */
export const firstProblemsQuery = (site: number, filters: Filters) =>
  queryOptions({
    queryKey: ["problems", site, "first", filters],
    queryFn: async ({ signal }): Promise<Listed> => {
      const found = await page(site, filters, 1, signal);
      return { problems: found.problems, total: found.pagination.total };
    },
    refetchInterval: 60_000,
  });

export const moreProblemsQuery = (site: number, filters: Filters, total: number) =>
  queryOptions({
    queryKey: ["problems", site, "more", filters],
    queryFn: async ({ signal }): Promise<Problem[]> => {
      const pages = Math.ceil(Math.min(total, MOST_ROWS) / PER_PAGE);
      const numbers = Array.from({ length: pages - 1 }, (_, no) => no + 2);
      return (await Promise.all(numbers.map((no) => page(site, filters, no, signal)))).flatMap((one) => one.problems);
    },
    enabled: total > PER_PAGE,
    refetchInterval: 60_000,
  });

export const minerProblemsQuery = (site: number, miner: string, resolved: boolean) =>
  queryOptions({
    queryKey: ["problems", site, "miner", miner, resolved],
    queryFn: async ({ signal }): Promise<Problem[]> => {
      const query = { site_id: site, include_resolved: resolved };
      const path = { miner_id: miner };
      return ((await ask("get", "/api/v1/miners/{miner_id}/problems", { path, query, signal })) as Page).problems;
    },
    refetchInterval: 60_000,
  });

export const problemQuery = (site: number, id: string) =>
  queryOptions({
    queryKey: ["problems", site, "one", id],
    queryFn: async ({ signal }) =>
      (await ask("get", "/api/v1/problems/{problem_id}", { path: { problem_id: id }, signal })) as Problem & {
        timeline: Happening[];
      },
    refetchInterval: 30_000,
  });

export type Summary = {
  total_miners: number;
  healthy_miners: number;
  problem_miners: number;
  unknown_miners: number;
  by_severity: Record<string, number>;
  by_issue: Record<string, number>;
  incidents: unknown;
  loss: unknown;
  top_risks: { miner_id: string; issue_code: string; severity: string; p_fail_24h: number | null; start_ts: string }[];
  last_scan_ts: string | null;
};

export const summaryQuery = (site: number) =>
  queryOptions({
    queryKey: ["problems", site, "summary"],
    queryFn: async ({ signal }) =>
      (await ask("get", "/api/v1/sites/{site_id}/health_summary", { path: { site_id: site }, signal })) as Summary,
    refetchInterval: 60_000,
  });

export type Verb = "acknowledge" | "start" | "assign" | "comment" | "resolve";

export function act(id: string, verb: Verb, body: Record<string, unknown> = {}): Promise<unknown> {
  return ask("post", `/api/v1/problems/{problem_id}/${verb}`, { path: { problem_id: id }, body });
}

export function suppress(miner: string, body: Record<string, unknown>): Promise<unknown> {
  return ask("post", "/api/v1/miners/{miner_id}/suppress", { path: { miner_id: miner }, body });
}

export function unsuppress(miner: string, body: Record<string, unknown>): Promise<unknown> {
  return ask("post", "/api/v1/miners/{miner_id}/unsuppress", { path: { miner_id: miner }, body });
}
