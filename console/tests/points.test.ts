import { describe, expect, it } from "vitest";
import { withGaps, isolated, type Point } from "../src/charts/points";

const at = (...minutes: number[]) => minutes.map((minute): Point => [minute, 1]);

describe("values over time", () => {
  it("are one line while they come as usual, also where one or two are late", () => {
    for (const points of [at(), at(5), at(5, 10), at(5, 10, 15, 25, 30)]) expect(withGaps(points)).toEqual(points);
  });

  it("are broken where nobody spoke for long", () => {
    expect(withGaps(at(5, 10, 15, 60, 65))).toEqual([...at(5, 10, 15), [37.5, null], ...at(60, 65)]);
  });

  it("stand alone between two holes, and at an end beside one", () => {
    const points: Point[] = [[0, 1], [1, null], [2, 1], [3, 1], [4, null], [5, 0], [6, null]];
    expect(isolated(points)).toEqual(new Set([0, 5]));
    expect(isolated(at(5))).toEqual(new Set([0]));
    expect(isolated([])).toEqual(new Set());
  });
});
