// Server-sent events: what changed is read again. Without the stream everything is asked for now and then.
import type { QueryClient } from "@tanstack/react-query";
import { collectChanges } from "./changes";
import { renew } from "./client";
import { isReached, onReach, setReach } from "./reach";

const AGAIN_MS = 2000;
const SILENT_MS = 150_000; // telemetry is told every minute: a line that is silent for longer is dead
const PATIENCE_MS = 2000;

type Changed = { site_id?: number };

/** Keeps a stream open until the returned function is called. */
export function follow(client: QueryClient): () => void {
  const changes = collectChanges(client);
  let source: EventSource | null = null;
  let timer: number | undefined;
  let silence: number | undefined;
  let round = 0; // of several who want to connect again only the last goes on
  let broken = false;

  const rest = () => {
    source?.close();
    source = null;
    window.clearTimeout(timer);
    window.clearTimeout(silence);
  };
  const heard = () => {
    window.clearTimeout(silence);
    silence = window.setTimeout(() => void again(), SILENT_MS);
  };
  const open = () => {
    rest();
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
        changes.tell(kind, site_id ?? null);
      });
    }
    source.addEventListener("resync", () => {
      heard();
      changes.tell("problems", null);
    });
    source.onerror = () => void again();
  };
  const again = async () => {
    const mine = ++round;
    rest();
    broken = true;
    // tells a server that is away from a session that ran out
    await probe();
    if (mine === round) timer = window.setTimeout(open, AGAIN_MS);
  };
  open();
  return () => {
    round++;
    rest();
    changes.stop();
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
