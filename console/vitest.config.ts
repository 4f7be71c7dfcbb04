import { defineConfig } from "vitest/config";

// the bound ends what hangs: how fast a test runs says how busy the machine is
const HANGS_MS = 300_000;

export default defineConfig({
  test: { include: ["tests/**/*.test.ts"], environment: "node", testTimeout: HANGS_MS, hookTimeout: HANGS_MS },
});
