// A problem in a sentence, with its numbers: what is wrong, against what, by how much.
import { named, t, type Key } from "../i18n";
import { compact, exact, number, percent, UNKNOWN } from "../i18n/format";
import { newest, type Evidence, type Peer, type Problem } from "./types";

const SHARES = new Set(["hashrate_ratio", "boards_ratio", "reject_rate"]);
const UNITS: Record<string, string> = {
  temp_max: "°C",
  temp_load: "°C",
  temp_spread: "°C",
  efficiency: "J/TH",
  fan_speed_min: "rpm",
};

/** A value of a metric as people read it. */
export function valueOf(metric: string, value: unknown, isShort = false): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string") return value;
  if (typeof value !== "number") return UNKNOWN;
  if (SHARES.has(metric)) return percent(value, metric === "reject_rate" ? 1 : 0);
  const unit = UNITS[metric];
  const shown = isShort ? compact(Math.round(value * 100) / 100) : number(value, Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
  return unit ? `${shown}\u00a0${unit}` : shown;
}

const METRIC: Record<string, string> = {
  overheat_crit: "temp_max",
  overheat_warn: "temp_max",
  boards_dead: "boards_ratio",
  boards_degrading: "boards_ratio",
  hashrate_degradation: "hashrate_ratio",
  hashrate_zero: "hashrate_ratio",
  efficiency_degradation: "efficiency",
  temp_anomaly: "temp_max",
  reject_rate_high: "reject_rate",
  hw_error_rate_high: "hw_error_rate",
  fan_zero: "fan_speed_min",
};

export function metricOf(problem: Problem): string {
  return METRIC[problem.issue_code] ?? "hashrate_ratio";
}

export function sentence(problem: Problem): string {
  const found = newest(problem);
  const key = `says.${problem.issue_code}`;
  if (!found) return named("issue", problem.issue_code);
  const metric = METRIC[problem.issue_code] ?? "";
  const baseline = found.baseline;
  const values = {
    value: valueOf(metric, found[metric]),
    limit: valueOf(metric, found.threshold, true),
    normal: valueOf(metric, baseline?.expected),
    pool: typeof found["pool"] === "string" ? found["pool"] : UNKNOWN,
    z: worst(found),
  };
  const said = t(key as Key, values);
  return said ?? named("issue", problem.issue_code);
}

function worst(found: Evidence): string {
  const all = found["robust_z"];
  if (typeof all !== "object" || all === null) return UNKNOWN;
  const zs = Object.values(all as Record<string, number | null>).filter((one) => one !== null);
  return zs.length ? number(zs.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)), 1) : UNKNOWN;
}

export type Fact = { metric: string; value: string; against: string[] };

/** Why we think so, number by number. */
export function facts(found: Evidence): Fact[] {
  const known = Object.entries(found).filter(([name, value]) => isMetric(name, value));
  return [...known.map(([metric, value]) => told(found, metric, value)), ...apart(found)];
}

/** What sets a machine apart from its peers, metric by metric. */
function apart(found: Evidence): Fact[] {
  const limit = found.threshold ?? 0;
  return Object.entries((found["peers"] ?? {}) as Record<string, Peer | null>).flatMap(([metric, peer]) => {
    if (!peer || Math.abs(peer.robust_z ?? 0) < limit) return [];
    const band = { n: number(peer.count), p25: valueOf(metric, peer.p25, true), p75: valueOf(metric, peer.p75, true) };
    return [{ metric, value: valueOf(metric, peer.value), against: [t("evidence.peers", band)] }];
  });
}

function told(found: Evidence, metric: string, value: unknown): Fact {
  const against: string[] = [];
  if (found.threshold !== null) against.push(t("evidence.limit", { limit: valueOf(metric, found.threshold, true) }));
  const own = found.baseline;
  if (own && own.metric === metric && own.expected !== null) {
    const sd = own.sigma === null ? UNKNOWN : valueOf(metric, own.sigma);
    against.push(t("evidence.baseline", { mean: valueOf(metric, own.expected), sd }));
    if (own.z !== null) against.push(t("evidence.z", { z: number(own.z, 1) }));
  }
  return { metric, value: metric === "heard_at" ? exact(String(value)) : valueOf(metric, value), against };
}

export function inWords({ metric, value, against }: Fact): string {
  const words = { metric: begun(named("metric", metric)), value };
  return against.length ? t("evidence.fact", { ...words, against: against.join(t("evidence.comma")) }) : t("evidence.bare", words);
}

function begun(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const NO_METRIC = new Set(["rule_code", "description", "threshold", "evaluated_at", "baseline", "peers", "left_out"]);

function isMetric(name: string, value: unknown): boolean {
  return !NO_METRIC.has(name) && (typeof value === "number" || typeof value === "string");
}
