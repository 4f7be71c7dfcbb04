import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectChanges } from "../src/api/changes";
import { get } from "../src/api/client";
import { isConnected, setConnected } from "../src/api/connection";
import { openStream } from "../src/api/stream";

/** The browser's own, as far as it is asked for here. */
class Line extends EventTarget {
  static open = new Set<Line>();
  onerror: (() => void) | null = null;
  constructor() {
    super();
    Line.open.add(this);
  }
  close() {
    Line.open.delete(this);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("EventSource", Line);
  Line.open.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function watched(client: QueryClient, key: unknown[], takesMs: number) {
  let [read, cut] = [0, 0];
  const queryFn = ({ signal }: { signal: AbortSignal }) => {
    signal.addEventListener("abort", () => cut++);
    read++;
    return new Promise((done) => setTimeout(() => done(read), takesMs));
  };
  new QueryObserver(client, { queryKey: key, queryFn, staleTime: Infinity }).subscribe(() => undefined);
  return { counts: () => ({ read, cut }) };
}

describe("changes", () => {
  it("of twenty sites at once are read once, and a reading under way is not cut off", async () => {
    const client = new QueryClient();
    const counts = watched(client, ["problems", null, "counts"], 1500);
    const elsewhere = watched(client, ["problems", 77, "summary"], 10);
    const changes = collectChanges(client);
    await vi.advanceTimersByTimeAsync(2000);
    expect(counts.counts()).toEqual({ read: 1, cut: 0 });
    for (let site = 1; site <= 20; site++) changes.notify("problems", site);
    await vi.advanceTimersByTimeAsync(1100);
    expect(counts.counts()).toEqual({ read: 2, cut: 0 });
    changes.notify("problems", 5); // while it is being read: what comes may be of before
    await vi.advanceTimersByTimeAsync(10_000);
    expect(counts.counts()).toEqual({ read: 3, cut: 0 });
    expect(elsewhere.counts().read).toBe(1);
    changes.stop();
    client.clear();
  });
});

describe("the stream", () => {
  it("is one line, however long the server was away", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("away")));
    const client = new QueryClient();
    const stop = openStream(client);
    const [first] = Line.open;
    first?.dispatchEvent(new Event("hello"));
    first?.onerror?.();
    for (let no = 0; no < 100; no++) {
      await vi.advanceTimersByTimeAsync(2500);
      expect(Line.open.size).toBeLessThanOrEqual(1);
      for (const line of Line.open) line.onerror?.();
    }
    await vi.advanceTimersByTimeAsync(2500);
    expect(Line.open.size).toBe(1);
    stop();
    await vi.advanceTimersByTimeAsync(200_000);
    expect(Line.open.size).toBe(0);
    client.clear();
  });

  it("and a request agree whether the server is away: by a proxy's 502 to 504, but not by an error of its own or one slow request", async () => {
    const answersWith = (status: number, error_code?: string) =>
      vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ error_code }, { status })));
    const client = new QueryClient();
    const stop = openStream(client);
    for (const [status, connected, code] of [
      [502, false], [500, true], [503, false], [200, true], [504, false], [404, true], [503, false, "DATABASE_UNAVAILABLE"],
      [503, true, "TIMED_OUT"],
    ] as [number, boolean, string?][]) {
      answersWith(status, code);
      setConnected(!connected);
      await get("/api/v1/auth/me").catch(() => undefined);
      expect([status, isConnected()]).toEqual([status, connected]);
      setConnected(!connected);
      for (const line of Line.open) line.onerror?.(); // probes
      await vi.advanceTimersByTimeAsync(2500);
      expect([status, isConnected()]).toEqual([status, connected]);
    }
    setConnected(true);
    stop();
    client.clear();
  });

  it("that is silent for too long is opened anew, by one alone", async () => {
    let asked = 0;
    const slow = () => new Promise<Response>((done) => setTimeout(() => done(new Response("{}", { status: 200 })), 1900));
    vi.stubGlobal("fetch", () => (asked++, slow()));
    const client = new QueryClient();
    const stop = openStream(client);
    const [first] = Line.open;
    first?.dispatchEvent(new Event("hello"));
    await vi.advanceTimersByTimeAsync(149_000);
    first?.onerror?.(); // a second before it would be taken for dead, whose probe then is still under way
    await vi.advanceTimersByTimeAsync(8000);
    expect([Line.open.size, asked]).toEqual([1, 1]);
    stop();
    expect(Line.open.size).toBe(0);
    client.clear();
  });
});
