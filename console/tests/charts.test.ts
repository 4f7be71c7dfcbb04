import { describe, expect, it } from "vitest";
import { digitsFor, reachOf, type Lines } from "../src/charts/lines";

const lines = (values: (number | null)[], more: Partial<Lines> = {}) =>
  reachOf({
    ...{ name: "", unit: "", digits: 1, start: 0, end: 1, zone: "UTC" },
    points: values.map((value, no): [number, number | null] => [no, value]),
    ...more,
  });

describe("the axis of a line", () => {
  it("makes no cliff of what hardly moves", () => {
    const { min, max } = lines([128, 128, 127.94]);
    expect(max - min).toBeGreaterThan(128 * 0.04);
    expect([min < 127.94, max > 128]).toEqual([true, true]);
  });

  it("holds all that is drawn: the line, what is expected of it, and its band", () => {
    expect(lines([5.7, 6], { expected: { value: 7.4, name: "" } }).max).toBeGreaterThanOrEqual(7.4);
    const { min, max } = lines([70, 71], { band: { low: 40, high: 72 }, course: [[0, 69, 90]] });
    expect([min <= 40, max >= 90]).toEqual([true, true]);
    expect(lines([0, 0, null])).toMatchObject({ min: 0 }); // nothing is less than nothing
    expect(lines([])).toMatchObject({ min: 0, max: 1 });
  });

  it("has round figures of equal length", () => {
    for (const values of [[5.74, 6.02], [60, 72], [0, 3200], [0.0003, 0.0004], [98, 131]]) {
      const { min, max, interval } = lines(values);
      const steps = (max - min) / interval;
      expect(steps, String(values)).toBeCloseTo(Math.round(steps), 6);
      expect(steps).toBeLessThanOrEqual(7);
    }
    expect(digitsFor({ interval: 0.1 })).toBe(1);
    expect(digitsFor({ interval: 2.5 })).toBe(1);
    expect(digitsFor({ interval: 20 })).toBe(0);
    expect(digitsFor({ interval: 0.05 })).toBe(2);
  });
});
