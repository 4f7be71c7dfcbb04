import { QueryCache, QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { ApiError, Unreachable } from "../src/api/client";
import type { Caller, Permission } from "../src/api/types";
import { dropForbidden, isAllowedAt } from "../src/api/session";

type Role = Caller["grants"][number]["role"];
const grant = (role: Role, touches: number[] | null, may: Permission[]) => ({ role, touches, may });
const SOMEBODY = {
  may: ["acknowledge", "command", "see"],
  grants: [grant("Customer", null, ["see"]), grant("NOC", [2], ["acknowledge", "command", "see"])],
} as Caller;

describe("a session", () => {
  it("allows at a site only what a grant for that site allows", () => {
    expect(isAllowedAt(SOMEBODY, "command")).toBe(true);
    expect(isAllowedAt(SOMEBODY, "command", 2)).toBe(true);
    expect(isAllowedAt(SOMEBODY, "command", 1)).toBe(false);
    expect(isAllowedAt(SOMEBODY, "see", 1)).toBe(true);
    expect(isAllowedAt(null, "see")).toBe(false);
  });

  it("drops data that is forbidden now, and keeps data while the server is away", async () => {
    const client = new QueryClient({ queryCache: new QueryCache({ onError: dropForbidden }) });
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
