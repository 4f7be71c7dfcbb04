// Whether the server can be reached, and since when not: one value that the banner and the queries look at.
import { useSyncExternalStore } from "react";

type Reach = { reached: boolean; since: number };

let now: Reach = { reached: true, since: Date.now() };
const listeners = new Set<() => void>();

export function setReach(reached: boolean): void {
  if (now.reached === reached) return;
  now = { reached, since: Date.now() };
  for (const tell of listeners) tell();
}

export function isReached(): boolean {
  return now.reached;
}

export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useReach(): Reach {
  return useSyncExternalStore(onReach, () => now);
}
