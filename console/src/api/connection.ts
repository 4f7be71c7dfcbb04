// Whether the server answers, and since when: read by the banner and the stream.
import { useSyncExternalStore } from "react";

type Connection = { connected: boolean; since: number };

let now: Connection = { connected: true, since: Date.now() };
const listeners = new Set<() => void>();

export function setConnected(connected: boolean): void {
  if (now.connected === connected) return;
  now = { connected, since: Date.now() };
  for (const listener of listeners) listener();
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
