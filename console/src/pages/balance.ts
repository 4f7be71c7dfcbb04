// Expected, actual and lost hashrate. Unknown hashrate is neither delivered nor lost; planned stops are not expected.
import type { SiteTotals } from "../api/types";

type Sums = Pick<SiteTotals, "hashrate_ths" | "expected_ths" | "expected_unknown_ths" | "stopped_ths" | "lost_ths" | "lost_with_problem_ths" | "surplus_ths" | "conditions">;
export type Balance = {
  now: number | null; // null where not one machine is known
  expected: number | null;
  unknown: number; // expected hashrate of machines whose current hashrate is unknown
  known: number;
  stopped: number;
  lost: number | null;
  down: number; // machines that stand without a command and without a problem yet
  withProblem: number; // of the lost, what machines with an open problem lack
  surplus: number; // what machines deliver above expected; it offsets no loss
};

const total = (values: (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);

export function balanceOf(sites: Sums[]): Balance {
  const rated = sites.filter((site) => site.expected_ths !== null);
  const expected = total(rated.map((site) => site.expected_ths));
  const unknown = total(rated.map((site) => site.expected_unknown_ths));
  const now = total(sites.map((site) => site.hashrate_ths));
  const known = Math.max(0, expected - unknown);
  const stopped = total(rated.map((site) => site.stopped_ths));
  const isDark = sites.every((site) => site.hashrate_ths === null);
  return {
    now: isDark ? null : now,
    expected: rated.length ? expected : null,
    unknown,
    known,
    stopped,
    lost: sites.every((site) => site.lost_ths === null) ? null : total(sites.map((site) => site.lost_ths)),
    down: total(sites.map((site) => site.conditions?.down ?? null)),
    withProblem: total(sites.map((site) => site.lost_with_problem_ths)),
    surplus: total(sites.map((site) => site.surplus_ths)),
  };
}

/** More is delivered than expected, and hashrate is lost all the same: some machines are over, others under. */
export function hasLossAndSurplus(of: Balance): boolean {
  return (of.lost ?? 0) > 0 && !isNegligible(of) && (of.now ?? 0) >= of.known && of.surplus > 0;
}

/** Less than this share is noise where no machine is down or has a problem: one of ten thousand is little, and lost. */
export function isNegligible({ lost, known, withProblem, down }: Balance): boolean {
  return lost !== null && lost <= known * 0.0005 && down === 0 && withProblem < 1;
}
