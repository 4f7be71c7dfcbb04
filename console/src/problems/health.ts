// Problem counts of each site, and whether its last scan is recent enough to rely on.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteSummary, SiteTotals } from "../api/types";
import { useNow } from "../ui/time";
import { summaryQuery } from "./api";

export type SiteHealth = {
  of: Map<number, SiteSummary>;
  isComplete: boolean; // every site with machines was scanned recently: totals over all sites are right
  failed: SiteTotals[];
  unscanned: SiteTotals[]; // no scan yet: no open problem means nothing
  outdated: { site: SiteTotals; at: string }[]; // the last scan was too long ago
};
type Answer = { data?: SiteSummary | undefined; isError: boolean };

export function isScanCurrent({ last_scan_ts: at, scan_outdated_after_sec: limit }: SiteSummary, now: number): boolean {
  return at !== null && now - Date.parse(at) <= limit * 1000;
}

export type OtherCounts = { down: number; stopped: number; unknown: number };

/** Machines without a problem that are not fine either, as the map's legend counts them. */
export function otherCounts(sites: Pick<SiteTotals, "conditions" | "unknown">[]): OtherCounts {
  const counts: OtherCounts = { down: 0, stopped: 0, unknown: 0 };
  for (const { conditions, unknown } of sites) {
    counts.down += conditions?.down ?? 0;
    counts.stopped += conditions?.stopped ?? 0;
    counts.unknown += conditions?.unknown ?? unknown;
  }
  return counts;
}

export function healthOf(sites: SiteTotals[], answers: Answer[], now: number): SiteHealth {
  const health: SiteHealth = { of: new Map(), isComplete: false, failed: [], unscanned: [], outdated: [] };
  let empty = 0;
  sites.forEach((site, index) => {
    const { data: summary, isError } = answers[index] ?? { isError: false };
    if (!summary) {
      if (isError) health.failed.push(site);
    } else if (isScanCurrent(summary, now)) health.of.set(site.site_id, summary);
    else if (!site.machines) empty++; // sites without machines are not scanned
    else if (summary.last_scan_ts === null) health.unscanned.push(site);
    else health.outdated.push({ site, at: summary.last_scan_ts });
  });
  return { ...health, isComplete: health.of.size + empty === sites.length };
}

export function useHealth(sites: SiteTotals[]): SiteHealth {
  const answers = useQueries({ queries: sites.map((site) => summaryQuery(site.site_id)) });
  const now = useNow();
  const stamp = answers
    .map(({ dataUpdatedAt, status, data }) => `${dataUpdatedAt}${status}${data && isScanCurrent(data, now)}`)
    .join();
  return useMemo(() => healthOf(sites, answers, now), [stamp, sites.map((site) => site.site_id).join()]);
}
