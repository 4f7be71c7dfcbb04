// The normal range of a machine as a band in a chart: by its own baseline, otherwise by its peers.
import type { Baseline, ProblemDetails } from "../api/types";

export type Range = { low: number; high: number };
/** The metric of a chart, and the factor to the unit of the chart. */
export type ChartMetric = { metric: string; scale: number };
export type NormalBand = { whose: "own" | "peers"; history: [number, number, number][]; now: Range | null };

type KnownBaseline = { expected: number; sigma: number };

function knownBaseline(baseline: Baseline | null, metric: string): KnownBaseline | null {
  const own = baseline?.metrics[metric];
  if (!own?.is_known || own.expected === null || own.sigma === null) return null;
  return { expected: own.expected, sigma: own.sigma };
}

/** Three standard deviations around its own baseline, once that is known. */
export function ownRange(baseline: Baseline | null, { metric, scale }: ChartMetric): Range | null {
  const own = knownBaseline(baseline, metric);
  if (!own || !scale) return null;
  return { low: (own.expected - 3 * own.sigma) * scale, high: (own.expected + 3 * own.sigma) * scale };
}

/** Its own range cycle by cycle; without a history as it is now; otherwise the range of 80 % of its peers. */
export function normalBandOf(details: Pick<ProblemDetails, "problem" | "baseline" | "history">, shown: ChartMetric): NormalBand | null {
  const now = ownRange(details.baseline, shown);
  if (now) {
    const history = historyOf(details, shown);
    return history.length > 1 ? { whose: "own", history, now: null } : { whose: "own", history: [], now };
  }
  const peer = details.problem.peer_metrics_json?.[shown.metric];
  if (!peer || peer.p10 === null || peer.p90 === null || !shown.scale) return null;
  return { whose: "peers", history: [], now: { low: peer.p10 * shown.scale, high: peer.p90 * shown.scale } };
}

/** As it is now. */
export function rangeOf({ history, now }: NormalBand): Range | null {
  const last = history.at(-1);
  return last ? { low: last[1], high: last[2] } : now;
}

function historyOf(details: Pick<ProblemDetails, "problem" | "baseline" | "history">, { metric, scale }: ChartMetric): [number, number, number][] {
  const half = 3 * (knownBaseline(details.baseline, metric)?.sigma ?? 0) * scale;
  return details.history.flatMap(({ ts, expected }): [number, number, number][] => {
    const middle = metric in expected ? expected[metric as keyof typeof expected] : null;
    if (middle === null) return [];
    return [[Date.parse(ts), middle * scale - half, middle * scale + half]];
  });
}
