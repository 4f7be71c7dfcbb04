// Keys: `/` search, `g` then a letter to go, and what a page adds for itself. None while somebody types.
import { useEffect, useRef } from "react";

type Acts = Record<string, (event: KeyboardEvent) => void>;

const stack: { current: Acts }[] = [];
let waitingForG = 0;

function typing(event: KeyboardEvent): boolean {
  const at = event.target as HTMLElement | null;
  if (at instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(at.type)) return false;
  return !!at && (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable);
}

function name(event: KeyboardEvent): string {
  const held = event.ctrlKey || event.metaKey ? "ctrl+" : "";
  const then = Date.now() - waitingForG < 1200 && !held ? "g " : "";
  return then + held + event.key;
}

/** What has the focus and does something by itself when Enter is pressed keeps it. */
function isTaken(event: KeyboardEvent): boolean {
  const at = event.target;
  return event.key === "Enter" && at instanceof Element && at.closest("a, button, summary, [role=option]") !== null;
}

function press(event: KeyboardEvent): void {
  if (isTaken(event)) return;
  const key = name(event);
  const free = !typing(event) && !document.querySelector("dialog[open]");
  if (!free && !key.startsWith("ctrl+")) return;
  if (event.key === "g" && !event.ctrlKey && !event.metaKey) {
    waitingForG = Date.now();
    return;
  }
  waitingForG = 0;
  for (let no = stack.length - 1; no >= 0; no--) {
    const act = stack[no]?.current[key];
    if (act) {
      event.preventDefault();
      act(event);
      return;
    }
  }
}

export function useKeys(acts: Acts): void {
  const place = useRef(acts);
  place.current = acts;
  useEffect(() => {
    if (!stack.length) document.addEventListener("keydown", press);
    stack.push(place);
    return () => {
      stack.splice(stack.indexOf(place), 1);
      if (!stack.length) document.removeEventListener("keydown", press);
    };
  }, []);
}
