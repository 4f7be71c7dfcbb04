// What is normal for a machine, as a band in the picture of one metric: its own past, else its peers.
import type { Story } from "./types";

export const LEAST_SAMPLES = 6; // with fewer nothing is said of its own past

export type Range = { low: number; high: number };
/** The one metric that a picture shows, and what one of it is in the picture's unit. */
export type Shown = { metric: string; scale: number };
export type Normal = { whose: "own" | "peers"; course: [number, number, number][]; flat: Range | null };

type Learnt = { expected: number; sigma: number };

function learnt(baseline: Story["baseline"], metric: string): Learnt | null {
  const own = baseline?.metrics[metric];
  if (!own || own.expected === null || own.sigma === null || (own.samples ?? 0) < LEAST_SAMPLES) return null;
  return { expected: own.expected, sigma: own.sigma };
}

/** Three deviations to each side of its own normal, once that has been learnt. */
export function ownRange(baseline: Story["baseline"], { metric, scale }: Shown): Range | null {
  const own = learnt(baseline, metric);
  if (!own || !scale) return null;
  return { low: (own.expected - 3 * own.sigma) * scale, high: (own.expected + 3 * own.sigma) * scale };
}

/** Its own normal as it was cycle by cycle; where that is not known, as it is now; else what eight of ten peers run at. */
export function normalOf(story: Story, shown: Shown): Normal | null {
  const flat = ownRange(story.baseline, shown);
  if (flat) {
    const course = courseOf(story, shown);
    return course.length > 1 ? { whose: "own", course, flat: null } : { whose: "own", course: [], flat };
  }
  const peer = story.problem.peer_metrics_json?.[shown.metric];
  if (!peer || peer.p10 === null || peer.p90 === null || !shown.scale) return null;
  return { whose: "peers", course: [], flat: { low: peer.p10 * shown.scale, high: peer.p90 * shown.scale } };
}

/** As it is now. */
export function rangeOf({ course, flat }: Normal): Range | null {
  const last = course.at(-1);
  return last ? { low: last[1], high: last[2] } : flat;
}

function courseOf(story: Story, { metric, scale }: Shown): [number, number, number][] {
  const half = 3 * (learnt(story.baseline, metric)?.sigma ?? 0) * scale;
  return story.history.flatMap((one): [number, number, number][] => {
    const middle = one.expected?.[metric];
    if (middle === null || middle === undefined) return [];
    return [[Date.parse(one.ts), middle * scale - half, middle * scale + half]];
  });
}
