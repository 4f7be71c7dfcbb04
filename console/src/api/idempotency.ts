// Idempotency keys: a request that is sent again after a lost answer must run only once.
import { useRef } from "react";

/** Not crypto.randomUUID(): browsers have it on https only, and a console on site may be plain http. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** One key per content while the form is open; a new form gets new keys. */
export function useIdempotencyKey(): (contents: string) => string {
  const made = useRef(new Map<string, string>());
  return (contents) => {
    const key = made.current.get(contents) ?? newIdempotencyKey();
    made.current.set(contents, key);
    return key;
  };
}
