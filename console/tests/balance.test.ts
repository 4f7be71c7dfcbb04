import { describe, expect, it } from "vitest";
import { balanceOf, hasLossAndSurplus, isNegligible } from "../src/pages/balance";

const site = (now: number | null, expected: number | null, unknown: number | null, lost: number | null, stopped = 0) => ({
  hashrate_ths: now,
  expected_ths: expected,
  expected_unknown_ths: unknown,
  stopped_ths: expected === null ? null : stopped,
  lost_ths: lost,
  lost_with_problem_ths: lost === null ? null : lost / 2,
  surplus_ths: lost === null ? null : Math.max(0, lost + (unknown ?? 0) + (now ?? 0) - (expected ?? 0)),
  conditions: { P0: 0, P1: 0, P2: 0, P3: 0, down: 0, stopped: 0, unknown: 0, fine: 9 },
});

describe("what the fleet lost", () => {
  it("is what its sites say, also where others hash more than is expected", () => {
    expect(balanceOf([site(950, 1200, 0, 250), site(80, 100, 0, 20)])).toMatchObject({ now: 1030, lost: 270, withProblem: 135, unknown: 0 });
    expect(balanceOf([site(1210, 1200, 200, 100)])).toMatchObject({ lost: 100, known: 1000, unknown: 200 });
  });

  it("is not invented while a collector is silent", () => {
    const dark = balanceOf([site(null, 1200, 1200, null)]);
    expect(dark).toMatchObject({ now: null, lost: null, expected: 1200, unknown: 1200 });
    expect(isNegligible(dark)).toBe(false);
    expect(balanceOf([site(null, 1200, 1200, null), site(100, 100, 0, 0)])).toMatchObject({ now: 100, lost: 0, unknown: 1200 });
  });

  it("stands beside more than is expected where some machines are over and others under, and that is told", () => {
    const both = balanceOf([site(1210, 1200, 0, 100)]);
    expect(both).toMatchObject({ surplus: 110, lost: 100 });
    expect(hasLossAndSurplus(both)).toBe(true);
    expect(hasLossAndSurplus(balanceOf([site(1100, 1200, 0, 100)]))).toBe(false);
    expect(hasLossAndSurplus(balanceOf([site(1210, 1200, 0, 0)]))).toBe(false);
  });

  it("is nothing where all were stopped on purpose, and that is known", () => {
    const stopped = balanceOf([site(0, 0, 0, 0, 1200)]);
    expect(stopped).toMatchObject({ now: 0, expected: 0, stopped: 1200, lost: 0 });
    expect(isNegligible(stopped)).toBe(true);
  });

  it("is everything where all are known to stand still, and nothing where all is delivered", () => {
    expect(balanceOf([site(0, 1200, 0, 1200)])).toMatchObject({ now: 0, lost: 1200 });
    expect(isNegligible(balanceOf([site(1199.9, 1200, 0, 0.1)]))).toBe(true);
    const large = site(999_896, 1_000_000, 0, 104);
    expect(isNegligible(balanceOf([{ ...large, lost_with_problem_ths: 0 }]))).toBe(true);
    expect(isNegligible(balanceOf([{ ...large, lost_with_problem_ths: 0, conditions: { ...large.conditions, down: 1 } }]))).toBe(false);
    expect(isNegligible(balanceOf([{ ...large, lost_with_problem_ths: 32.6 }]))).toBe(false);
    expect(balanceOf([site(null, null, null, null)])).toMatchObject({ expected: null, lost: null });
  });
});
