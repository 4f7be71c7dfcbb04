// What the registry says of each site: problems by severity, and what they cost.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteSums } from "../api/known";
import { useNow } from "../ui/when";
import { summaryQuery, type Summary } from "./api";

const OLD_MS = 3 * 300_000; // three cycles of the registry

export type Healths = {
  of: Map<number, Summary>;
  isWhole: boolean; // every site with machines has answered and was looked at lately: only then sums over them say something
  failed: SiteSums[];
  unjudged: SiteSums[]; // no scan yet: that nothing is open says nothing
  old: { site: SiteSums; at: string }[]; // the last scan was long ago: what it left open says nothing of now
};
type Found = { data?: Summary | undefined; isError: boolean };

export function isJudged({ last_scan_ts: at }: Pick<Summary, "last_scan_ts">, now: number): boolean {
  return at !== null && now - Date.parse(at) <= OLD_MS;
}

export type Others = { down: number; stopped: number; unknown: number };

/** Machines without a problem that are not fine either, as the map's legend counts them. */
export function othersOf(sites: Pick<SiteSums, "conditions" | "unknown">[]): Others {
  const others: Others = { down: 0, stopped: 0, unknown: 0 };
  for (const { conditions, unknown } of sites) {
    others.down += conditions?.down ?? 0;
    others.stopped += conditions?.stopped ?? 0;
    others.unknown += conditions?.unknown ?? unknown;
  }
  return others;
}

export function healthsOf(sites: SiteSums[], found: Found[], now: number): Healths {
  const healths: Healths = { of: new Map(), isWhole: false, failed: [], unjudged: [], old: [] };
  let empty = 0;
  sites.forEach((site, no) => {
    const { data: summary, isError } = found[no] ?? { isError: false };
    if (!summary) {
      if (isError) healths.failed.push(site);
    } else if (isJudged(summary, now)) healths.of.set(site.site_id, summary);
    else if (!site.machines) empty++; // nobody looks where nothing is
    else if (summary.last_scan_ts === null) healths.unjudged.push(site);
    else healths.old.push({ site, at: summary.last_scan_ts });
  });
  return { ...healths, isWhole: healths.of.size + empty === sites.length };
}

export function useHealth(sites: SiteSums[]): Healths {
  const found = useQueries({ queries: sites.map((site) => summaryQuery(site.site_id)) });
  const now = useNow();
  const stamp = found.map((one) => `${one.dataUpdatedAt}${one.status}${one.data && isJudged(one.data, now)}`).join();
  return useMemo(() => healthsOf(sites, found, now), [stamp, sites.map((site) => site.site_id).join()]);
}
