// A problem in a sentence, with its numbers: what is wrong, against what, by how much.
import { named, t, texts, type Key } from "../i18n";
import { compact, exact, number, percent, UNKNOWN } from "../i18n/format";
import { newest, type Evidence, type Peer, type Problem } from "./types";

const SHARES = new Set(["hashrate_ratio", "boards_ratio", "board_share_min", "reject_rate", "boards_apart"]);
const COUNTS = new Set(["boots", "still_samples", "sample_age_sec", "silent_sec"]); // without noughts behind the point
const UNITS: Record<string, string> = {
  temp_max: "°C",
  temp_load: "°C",
  temp_spread: "°C",
  efficiency: "J/TH",
  fan_speed_min: "rpm",
  fan_speed_avg: "rpm",
  sample_age_sec: "s",
  silent_sec: "s",
  hashrate_ths: "TH/s",
  boards_sum_ths: "TH/s",
  expected_ths: "TH/s",
};

/** A value of a metric as people read it. */
export function valueOf(metric: string, value: unknown, isShort = false): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string") return value;
  if (typeof value !== "number") return UNKNOWN;
  if (SHARES.has(metric)) return percent(value, metric === "reject_rate" ? 1 : 0);
  const unit = UNITS[metric];
  const shown = isShort || COUNTS.has(metric) ? compact(Math.round(value * 100) / 100) : number(value, Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
  return unit ? `${shown}\u00a0${unit}` : shown;
}

const METRIC: Record<string, string> = {
  overheat_crit: "temp_max",
  overheat_warn: "temp_max",
  boards_dead: "boards_ratio",
  board_lost: "hashrate_ratio",
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
  if (!found) return named("issue", problem.issue_code);
  const metric = found.metric ?? METRIC[problem.issue_code] ?? "";
  const own = found.baseline?.metric === metric ? found.baseline : null;
  const values = {
    value: valueOf(metric, found[metric] ?? own?.value),
    limit: valueOf(metric, found.threshold, true),
    normal: valueOf(metric, own?.expected),
    boards: valueOf("boards_ratio", found["boards_ratio"]),
    reference: referenceOf(found),
    pool: typeof found["pool"] === "string" ? found["pool"] : UNKNOWN,
    z: worst(found),
  };
  const by = `says.${problem.issue_code}.${found.limit_source === "assumed" ? "assumed" : found.way}`;
  const said = t((by in texts ? by : `says.${problem.issue_code}`) as Key, values);
  return said ?? named("issue", problem.issue_code);
}

/** What a share of hashrate is of: not what is expected in eco or perf, which live figures are compared with. */
function referenceOf(found: Evidence): string {
  const ths = found["expected_ths"];
  return typeof ths === "number" ? valueOf("expected_ths", ths, true) : t("reference.unknown");
}

function worst(found: Evidence): string {
  const all = found["robust_z"];
  if (typeof all !== "object" || all === null) return UNKNOWN;
  const zs = Object.values(all as Record<string, number | null>).filter((one) => one !== null);
  return zs.length ? number(zs.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)), 1) : UNKNOWN;
}

/** Whose peers: of its model, or of the whole site where too few are alike. */
export function levelName(level: string | null, model: string | null): string {
  return level === "site" || !model ? t("problem.peers.site") : model;
}

export type Fact = { metric: string; value: string; against: string[] };

/** Why we think so, number by number; the one that passed its limit first. */
export function facts(found: Evidence): Fact[] {
  const known = Object.entries(found).filter(([name, value]) => isMetric(name, value));
  const [passed, beside] = [known.filter(([name]) => name === found.metric), known.filter(([name]) => name !== found.metric)];
  return [...passed, ...beside].map(([metric, value]) => told(found, metric, value)).concat(apart(found));
}

/** What else sets a machine apart from its peers, metric by metric. */
function apart(found: Evidence): Fact[] {
  const given = found["robust_z_threshold"];
  const limit = typeof given === "number" ? given : (found.threshold ?? 0);
  return Object.entries(peersOf(found)).flatMap(([metric, peer]) => {
    if (!peer || metric === found.metric || Math.abs(peer.robust_z ?? 0) < limit) return [];
    return [{ metric, value: valueOf(metric, peer.value), against: [among(metric, peer)] }];
  });
}

function peersOf(found: Evidence): Record<string, Peer | null> {
  return (found["peers"] ?? {}) as Record<string, Peer | null>;
}

function among(metric: string, peer: Peer): string {
  return t("evidence.peers", { n: number(peer.count), p25: valueOf(metric, peer.p25, true), p75: valueOf(metric, peer.p75, true) });
}

function told(found: Evidence, metric: string, value: unknown): Fact {
  const against: string[] = [];
  const isPassed = (found.metric ?? metric) === metric;
  if (isPassed && found.measured === "half_hour_mean") against.push(t("evidence.mean"));
  if (isPassed && found.sensor) against.push(named("sensor", found.sensor));
  if (isPassed && found.threshold !== null) against.push(limitOf(found, metric));
  const own = found.baseline;
  if (own && own.metric === metric && own.expected !== null) {
    const sd = own.sigma === null ? UNKNOWN : valueOf(metric, own.sigma);
    against.push(t("evidence.baseline", { mean: valueOf(metric, own.expected), sd }));
    if (own.z !== null) against.push(t("evidence.z", { z: number(own.z, 1) }));
  }
  const inferred = `evidence.expected.${found.expectation}`;
  if (metric === "expected_ths" && inferred in texts) against.push(t(inferred as Key));
  const peer = peersOf(found)[metric];
  if (peer) against.push(among(metric, peer));
  return { metric, value: metric === "heard_at" ? exact(String(value)) : valueOf(metric, value), against };
}

/** The limit, and whose it is: the machine's own, the model's, the operator's, or assumed. */
function limitOf(found: Evidence, metric: string): string {
  const by = `evidence.limit.${found.limit_source}`;
  return t((by in texts ? by : "evidence.limit") as Key, { limit: valueOf(metric, found.threshold, true) });
}

export function inWords({ metric, value, against }: Fact): string {
  const words = { metric: begun(named("metric", metric)), value };
  return against.length ? t("evidence.fact", { ...words, against: against.join(t("evidence.comma")) }) : t("evidence.bare", words);
}

function begun(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const NO_METRIC = new Set([
  ...["rule_code", "description", "threshold", "evaluated_at", "baseline", "peers", "left_out"],
  ...["way", "metric", "side", "measured", "sensor", "limit_source", "expectation"],
]);

function isMetric(name: string, value: unknown): boolean {
  return !NO_METRIC.has(name) && !name.endsWith("_threshold") && (typeof value === "number" || typeof value === "string");
}
