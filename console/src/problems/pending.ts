// Actions without an answer yet: none is sent twice, and none blocks another.
import type { Problem, ProblemAction } from "../api/types";
import type { ActionInput } from "./api";

export type ActionRequest = { problems: Problem[]; action: ProblemAction; input?: ActionInput };

const idsOf = (requests: ActionRequest[]) => new Set(requests.flatMap(({ problems }) => problems.map(({ id }) => id)));

/** Those of its problems for which the same action is not pending. */
export function notPending(request: ActionRequest, pending: ActionRequest[]): Problem[] {
  const input = JSON.stringify(request.input);
  const taken = idsOf(pending.filter((other) => other.action === request.action && JSON.stringify(other.input) === input));
  return request.problems.filter(({ id }) => !taken.has(id));
}

/** Whether any action is pending for one of these. */
export function arePending(problems: Problem[], pending: ActionRequest[]): boolean {
  const ids = idsOf(pending);
  return problems.some(({ id }) => ids.has(id));
}
