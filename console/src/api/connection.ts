// Whether the server answers, and since when. Set by requests (`client.ts`) and the stream (`stream.ts`), read by the banner.
import { useSyncExternalStore } from "react";
import type { ErrorAnswer } from "./types";

type Connection = { connected: boolean; since: number };

let now: Connection = { connected: true, since: Date.now() };
const listeners = new Set<() => void>();

export function setConnected(connected: boolean): void {
  if (now.connected === connected) return;
  now = { connected, since: Date.now() };
  for (const listener of listeners) listener();
}

// a proxy answers for a server that is away, and a server without its database says so
const AWAY = new Set([502, 503, 504]);

// the server is there; only this request had to wait too long
const SLOW = "TIMED_OUT";

/** An answer has arrived: is it the server's own? */
export async function noteAnswer(answer: Response): Promise<void> {
  setConnected(!AWAY.has(answer.status) || (await errorCode(answer)) === SLOW);
}

async function errorCode(answer: Response): Promise<string | undefined> {
  const body = (await answer.clone().json().catch(() => null)) as Partial<ErrorAnswer> | null;
  return body?.error_code;
}

export function isConnected(): boolean {
  return now.connected;
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(onConnectionChange, () => now);
}
