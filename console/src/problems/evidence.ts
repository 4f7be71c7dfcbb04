// The evidence of a problem as text: one sentence, and the figures behind it.
import { wordFor, t, texts, type Key } from "../i18n";
import { compact, exact, number, percent, span, UNKNOWN } from "../i18n/format";
import type { Evidence, PeerPosition, Problem } from "../api/types";

/** The newest reason why the problem is open. */
export function newest(problem: Problem): Evidence | null {
  return problem.evidence_json.at(-1) ?? null;
}

const SHARES = new Set(["hashrate_ratio", "boards_ratio", "board_share_min", "reject_rate", "boards_apart"]);
const COUNTS = new Set(["boots", "still_samples"]);
const DURATIONS = new Set(["sample_age_sec", "silent_sec"]);
const UNITS: Record<string, string> = {
  temp_max: "°C",
  temp_load: "°C",
  temp_spread: "°C",
  efficiency: "J/TH",
  fan_speed_min: "rpm",
  fan_speed_avg: "rpm",
  hashrate_ths: "TH/s",
  boards_sum_ths: "TH/s",
  expected_ths: "TH/s",
};

/** A value with its unit, rounded for people. */
export function valueOf(metric: string, value: unknown, isShort = false): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string") return value;
  if (typeof value !== "number") return UNKNOWN;
  if (SHARES.has(metric)) return percent(value, metric === "reject_rate" ? 1 : 0);
  if (DURATIONS.has(metric)) return span(value);
  if (COUNTS.has(metric)) return number(value);
  const unit = UNITS[metric];
  const shown = isShort ? compact(Math.round(value * 100) / 100) : number(value, Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
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

export function summaryOf(problem: Problem): string {
  const evidence = newest(problem);
  if (!evidence) return wordFor("issue", problem.issue_code);
  const metric = evidence.metric ?? METRIC[problem.issue_code] ?? "";
  const own = evidence.baseline?.metric === metric ? evidence.baseline : null;
  const values = {
    value: valueOf(metric, evidence[metric] ?? own?.value),
    limit: valueOf(metric, evidence.threshold, true),
    normal: valueOf(metric, own?.expected),
    boards: valueOf("boards_ratio", evidence["boards_ratio"]),
    reference: referenceOf(evidence),
    pool: typeof evidence["pool"] === "string" ? evidence["pool"] : UNKNOWN,
    ...outlierOf(evidence),
  };
  const by = `summary.${problem.issue_code}.${evidence.limit_source === "assumed" ? "assumed" : evidence.way}`;
  const text = t((by in texts ? by : `summary.${problem.issue_code}`) as Key, values);
  return text;
}

/** The hashrate that a ratio is of; not the expected hashrate in eco or perf mode. */
function referenceOf(evidence: Evidence): string {
  const ths = evidence["expected_ths"];
  return typeof ths === "number" ? valueOf("expected_ths", ths, true) : t("reference.unknown");
}

/** The metric that is farthest from the peers, with the range of half of them. */
function outlierOf(evidence: Evidence): { metric: string; own: string; p25: string; p75: string } {
  const peers = Object.entries(evidence.peers ?? {}).flatMap(([name, peer]) => (peer ? [{ name, ...peer }] : []));
  const [worst] = peers.sort((a, b) => Math.abs(b.robust_z ?? 0) - Math.abs(a.robust_z ?? 0));
  const name = worst?.name ?? evidence.metric ?? "";
  const value = worst ? worst.value : evidence[name];
  const [own, p25, p75] = [value, worst?.p25, worst?.p75].map((figure) => valueOf(name, figure, true));
  return { metric: capitalized(wordFor("metric", name)), own: own ?? UNKNOWN, p25: p25 ?? UNKNOWN, p75: p75 ?? UNKNOWN };
}

/** Whose peers: of its model, or of the whole site where too few are of the model. */
export function levelName(level: string | null, model: string | null): string {
  return level === "site" || !model ? t("problem.peers.site") : model;
}

export type Fact = { metric: string; value: string; against: string[] };

/** All figures of the evidence; the one that passed its limit comes first. */
export function facts(evidence: Evidence): Fact[] {
  const known = Object.entries(evidence).filter(([name, value]) => isMetric(name, value));
  const [passed, others] = [known.filter(([name]) => name === evidence.metric), known.filter(([name]) => name !== evidence.metric)];
  return [...passed, ...others].map(([metric, value]) => factOf(evidence, metric, value)).concat(otherOutliers(evidence));
}

/** Other metrics in which the machine is an outlier. */
function otherOutliers(evidence: Evidence): Fact[] {
  const limit = evidence.robust_z_threshold ?? evidence.threshold ?? 0;
  return Object.entries(peersOf(evidence)).flatMap(([metric, peer]) => {
    if (!peer || metric === evidence.metric || Math.abs(peer.robust_z ?? 0) < limit) return [];
    return [{ metric, value: valueOf(metric, peer.value), against: [peerRange(metric, peer)] }];
  });
}

function peersOf(evidence: Evidence): Record<string, PeerPosition | null> {
  return evidence.peers ?? {};
}

function peerRange(metric: string, peer: PeerPosition): string {
  return t("evidence.peers", { n: number(peer.count), p25: valueOf(metric, peer.p25, true), p75: valueOf(metric, peer.p75, true) });
}

function factOf(evidence: Evidence, metric: string, value: unknown): Fact {
  const against: string[] = [];
  const isPassed = (evidence.metric ?? metric) === metric;
  if (isPassed && evidence.measured === "half_hour_mean") against.push(t("evidence.mean"));
  if (isPassed && evidence.sensor) against.push(wordFor("sensor", evidence.sensor));
  if (isPassed && typeof evidence.threshold === "number") against.push(limitOf(evidence, metric));
  const own = evidence.baseline;
  if (own && own.metric === metric && typeof own.expected === "number") {
    const sd = valueOf(metric, own.sigma);
    against.push(t("evidence.baseline", { mean: valueOf(metric, own.expected), sd }));
    if (typeof own.z === "number") against.push(t("evidence.z", { z: number(own.z, 1) }));
  }
  const inferred = `evidence.expected.${evidence.expectation}`;
  if (metric === "expected_ths" && inferred in texts) against.push(t(inferred as Key));
  const peer = peersOf(evidence)[metric];
  if (peer) against.push(peerRange(metric, peer));
  return { metric, value: metric === "heard_at" ? exact(String(value)) : valueOf(metric, value), against };
}

/** The limit and where it comes from. */
function limitOf(evidence: Evidence, metric: string): string {
  const by = `evidence.limit.${evidence.limit_source}`;
  return t((by in texts ? by : "evidence.limit") as Key, { limit: valueOf(metric, evidence.threshold, true) });
}

export function factText({ metric, value, against }: Fact): string {
  const words = { metric: capitalized(wordFor("metric", metric)), value };
  return against.length ? t("evidence.fact", { ...words, against: against.join(t("evidence.comma")) }) : t("evidence.bare", words);
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const NO_METRIC = new Set([
  ...["rule_code", "description", "threshold", "evaluated_at", "baseline", "peers", "left_out"],
  ...["way", "metric", "side", "measured", "sensor", "limit_source", "expectation"],
]);

function isMetric(name: string, value: unknown): boolean {
  return !NO_METRIC.has(name) && !name.endsWith("_threshold") && (typeof value === "number" || typeof value === "string");
}
