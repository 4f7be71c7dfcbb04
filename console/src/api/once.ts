// A request that is sent again after its answer was lost must not be done twice: the same contents carry the same key.
import { useRef } from "react";

/** Not crypto.randomUUID(): browsers give that to https alone, and a console in the aisle may be plain http. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
}

/** One key for each contents, as long as the form is open; another form is another wish. */
export function useKeyFor(): (contents: string) => string {
  const made = useRef(new Map<string, string>());
  return (contents) => {
    const key = made.current.get(contents) ?? newKey();
    made.current.set(contents, key);
    return key;
  };
}
