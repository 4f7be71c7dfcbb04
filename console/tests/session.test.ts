import { QueryCache, QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { ApiError, Unreachable } from "../src/api/client";
import type { Me } from "../src/api/known";
import { forgetRefused, mayAt } from "../src/api/session";

const grant = (role: string, touches: number[] | null, may: string[]) => ({ role, touches, may });
const SOMEBODY = {
  may: ["acknowledge", "command", "see"],
  grants: [grant("Customer", null, ["see"]), grant("NOC", [2], ["acknowledge", "command", "see"])],
} as unknown as Me;

describe("a session", () => {
  it("offers at a site what a grant that reaches it allows, and no more", () => {
    expect(mayAt(SOMEBODY, "command")).toBe(true);
    expect(mayAt(SOMEBODY, "command", 2)).toBe(true);
    expect(mayAt(SOMEBODY, "command", 1)).toBe(false);
    expect(mayAt(SOMEBODY, "see", 1)).toBe(true);
    expect(mayAt(null, "see")).toBe(false);
  });

  it("does not show from before what is refused now, and keeps what cannot be reached", async () => {
    const client = new QueryClient({ queryCache: new QueryCache({ onError: forgetRefused }) });
    const read = async (error: Error) => {
      client.setQueryData(["machine"], "of before");
      const queryFn = () => Promise.reject(error);
      await client.fetchQuery({ queryKey: ["machine"], queryFn, retry: false, staleTime: 0 }).catch(() => undefined);
      return client.getQueryData(["machine"]);
    };
    expect(await read(new ApiError(403, "FORBIDDEN", ""))).toBeUndefined();
    expect(await read(new ApiError(404, "NOT_FOUND", ""))).toBeUndefined();
    expect(await read(new ApiError(500, "INTERNAL", ""))).toBe("of before");
    expect(await read(new Unreachable())).toBe("of before");
    client.clear();
  });
});
