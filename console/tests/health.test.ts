// What is known of a site, by whom, and what of the advice a command can do.
import { expect, test, vi } from "vitest";
import type { SiteSummary, SiteTotals } from "../src/api/types";
import { healthOf, otherCounts } from "../src/problems/health";
import { commandFor } from "../src/problems/recommendations";
import { healthNote } from "../src/problems/health_note";

vi.stubGlobal("document", { documentElement: { lang: "en", dataset: {} } });
const NOW = Date.parse("2026-10-01T12:00:00Z");
const [north, south] = [1, 2].map((id) => ({ site_id: id, name: `site ${id}`, machines: 40, unknown: 0 }) as SiteTotals) as [SiteTotals, SiteTotals];
const scanned = (at: string | null) => ({ isError: false, data: { last_scan_ts: at, scan_outdated_after_sec: 900 } as SiteSummary });

test("machines that are neither fine nor a problem are counted as the map's legend counts them", () => {
  const conditions = { P0: 1, P1: 2, P2: 0, P3: 0, down: 3, stopped: 4, unknown: 5, fine: 25 };
  expect(otherCounts([{ ...north, unknown: 5, conditions }, { ...south, unknown: 7, conditions: null }])).toEqual({
    down: 3,
    stopped: 4,
    unknown: 12,
  });
});

test("what the registry found three cycles ago says nothing of now, and its age is told", () => {
  const lately = healthOf([north, south], [scanned("2026-10-01T11:45:00Z"), scanned("2026-10-01T11:58:00Z")], NOW);
  expect([lately.isComplete, [...lately.of.keys()], healthNote(lately, NOW)]).toEqual([true, [1, 2], null]);
  const long = healthOf([north, south], [scanned("2026-10-01T05:00:00Z"), scanned("2026-10-01T11:58:00Z")], NOW);
  expect([long.isComplete, [...long.of.keys()]]).toEqual([false, [2]]);
  expect(healthNote(long, NOW)).toBe("Last scan too old: site 1 (7 h ago).");
});

test("a site that nobody has looked at yet, or that did not answer, is not well by that", () => {
  const found = healthOf([north, south], [scanned(null), { isError: true }], NOW);
  expect([found.isComplete, found.unscanned, found.failed, found.outdated]).toEqual([false, [north], [south], []]);
});

test("a site without machines is looked at by nobody, and leaves nothing unknown", () => {
  const empty = { ...north, machines: 0 };
  for (const at of [null, "2026-10-01T05:00:00Z"]) {
    const found = healthOf([empty, south], [scanned(at), scanned("2026-10-01T11:58:00Z")], NOW);
    expect([found.isComplete, [...found.of.keys()], healthNote(found, NOW)]).toEqual([true, [2], null]);
  }
  expect(healthOf([empty, south], [{ isError: true }, scanned("2026-10-01T11:58:00Z")], NOW).failed).toEqual([empty]);
});

test("no command is offered for what takes hands: an offline machine hears none", () => {
  expect(commandFor("power_cycle")).toBeNull();
  expect(commandFor("check_network")).toBeNull();
  expect(commandFor("reboot")).toBe("reboot_device");
});
