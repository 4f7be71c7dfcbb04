// What the registry says of each site: problems by severity, and what they cost.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteSums } from "../api/known";
import { summaryQuery, type Summary } from "./api";

export type Healths = {
  of: Map<number, Summary>;
  isWhole: boolean; // every site has answered and was looked at: only then sums over them say something
  failed: SiteSums[];
  unjudged: SiteSums[]; // no scan yet: that nothing is open says nothing
};

/** Machines of which nobody can say whether they are well: by the registry, or by their data where it has not looked. */
export function unknownOf(site: SiteSums, health: Summary | undefined): number | null {
  return health?.unknown_miners ?? site.unknown;
}

export function useHealth(sites: SiteSums[]): Healths {
  const found = useQueries({ queries: sites.map((site) => summaryQuery(site.site_id)) });
  const stamp = found.map((one) => `${one.dataUpdatedAt}${one.status}`).join() + sites.map((site) => site.site_id).join();
  return useMemo(() => {
    const map = new Map<number, Summary>();
    sites.forEach((site, no) => {
      const summary = found[no]?.data;
      if (summary?.last_scan_ts) map.set(site.site_id, summary);
    });
    const failed = sites.filter((_, no) => found[no]?.isError && !found[no]?.data);
    const unjudged = sites.filter((_, no) => found[no]?.data && !found[no].data.last_scan_ts);
    return { of: map, isWhole: map.size === sites.length, failed, unjudged };
  }, [stamp]);
}
