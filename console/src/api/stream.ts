// Server-sent events: changed data is fetched again. Without the stream, queries poll.
import type { QueryClient } from "@tanstack/react-query";
import { collectChanges } from "./changes";
import { renew } from "./client";
import { isConnected, onConnectionChange, setConnected } from "./connection";

const AGAIN_MS = 2000;
const SILENT_MS = 150_000; // telemetry events come every minute: a stream that is silent for longer is dead
const PATIENCE_MS = 2000;

type Changed = { site_id?: number };

/** Keeps a stream open until the returned function is called. */
export function openStream(client: QueryClient): () => void {
  const changes = collectChanges(client);
  let source: EventSource | null = null;
  let timer: number | undefined;
  let silence: number | undefined;
  let round = 0; // of several reconnects only the last one goes on
  let withGaps = false;

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
      setConnected(true);
      heard();
      // changes were missed meanwhile
      if (withGaps) void client.invalidateQueries();
      withGaps = false;
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
    withGaps = true;
    // is the server away, or has the session expired?
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
    // a server that is starting keeps requests waiting: that counts as away
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch("/api/v1/auth/me", { credentials: "same-origin", signal });
    setConnected(answer.status < 500);
    if (answer.status === 401) await renew();
  } catch {
    setConnected(false);
  }
}

/** Probes every few seconds while the server is away. */
export function keepProbing(): () => void {
  let timer: number | undefined;
  const look = () => {
    window.clearTimeout(timer);
    if (!isConnected()) timer = window.setTimeout(() => void probe().then(look), AGAIN_MS);
  };
  const stop = onConnectionChange(look);
  look();
  return () => {
    stop();
    window.clearTimeout(timer);
  };
}
