import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { ApiError, Unreachable } from "../src/api/client";
import { oldestStale } from "../src/api/staleness";

it("says how old the page is when a part of it cannot be read anew, and only then", async () => {
  const client = new QueryClient();
  const after = async (error: Error | null, isShown: boolean) => {
    client.clear();
    client.setQueryData(["sites"], "as they were", { updatedAt: 5000 });
    const queryFn = () => (error ? Promise.reject(error) : Promise.resolve("as they are"));
    const watch = isShown ? new QueryObserver(client, { queryKey: ["sites"], queryFn, retry: false }).subscribe(() => undefined) : null;
    await client.fetchQuery({ queryKey: ["sites"], queryFn, retry: false, staleTime: 0 }).catch(() => undefined);
    const found = oldestStale(client.getQueryCache().getAll());
    watch?.();
    return found;
  };
  expect(await after(new ApiError(500, "INTERNAL_ERROR", ""), true)).toBe(5000);
  expect(await after(new ApiError(429, "RATE_LIMITED", ""), true)).toBe(5000);
  expect(await after(new ApiError(500, "INTERNAL_ERROR", ""), false)).toBeNull();
  expect(await after(new ApiError(401, "TOKEN_EXPIRED", ""), true)).toBeNull();
  expect(await after(new Unreachable(), true)).toBeNull(); // another strip says that
  expect(await after(null, true)).toBeNull();
});
