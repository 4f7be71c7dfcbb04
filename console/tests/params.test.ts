import { expect, test } from "vitest";
import { paramsOf } from "../src/command/params";
import type { CommandType } from "../src/api/types";

const text = { type: "string" as const };
const setPool = {
  params: {
    properties: { pool_url: text, pool_user: text, pool_password: text, pool_id: text },
    required: [],
    anyOf: [{ required: ["pool_url", "pool_user"] }, { required: ["pool_id"] }],
  },
} as Pick<CommandType, "params">;

test("a pool is complete with address and worker, or with its id", () => {
  expect(paramsOf(setPool, {})).toBeNull();
  expect(paramsOf(setPool, { pool_url: "stratum+tcp://pool.example.com:3333" })).toBeNull();
  expect(paramsOf(setPool, { pool_user: "farm.1" })).toBeNull();
  expect(paramsOf(setPool, { pool_url: "stratum+tcp://pool.example.com:3333", pool_user: "farm.1" })).not.toBeNull();
  expect(paramsOf(setPool, { pool_id: "backup" })).toEqual({ pool_id: "backup" });
});
