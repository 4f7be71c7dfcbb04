// Numbers with units, times and durations. Unknown values are a dash, never 0.
import { language, t } from "./index";

export const UNKNOWN = "—";

function locale(): string {
  return language() === "zh" ? "zh-CN" : "en-US";
}

export function number(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
  return new Intl.NumberFormat(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

/** For axes: as many digits as it has, three at the most. */
export function compact(value: number): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: 3 }).format(value);
}

export type Quantity = { value: string; unit: string };

/** TH/s below a thousand, PH/s above, EH/s for the largest. */
export function hashrate(ths: number | null | undefined, digits = 1): Quantity {
  if (ths === null || ths === undefined) return { value: UNKNOWN, unit: "TH/s" };
  const size = Math.abs(ths);
  if (size >= 1e6) return { value: number(ths / 1e6, 2), unit: "EH/s" };
  if (size >= 1000) return { value: number(ths / 1000, digits), unit: "PH/s" };
  return { value: number(ths, digits), unit: "TH/s" };
}

export function power(watts: number | null | undefined): Quantity {
  if (watts === null || watts === undefined) return { value: UNKNOWN, unit: "kW" };
  if (Math.abs(watts) >= 1e6) return { value: number(watts / 1e6, 2), unit: "MW" };
  if (Math.abs(watts) >= 10_000) return { value: number(watts / 1000, 0), unit: "kW" };
  return { value: number(watts, 0), unit: "W" };
}

export function text(quantity: Quantity): string {
  return quantity.value === UNKNOWN ? UNKNOWN : `${quantity.value}\u00a0${quantity.unit}`;
}

export function money(value: number | null | undefined, currency: string | null | undefined): string {
  if (value === null || value === undefined || !currency) return UNKNOWN;
  const digits = Math.abs(value) < 10 ? 2 : 0;
  const style = { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(locale(), { ...style, currencyDisplay: "narrowSymbol" }).format(value);
}

export function percent(share: number | null | undefined, digits = 0): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN;
  const style = { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(locale(), style).format(share);
}

/** A span as people say it: its two largest parts at most. */
export function span(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return UNKNOWN;
  const s = Math.max(0, Math.round(seconds));
  if (s < 90) return t("span.s", { n: s });
  const minutes = Math.round(s / 60);
  if (minutes < 90) return t("span.m", { n: minutes });
  const hours = Math.floor(s / 3600);
  if (hours < 48) return minutes % 60 && hours < 10 ? t("span.hm", { h: hours, m: minutes % 60 }) : t("span.h", { n: hours });
  const days = Math.floor(hours / 24);
  return hours % 24 && days < 10 ? t("span.dh", { d: days, h: hours % 24 }) : t("span.d", { n: days });
}

export function ago(at: string | number | Date | null | undefined, now: number): string {
  if (at === null || at === undefined) return UNKNOWN;
  // clocks differ by some seconds, and nobody asks how many
  if (now - new Date(at).getTime() < 5000) return t("span.now");
  return t("span.ago", { span: span((now - new Date(at).getTime()) / 1000) });
}

/** The exact time in the site's zone, with UTC beside it. */
export function exact(at: string | number | Date | null | undefined, zone = "UTC"): string {
  if (at === null || at === undefined) return UNKNOWN;
  const when = new Date(at);
  const style = { dateStyle: "medium", timeStyle: "medium" } as const;
  const utc = `${when.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  if (zone === "UTC") return utc;
  try {
    return `${new Intl.DateTimeFormat(locale(), { ...style, timeZone: zone }).format(when)} (${zone}) · ${utc}`;
  } catch {
    return utc;
  }
}

export function clock(at: string | number | Date, zone = "UTC", day = false): string {
  const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone } as const;
  const options = day ? ({ ...parts, weekday: "short" } as const) : parts;
  return new Intl.DateTimeFormat(locale(), options).format(new Date(at));
}

/** When, as short as it stays clear: the time of today, the day within a week, the date before that. */
export function moment(at: string, now: number, zone = "UTC"): string {
  const when = new Date(at);
  const day = (item: number | Date) => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(item);
  if (day(when) === day(now)) return clock(when, zone);
  if (Math.abs(now - when.getTime()) < 6 * 86_400_000) return clock(when, zone, true);
  return date(when, zone);
}

export function date(at: number | Date, zone = "UTC"): string {
  return new Intl.DateTimeFormat(locale(), { month: "short", day: "numeric", timeZone: zone }).format(at);
}
