// The same act on many machines, each with its own request: a few at a time, and what became of each of them.
import { ApiError, Unreachable } from "../api/client";

const AT_ONCE = 6; // as many as a browser keeps connections to one server

export type Outcome = { done: string[]; left: string[]; error: unknown };

/** Goes on after a refusal, which is one machine's; stops when nobody answers or nobody is signed in. */
export async function actOnEach(
  miners: string[],
  act: (miner: string) => Promise<unknown>,
  onDone: (n: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], left: [], error: null };
  for (let from = 0; from < miners.length; from += AT_ONCE) {
    const few = miners.slice(from, from + AT_ONCE);
    const results = await Promise.allSettled(few.map(act));
    results.forEach((one, no) => {
      const miner = few[no] ?? "";
      if (one.status === "fulfilled") return void outcome.done.push(miner);
      outcome.left.push(miner);
      outcome.error ??= one.reason;
    });
    onDone(outcome.done.length);
    if (results.some((one) => one.status === "rejected" && isForAll(one.reason))) {
      outcome.left.push(...miners.slice(from + AT_ONCE));
      break;
    }
  }
  return outcome;
}

function isForAll(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.status === 401);
}
