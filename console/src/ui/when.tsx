// Times: relative, with the exact one on hover, and counted on by one clock for the whole page.
import { useSyncExternalStore } from "react";
import { ago, exact } from "../i18n/format";

let now = Date.now();
const listeners = new Set<() => void>();
let timer: number | undefined;

function listen(tell: () => void): () => void {
  listeners.add(tell);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 5000);
  return () => {
    listeners.delete(tell);
    if (!listeners.size) {
      window.clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time of the page: it moves every five seconds. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => (Date.now() - now > 5000 ? (now = Date.now()) : now));
}

const OLD_MS = 300_000; // after that long without a sample a machine counts as offline

/** Whether figures of this time are too old to be taken for those of now: they fade. */
export function useOld(at: string | null | undefined): boolean {
  const shown = useNow();
  return typeof at === "string" && shown - Date.parse(at) > OLD_MS;
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
