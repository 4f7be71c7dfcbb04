import { describe, expect, it } from "vitest";
import { newIdempotencyKey } from "../src/api/idempotency";

describe("a key of a request", () => {
  it("is another one each time, and fits into what the server takes", () => {
    const keys = new Set(Array.from({ length: 100 }, newIdempotencyKey));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });
});
