// What the fleet should hash, what it does, and what is lost, by each machine that lacks it. What nobody knows is neither
// delivered nor lost, and what was stopped on purpose is not expected.
import type { SiteSums } from "../api/known";

type Sums = Pick<SiteSums, "hashrate_ths" | "expected_ths" | "expected_unknown_ths" | "stopped_ths" | "lost_ths" | "lost_with_problem_ths" | "surplus_ths" | "conditions">;
export type Balance = {
  now: number | null; // null where not one machine is known
  expected: number | null;
  unknown: number; // of the expected, what belongs to machines whose hashrate nobody knows now
  known: number;
  stopped: number;
  lost: number | null;
  down: number; // machines that stand without a command and without a problem yet
  withProblem: number; // of the lost, what machines with an open problem lack
  surplus: number; // what machines deliver above expected; it offsets no loss
};

const total = (values: (number | null)[]) => values.reduce<number>((all, one) => all + (one ?? 0), 0);

export function balanceOf(sites: Sums[]): Balance {
  const told = sites.filter((one) => one.expected_ths !== null);
  const expected = total(told.map((one) => one.expected_ths));
  const unknown = total(told.map((one) => one.expected_unknown_ths));
  const now = total(sites.map((one) => one.hashrate_ths));
  const known = Math.max(0, expected - unknown);
  const stopped = total(told.map((one) => one.stopped_ths));
  const isDark = sites.every((one) => one.hashrate_ths === null);
  return {
    now: isDark ? null : now,
    expected: told.length ? expected : null,
    unknown,
    known,
    stopped,
    lost: sites.every((one) => one.lost_ths === null) ? null : total(sites.map((one) => one.lost_ths)),
    down: total(sites.map((one) => one.conditions?.down ?? null)),
    withProblem: total(sites.map((one) => one.lost_with_problem_ths)),
    surplus: total(sites.map((one) => one.surplus_ths)),
  };
}

/** More is delivered than expected, and hashrate is lost all the same: some machines are over, others under. */
export function isBoth(of: Balance): boolean {
  return (of.lost ?? 0) > 0 && !isNothing(of) && (of.now ?? 0) >= of.known && of.surplus > 0;
}

/** Less than this share is noise where no machine is down or has a problem: one of ten thousand is little, and lost. */
export function isNothing({ lost, known, withProblem, down }: Balance): boolean {
  return lost !== null && lost <= known * 0.0005 && down === 0 && withProblem < 1;
}
