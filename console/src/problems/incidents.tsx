import type { SiteSums } from "../api/known";

export function Incidents({ sites }: { sites: SiteSums[] }) {
  void sites;
  return null;
}
