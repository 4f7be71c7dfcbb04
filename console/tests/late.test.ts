import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { late } from "../src/api/late";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", { documentElement: { lang: "en", dataset: {} } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("asks for a part of the program until the server gives it", async () => {
  let asked = 0;
  const load = () => (++asked < 4 ? Promise.reject(new TypeError("nobody there")) : Promise.resolve("the dialog"));
  const found = late(load);
  await vi.advanceTimersByTimeAsync(6000);
  expect(await found).toBe("the dialog");
  expect(asked).toBe(4);
});
