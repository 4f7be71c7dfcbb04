// Relative times, with the exact one on hover, updated by one clock for the whole page.
import { useSyncExternalStore } from "react";
import type { SiteTotals } from "../api/types";
import { ago, exact } from "../i18n/format";

let now = Date.now();
const listeners = new Set<() => void>();
let timer: number | undefined;

function listen(notify: () => void): () => void {
  listeners.add(notify);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const listener of listeners) listener();
  }, 5000);
  return () => {
    listeners.delete(notify);
    if (!listeners.size) {
      window.clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time of the page, updated every five seconds. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => (Date.now() - now > 5000 ? (now = Date.now()) : now));
}

/** Whether a site's newest sample is older than the age at which all of its machines are offline. */
export function useStale(site: Pick<SiteTotals, "newest_at" | "offline_after_sec"> | null | undefined): boolean {
  const shown = useNow();
  return isOlderThan(site?.newest_at, site?.offline_after_sec, shown);
}

export function isOlderThan(at: string | null | undefined, limitSec: number | null | undefined, now: number): boolean {
  return typeof at === "string" && typeof limitSec === "number" && now - Date.parse(at) > limitSec * 1000;
}

export function When({ at, zone = "UTC" }: { at: string | null | undefined; zone?: string | undefined }) {
  const shown = useNow();
  if (!at) return <span className="quiet">—</span>;
  return (
    <time dateTime={at} title={exact(at, zone)}>
      {ago(at, shown)}
    </time>
  );
}
