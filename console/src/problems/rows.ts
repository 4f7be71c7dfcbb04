// The rows of the problems page: those of every site in scope, filtered and counted. Pure, but for the hook at the end.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteSums } from "../api/known";
import { named } from "../i18n";
import type { ProblemSearch } from "../router";
import { firstProblemsQuery, MOST_ROWS, moreProblemsQuery, type Filters } from "./api";
import type { Problem } from "./types";
import { sentence } from "./words";

export const FACETS = ["severity", "code", "status", "site", "zone", "model", "firmware", "age"] as const;
export type Facet = (typeof FACETS)[number];
export const AGES: Record<string, number> = { hour: 3600, day: 86_400, week: 604_800, older: Infinity };
const LISTED = ["open", "ack", "in_progress"];

export type Row = Problem & { site: SiteSums; text: string };

export function valueIn(row: Row, facet: Facet, now: number): string | null {
  switch (facet) {
    case "severity":
      return row.severity;
    case "code":
      return row.issue_code;
    case "status":
      return row.status;
    case "site":
      return row.site.code;
    case "zone":
      return row.zone;
    case "model":
      return row.model;
    case "firmware":
      return row.firmware;
    case "age":
      return ageOf(row, now);
  }
}

function ageOf(row: Row, now: number): string {
  const seconds = (now - Date.parse(row.start_ts)) / 1000;
  return Object.entries(AGES).find(([, limit]) => seconds < limit)?.[0] ?? "older";
}

export function wantedOf(search: ProblemSearch, facet: Facet): Set<string> {
  return new Set(search[facet]?.split(",") ?? []);
}

/** Rows that pass every facet but the one whose counts are asked for: a facet's own choice does not hide its others. */
export function passing(rows: Row[], search: ProblemSearch, now: number, but?: Facet): Row[] {
  const wanted = FACETS.filter((facet) => facet !== but)
    .map((facet) => [facet, wantedOf(search, facet)] as const)
    .filter(([, values]) => values.size > 0);
  const text = search.text?.toLowerCase() ?? "";
  return rows.filter(
    (row) =>
      wanted.every(([facet, values]) => values.has(valueIn(row, facet, now) ?? "")) &&
      (!text || row.text.includes(text)) &&
      (search.symptoms === "all" || !row.symptom),
  );
}

export function counted(rows: Row[], facet: Facet, now: number): [string, number][] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = valueIn(row, facet, now);
    if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const order = facet === "age" ? Object.keys(AGES) : null;
  return [...counts].sort(([a, n], [b, m]) =>
    order ? order.indexOf(a) - order.indexOf(b) : facet === "severity" ? a.localeCompare(b) : m - n || a.localeCompare(b),
  );
}

const SEVERITY = (row: Row) => Number(row.severity.slice(1));

/** Severity, then the chance to fail, then last seen. */
export function inOrder(rows: Row[]): Row[] {
  return [...rows].sort(
    (a, b) =>
      SEVERITY(a) - SEVERITY(b) ||
      (b.p_fail_24h ?? -1) - (a.p_fail_24h ?? -1) ||
      Date.parse(b.last_seen_ts) - Date.parse(a.last_seen_ts),
  );
}

export type Found = { rows: Row[]; total: number; isLoading: boolean; error: unknown; isCut: boolean };

export function useRows(sites: SiteSums[], search: ProblemSearch): Found {
  const filters: Filters = useMemo(() => serverFilters(search), [search]);
  const first = useQuery(firstProblemsQuery(filters));
  const total = first.data?.total ?? 0;
  const more = useQuery(moreProblemsQuery(filters, total));
  const rows = useMemo(() => {
    const places = new Map(sites.map((site) => [site.site_id, site]));
    const all = new Map([...(first.data?.problems ?? []), ...(more.data ?? [])].map((one) => [one.id, one]));
    const found: Row[] = [];
    for (const one of all.values()) {
      found.push(rowOf(one, places.get(one.site_id) ?? nameless(one.site_id)));
    }
    return inOrder(found);
  }, [first.data, more.data, sites]);
  return {
    rows,
    total,
    isLoading: first.isPending,
    error: first.data ? null : first.error,
    isCut: total > MOST_ROWS,
  };
}

/** The rows do not wait for the sums of their sites. */
function nameless(id: number): SiteSums {
  return { site_id: id, code: String(id), name: String(id), timezone: "UTC" } as SiteSums;
}

function rowOf(problem: Problem, site: SiteSums): Row {
  const words = [problem.miner_id, named("issue", problem.issue_code), sentence(problem), problem.zone];
  return { ...problem, site, text: words.filter(Boolean).join(" ").toLowerCase() };
}

/** Only what narrows to something else than what is listed anyway goes to the server; the rest is done here at once. */
function serverFilters(search: ProblemSearch): Filters {
  const status = search.status?.split(",").filter((one) => !LISTED.includes(one));
  return status?.length ? { status: search.status } : {};
}
