// What the registry says of each site: counts by severity, and what is lost by cause.
import type { SiteSums } from "../api/known";

export type Health = { by_severity: Record<string, number>; loss_by_cause: Record<string, number> };

export function useHealth(sites: SiteSums[]): Map<number, Health> {
  void sites;
  return new Map();
}
