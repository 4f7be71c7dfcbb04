// Two languages, one table: a text that is missing in one of them does not compile.
import { useSyncExternalStore } from "react";
import { acts } from "./commands";
import { codes } from "./codes";
import { fleet } from "./fleet";
import { problems } from "./problems";
import { refused } from "./errors";
import { shell } from "./shell";

export type Language = "en" | "zh";
export type Pair = readonly [en: string, zh: string];

export const texts = { ...shell, ...fleet, ...problems, ...acts, ...codes, ...refused } as const satisfies Record<string, Pair>;
export type Key = keyof typeof texts;
export type Values = Record<string, string | number>;

const listeners = new Set<() => void>();

export function language(): Language {
  return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
}

export function setLanguage(next: Language): void {
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
  try {
    localStorage.setItem("hi.language", next);
  } catch {
    // a browser that keeps nothing forgets it with the page
  }
  for (const tell of listeners) tell();
}

export function useLanguage(): Language {
  return useSyncExternalStore((tell) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, language);
}

export function t(key: Key, values: Values = {}): string {
  const pair: Pair = texts[key];
  return fill(pair[language() === "zh" ? 1 : 0], values);
}

/** `{n|machine|machines}` is one word or many by the value of n; `{n}` is the value itself. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one === undefined || many === undefined) return String(value);
    return String(value).replace(/\D/g, "") === "1" ? one : many;
  });
}

/** Between two sentences: Chinese puts none. */
export function gap(): string {
  return language() === "zh" ? "" : " ";
}

/** A code of the API in words where there are some, otherwise as it is. */
export function wordFor(prefix: string, code: string | null | undefined): string {
  if (!code) return "—";
  const key = `${prefix}.${code}`;
  return key in texts ? t(key as Key) : code.replaceAll("_", " ");
}
