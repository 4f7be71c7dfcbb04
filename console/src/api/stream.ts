// Server-sent events: what changed is read again. Without the stream everything is asked for now and then.
import type { QueryClient } from "@tanstack/react-query";
import { renew } from "./client";
import { isReached, onReach, setReach } from "./reach";

const AGAIN_MS = 2000;
const SILENT_MS = 150_000; // telemetry is told every minute: a line that is silent for longer is dead
const PATIENCE_MS = 2000;

type Changed = { site_id?: number };

/** Keeps a stream open until the returned function is called. */
export function follow(client: QueryClient): () => void {
  let source: EventSource | null = null;
  let timer: number | undefined;
  let silence: number | undefined;
  let over = false;
  let broken = false;

  const heard = () => {
    window.clearTimeout(silence);
    silence = window.setTimeout(() => void again(), SILENT_MS);
  };
  const open = () => {
    if (over) return;
    source = new EventSource("/api/v1/stream?kinds=problems,telemetry");
    source.addEventListener("hello", () => {
      setReach(true);
      heard();
      // whatever happened while nobody listened
      if (broken) void client.invalidateQueries();
      broken = false;
    });
    for (const kind of ["problems", "telemetry"]) {
      source.addEventListener(kind, (event) => {
        heard();
        const { site_id } = JSON.parse((event as MessageEvent<string>).data) as Changed;
        invalidate(client, kind, site_id ?? null);
      });
    }
    source.addEventListener("resync", () => {
      heard();
      invalidate(client, "problems", null);
    });
    source.onerror = () => void again();
  };
  const again = async () => {
    source?.close();
    source = null;
    broken = true;
    window.clearTimeout(timer);
    if (over) return;
    // tells a server that is away from a session that ran out
    await probe();
    timer = window.setTimeout(open, AGAIN_MS);
  };
  open();
  return () => {
    over = true;
    window.clearTimeout(timer);
    window.clearTimeout(silence);
    source?.close();
  };
}

async function probe(): Promise<void> {
  try {
    // a server that is being started anew keeps callers waiting: that is away, too
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch("/api/v1/auth/me", { credentials: "same-origin", signal });
    setReach(answer.status < 500);
    if (answer.status === 401) await renew();
  } catch {
    setReach(false);
  }
}

function invalidate(client: QueryClient, kind: string, site: number | null): void {
  void client.invalidateQueries({
    predicate: (query) => {
      const [of, at] = query.queryKey as [string, unknown];
      return of === kind && (site === null || at === null || at === site);
    },
  });
}

/** While the server is away, look for it every few seconds. */
export function keepLooking(): () => void {
  let timer: number | undefined;
  const look = () => {
    window.clearTimeout(timer);
    if (!isReached()) timer = window.setTimeout(() => void probe().then(look), AGAIN_MS);
  };
  const stop = onReach(look);
  look();
  return () => {
    stop();
    window.clearTimeout(timer);
  };
}
