// Light or dark, kept on this device; pictures on canvas read the same tokens as the style sheet.
import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";

const listeners = new Set<() => void>();

export function theme(): Theme {
  return document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
}

export function setTheme(next: Theme): void {
  document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem("hi.theme", next);
  } catch {
    // a browser that keeps nothing forgets it with the page
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, theme);
}

export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
