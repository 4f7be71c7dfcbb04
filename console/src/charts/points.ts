// Values over time: where a line breaks, and which of them stand alone.
export type Point = [at: number, value: number | null];

const LONGEST = 2.5; // usual steps; no line is drawn over a longer gap

/** The same, with a hole wherever the next value comes much later than they usually do. */
export function withGaps(points: Point[]): Point[] {
  const steps = points.slice(1).map(([at], no) => at - (points[no]?.[0] ?? at));
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? Infinity;
  return points.flatMap((point, no): Point[] => {
    const step = steps[no - 1] ?? 0;
    return step > usual * LONGEST ? [[point[0] - step / 2, null], point] : [point];
  });
}

/** Those between two holes, by their number: of them a line alone shows nothing. */
export function isolated(points: Point[]): Set<number> {
  const isKnown = (no: number) => typeof points[no]?.[1] === "number";
  return new Set([...points.keys()].filter((no) => isKnown(no) && !isKnown(no - 1) && !isKnown(no + 1)));
}
