// Runs an action on many machines, one request each and a few at a time, and collects the results.
import { ApiError, Unreachable } from "../api/client";

const AT_ONCE = 6; // as many as a browser keeps connections to one server

export type Outcome = { done: string[]; left: string[]; error: unknown };

/** Goes on after one machine is rejected; stops when the server is away or the session has ended. */
export async function runPerMachine(
  miners: string[],
  act: (miner: string) => Promise<unknown>,
  onDone: (n: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], left: [], error: null };
  for (let from = 0; from < miners.length; from += AT_ONCE) {
    const few = miners.slice(from, from + AT_ONCE);
    const results = await Promise.allSettled(few.map(act));
    results.forEach((result, no) => {
      const miner = few[no] ?? "";
      if (result.status === "fulfilled") return void outcome.done.push(miner);
      outcome.left.push(miner);
      outcome.error ??= result.reason;
    });
    onDone(outcome.done.length);
    if (results.some((result) => result.status === "rejected" && isForAll(result.reason))) {
      outcome.left.push(...miners.slice(from + AT_ONCE));
      break;
    }
  }
  return outcome;
}

function isForAll(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.status === 401);
}
