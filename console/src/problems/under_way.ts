// Acts that have no answer yet: none of them is asked for twice, and none keeps another from being asked for.
import type { Said, Verb } from "./api";
import type { Problem } from "./types";

export type Asked = { problems: Problem[]; verb: Verb; said?: Said };

const idsOf = (all: Asked[]) => new Set(all.flatMap(({ problems }) => problems.map((one) => one.id)));

/** Those of its problems for which the very same is not under way. */
export function freshOf(asked: Asked, underWay: Asked[]): Problem[] {
  const words = JSON.stringify(asked.said);
  const taken = idsOf(underWay.filter((one) => one.verb === asked.verb && JSON.stringify(one.said) === words));
  return asked.problems.filter((one) => !taken.has(one.id));
}

/** Whether something is under way for one of these. */
export function areBusy(problems: Problem[], underWay: Asked[]): boolean {
  const busy = idsOf(underWay);
  return problems.some((one) => busy.has(one.id));
}
