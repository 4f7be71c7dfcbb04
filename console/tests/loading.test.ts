import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadChunk, loadPage } from "../src/api/loading";

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
  const found = loadChunk(load);
  await vi.advanceTimersByTimeAsync(6000);
  expect(await found).toBe("the dialog");
  expect(asked).toBe(4);
});

it("asks for a page again once the server answers, and gives up what is not there even then", async () => {
  let asked = 0;
  let answers = 0;
  const gone = new TypeError("no such module");
  const fetched = () => (++answers < 3 ? Promise.reject(new TypeError("nobody there")) : Promise.resolve({ ok: answers > 3 }));
  vi.stubGlobal("fetch", fetched);
  const found = loadPage(() => (++asked < 2 ? Promise.reject(gone) : Promise.resolve("the page")));
  await vi.advanceTimersByTimeAsync(8000);
  expect([await found, asked, answers]).toEqual(["the page", 2, 4]);
  const missing = expect(loadPage(() => Promise.reject(gone))).rejects.toBe(gone);
  await vi.advanceTimersByTimeAsync(2000);
  await missing;
});
