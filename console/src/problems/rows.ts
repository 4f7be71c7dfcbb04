// The rows of the problems page: what is filtered in the address, and pages of the server's list as they come into sight.
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteSums } from "../api/known";
import type { ProblemSearch } from "../router";
import { PAGE, pageQuery, type Filters, type Page } from "./api";
import { FACETS, type Facet } from "./facet_names";
import type { Problem } from "./types";

export const SORTS = ["severity", "miner_id", "start_ts", "loss_ths", "p_fail_24h"] as const;
/** As the server names them. */
export const ASKED: Record<Facet, string> = {
  severity: "severity",
  code: "issue_code",
  status: "status",
  site: "site",
  zone: "zone",
  model: "model",
  firmware: "firmware",
  age: "age",
};

export type Row = Problem & { site: SiteSums };

/** Several values of a facet stand in the address with commas between; a comma of a name is written as %2C. */
export function chosenIn(search: ProblemSearch, facet: Facet): Set<string> {
  return new Set(search[facet]?.split(",").map((one) => one.replaceAll("%2C", ",")) ?? []);
}

export function written(values: Set<string>): string | undefined {
  return values.size ? [...values].map((one) => one.replaceAll(",", "%2C")).join(",") : undefined;
}

/** What narrows the list, as the server takes it. */
export function filtersOf(search: ProblemSearch): Filters {
  const found: Filters = {};
  for (const facet of FACETS) {
    const values = chosenIn(search, facet);
    if (values.size) found[ASKED[facet]] = [...values];
  }
  if (search.text) found["text"] = search.text;
  if (search.symptoms !== "all") found["symptoms"] = "exclude";
  return found;
}

export function orderOf(search: ProblemSearch): Filters {
  const sort = SORTS.find((one) => one === search.sort);
  return { ...(sort ? { sort } : {}), ...(search.order === "reversed" ? { order: "reversed" } : {}) };
}

/** The next order by a column: its own, turned round, and then the usual one again. */
export function nextOrder(search: ProblemSearch, sort: string): { sort?: string | undefined; order?: string | undefined } {
  const now = search.sort ?? "severity";
  if (now !== sort) return { sort: sort === "severity" ? undefined : sort, order: undefined };
  if (search.order !== "reversed") return { sort: search.sort, order: "reversed" };
  return { sort: undefined, order: undefined };
}

export type Rows = {
  total: number | null;
  at: (index: number) => Row | null;
  loaded: [number, Row][];
  isLoading: boolean;
  error: unknown;
};

/** Only the pages in sight, and the first, are asked for and kept new; others stay as they were last seen. */
export function useRows(filters: Filters, sites: SiteSums[], first: number, last: number): Rows {
  const client = useQueryClient();
  const numbers = [...new Set([0, ...span(Math.floor(first / PAGE), Math.floor(last / PAGE))])];
  const found = useQueries({ queries: numbers.map((no) => pageQuery(filters, no)) });
  const stamp = found.map((one) => one.dataUpdatedAt).join() + numbers.join();
  const places = useMemo(() => new Map(sites.map((site) => [site.site_id, site])), [sites]);
  return useMemo(() => {
    const pages = new Map(numbers.map((no, index) => [no, found[index]?.data]));
    const page = (no: number): Page | undefined => pages.get(no) ?? client.getQueryData(pageQuery(filters, no).queryKey);
    const at = (index: number): Row | null => {
      const one = page(Math.floor(index / PAGE))?.problems[index % PAGE];
      return one ? { ...one, site: places.get(one.site_id) ?? nameless(one.site_id) } : null;
    };
    const loaded = numbers.flatMap((no) =>
      span(no * PAGE, no * PAGE + PAGE - 1).flatMap((index): [number, Row][] => {
        const row = at(index);
        return row ? [[index, row]] : [];
      }),
    );
    const total = found[0]?.data?.pagination.total ?? null;
    return { total, at, loaded, isLoading: found[0]?.isPending ?? true, error: total === null ? found[0]?.error : null };
  }, [stamp, places, filters, client, found[0]?.isPending, found[0]?.error]);
}

function span(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, no) => from + no);
}

/** The rows do not wait for the sums of their sites. */
export function nameless(id: number): SiteSums {
  return { site_id: id, code: String(id), name: String(id), timezone: "UTC" } as SiteSums;
}
