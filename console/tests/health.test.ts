// What is known of a site, by whom, and what of the advice a command can do.
import { expect, test, vi } from "vitest";
import type { SiteSums } from "../src/api/known";
import type { Summary } from "../src/problems/api";
import { healthsOf, othersOf } from "../src/problems/health";
import { commandFor } from "../src/problems/recommended";
import { silentOf } from "../src/problems/silent";

vi.stubGlobal("document", { documentElement: { lang: "en", dataset: {} } });
const NOW = Date.parse("2026-10-01T12:00:00Z");
const [north, south] = [1, 2].map((id) => ({ site_id: id, name: `site ${id}`, machines: 40, unknown: 0 }) as SiteSums) as [SiteSums, SiteSums];
const scanned = (at: string | null) => ({ isError: false, data: { last_scan_ts: at, unknown_miners: 2 } as Summary });

test("machines that are neither fine nor a problem are counted as the map's legend counts them", () => {
  const conditions = { P0: 1, P1: 2, P2: 0, P3: 0, down: 3, stopped: 4, unknown: 5, fine: 25 };
  expect(othersOf([{ ...north, unknown: 5, conditions }, { ...south, unknown: 7, conditions: null }])).toEqual({
    down: 3,
    stopped: 4,
    unknown: 12,
  });
});

test("what the registry found three cycles ago says nothing of now, and its age is told", () => {
  const lately = healthsOf([north, south], [scanned("2026-10-01T11:45:00Z"), scanned("2026-10-01T11:58:00Z")], NOW);
  expect([lately.isWhole, [...lately.of.keys()], silentOf(lately, NOW)]).toEqual([true, [1, 2], null]);
  const long = healthsOf([north, south], [scanned("2026-10-01T05:00:00Z"), scanned("2026-10-01T11:58:00Z")], NOW);
  expect([long.isWhole, [...long.of.keys()]]).toEqual([false, [2]]);
  expect(silentOf(long, NOW)).toBe("Last looked at too long ago to say what is wrong now: site 1 (7 h ago).");
});

test("a site that nobody has looked at yet, or that did not answer, is not well by that", () => {
  const found = healthsOf([north, south], [scanned(null), { isError: true }], NOW);
  expect([found.isWhole, found.unjudged, found.failed, found.old]).toEqual([false, [north], [south], []]);
});

test("a site without machines is looked at by nobody, and leaves nothing unknown", () => {
  const empty = { ...north, machines: 0 };
  for (const at of [null, "2026-10-01T05:00:00Z"]) {
    const found = healthsOf([empty, south], [scanned(at), scanned("2026-10-01T11:58:00Z")], NOW);
    expect([found.isWhole, [...found.of.keys()], silentOf(found, NOW)]).toEqual([true, [2], null]);
  }
  expect(healthsOf([empty, south], [{ isError: true }, scanned("2026-10-01T11:58:00Z")], NOW).failed).toEqual([empty]);
});

test("no command is offered for what takes hands: an offline machine hears none", () => {
  expect(commandFor("power_cycle")).toBeNull();
  expect(commandFor("check_network")).toBeNull();
  expect(commandFor("reboot")).toBe("reboot_device");
});
