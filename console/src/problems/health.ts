// What the registry says of each site: counts by severity, and what is lost by cause.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteSums } from "../api/known";
import { summaryQuery, type Summary } from "./api";

export type Health = { by_severity: Record<string, number>; loss_by_cause: Record<string, number>; summary: Summary };

export function useHealth(sites: SiteSums[]): Map<number, Health> {
  const found = useQueries({ queries: sites.map((site) => summaryQuery(site.site_id)) });
  const all = found.map((one) => one.data);
  const key = all.map((one) => one?.last_scan_ts ?? "").join() + found.map((one) => one.dataUpdatedAt).join();
  return useMemo(() => {
    const map = new Map<number, Health>();
    sites.forEach((site, no) => {
      const summary = all[no];
      if (!summary) return;
      map.set(site.site_id, { by_severity: summary.by_severity, loss_by_cause: causes(summary.loss), summary });
    });
    return map;
  }, [key, sites]);
}

/** TH/s by cause, however the summary words it. */
function causes(loss: unknown): Record<string, number> {
  const found: Record<string, number> = {};
  const given = (loss as { by_cause?: unknown } | null)?.by_cause;
  if (given && typeof given === "object") {
    for (const [cause, value] of Object.entries(given)) {
      const ths = typeof value === "number" ? value : (value as { ths?: number } | null)?.ths;
      if (typeof ths === "number") found[cause] = ths;
    }
  }
  return found;
}
