// Rows of the problems page: filters from the address, and pages fetched as they become visible.
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Facets, ProblemList, SiteName, SiteTotals, Problem } from "../api/types";
import type { ProblemSearch } from "../router";
import { PAGE, pageQuery, type Filters } from "./api";
import { FACETS, type Facet } from "./facet_names";

export const SORTS = ["severity", "miner_id", "start_ts", "loss_ths", "p_fail_24h"] as const;
/** The API's names. */
export const FACET_NAMES: Record<Facet, keyof Facets> = {
  severity: "severity",
  code: "issue_code",
  status: "status",
  site: "site",
  zone: "zone",
  model: "model",
  firmware: "firmware",
  age: "age",
};

export type Row = Problem & { site: SiteName };

/** Values of a facet are separated by commas in the address; a comma in a name becomes %2C. */
export function chosenIn(search: ProblemSearch, facet: Facet): Set<string> {
  return new Set(search[facet]?.split(",").map((value) => value.replaceAll("%2C", ",")) ?? []);
}

export function written(values: Set<string>): string | undefined {
  return values.size ? [...values].map((value) => value.replaceAll(",", "%2C")).join(",") : undefined;
}

/** The filters as the API takes them. */
export function filtersOf(search: ProblemSearch): Filters {
  const found: Filters = {};
  for (const facet of FACETS) {
    const values = chosenIn(search, facet);
    if (values.size) found[FACET_NAMES[facet]] = [...values];
  }
  if (search.text) found["text"] = search.text;
  if (search.symptoms !== "all") found["symptoms"] = "exclude";
  return found;
}

export function orderOf(search: ProblemSearch): Filters {
  const sort = SORTS.find((name) => name === search.sort);
  return { ...(sort ? { sort } : {}), ...(search.order === "reversed" ? { order: "reversed" } : {}) };
}

/** The next order of a column: usual, reversed, default. */
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

/** Only visible pages and the first one are fetched and updated; others stay as last seen. */
export function useRows(filters: Filters, sites: SiteTotals[], first: number, last: number): Rows {
  const client = useQueryClient();
  const numbers = [...new Set([0, ...span(Math.floor(first / PAGE), Math.floor(last / PAGE))])];
  const found = useQueries({ queries: numbers.map((no) => pageQuery(filters, no)) });
  const stamp = found.map((row) => row.dataUpdatedAt).join() + numbers.join();
  const places = useMemo(() => new Map(sites.map((site) => [site.site_id, site])), [sites]);
  return useMemo(() => {
    const pages = new Map(numbers.map((no, index) => [no, found[index]?.data]));
    const page = (no: number): ProblemList | undefined => pages.get(no) ?? client.getQueryData(pageQuery(filters, no).queryKey);
    const at = (index: number): Row | null => {
      const problem = page(Math.floor(index / PAGE))?.problems[index % PAGE];
      return problem ? { ...problem, site: places.get(problem.site_id) ?? siteWithoutName(problem.site_id) } : null;
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

/** Rows do not wait for their sites. */
export function siteWithoutName(id: number): SiteName {
  return { site_id: id, code: String(id), name: String(id), timezone: "UTC" };
}
