import { describe, expect, it } from "vitest";
import { ApiError, Unreachable } from "../src/api/client";
import { runPerMachine } from "../src/problems/per_machine";

const MANY = Array.from({ length: 20 }, (_, no) => `m-${no}`);

describe("an act on many machines", () => {
  it("is asked for a few at a time, and tells who was refused and who was not", async () => {
    let [under, most] = [0, 0];
    const told: number[] = [];
    const outcome = await runPerMachine(
      MANY,
      async (miner) => {
        most = Math.max(most, ++under);
        await Promise.resolve();
        under--;
        if (miner === "m-3" || miner === "m-17") throw new ApiError(403, "FORBIDDEN", "");
      },
      (n) => told.push(n),
    );
    expect(most).toBe(6);
    expect(outcome.done.length).toBe(18);
    expect(outcome.left).toEqual(["m-3", "m-17"]);
    expect((outcome.error as ApiError).code).toBe("FORBIDDEN");
    expect(told).toEqual([5, 11, 16, 18]);
  });

  it("stops where nobody answers, and leaves the rest to be asked for again", async () => {
    const asked: string[] = [];
    const outcome = await runPerMachine(
      MANY,
      (miner) => {
        asked.push(miner);
        return miner === "m-7" ? Promise.reject(new Unreachable()) : Promise.resolve();
      },
      () => undefined,
    );
    expect(asked.length).toBe(12);
    expect(outcome.done.length).toBe(11);
    expect(outcome.left).toEqual(["m-7", ...MANY.slice(12)]);
  });
});
