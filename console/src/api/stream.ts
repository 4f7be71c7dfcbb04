// Server-sent events: changed data is fetched again. Without the stream, queries poll.
import type { QueryClient } from "@tanstack/react-query";
import { collectChanges } from "./changes";
import { renew } from "./client";
import { isConnected, noteAnswer, onConnectionChange, setConnected } from "./connection";

const RETRY_MS = 2000;
const SILENT_MS = 150_000; // telemetry events come every minute; a stream silent for longer is dead
const PROBE_TIMEOUT_MS = 2000;

type Changed = { site_id?: number };

/** Keeps a stream open until the returned function is called. */
export function openStream(client: QueryClient): () => void {
  const changes = collectChanges(client);
  let source: EventSource | null = null;
  let timer: number | undefined;
  let silence: number | undefined;
  let attempts = 0; // only the newest reconnect continues
  let hasGaps = false;

  const closeSource = () => {
    source?.close();
    source = null;
    window.clearTimeout(timer);
    window.clearTimeout(silence);
  };
  const resetSilenceTimer = () => {
    window.clearTimeout(silence);
    silence = window.setTimeout(() => void reconnect(), SILENT_MS);
  };
  const open = () => {
    closeSource();
    source = new EventSource("/api/v1/stream?kinds=problems,telemetry");
    source.addEventListener("hello", () => {
      setConnected(true);
      resetSilenceTimer();
      // changes were missed meanwhile
      if (hasGaps) void client.invalidateQueries();
      hasGaps = false;
    });
    for (const kind of ["problems", "telemetry"]) {
      source.addEventListener(kind, (event) => {
        resetSilenceTimer();
        const { site_id } = JSON.parse((event as MessageEvent<string>).data) as Changed;
        changes.notify(kind, site_id ?? null);
      });
    }
    source.addEventListener("resync", () => {
      resetSilenceTimer();
      changes.notify("problems", null);
    });
    source.onerror = () => void reconnect();
  };
  const reconnect = async () => {
    const attempt = ++attempts;
    closeSource();
    hasGaps = true;
    // is the server away, or has the session expired?
    await probe();
    if (attempt === attempts) timer = window.setTimeout(open, RETRY_MS);
  };
  open();
  return () => {
    attempts++;
    closeSource();
    changes.stop();
  };
}

async function probe(): Promise<void> {
  try {
    // a starting server keeps requests waiting: treated as away
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const answer = await fetch("/api/v1/auth/me", { credentials: "same-origin", signal });
    await noteAnswer(answer);
    if (answer.status === 401) await renew();
  } catch {
    setConnected(false);
  }
}

/** Probes every few seconds while the server is away. */
export function keepProbing(): () => void {
  let timer: number | undefined;
  const scheduleProbe = () => {
    window.clearTimeout(timer);
    if (!isConnected()) timer = window.setTimeout(() => void probe().then(scheduleProbe), RETRY_MS);
  };
  const stop = onConnectionChange(scheduleProbe);
  scheduleProbe();
  return () => {
    stop();
    window.clearTimeout(timer);
  };
}
