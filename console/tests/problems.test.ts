import { beforeAll, describe, expect, it } from "vitest";
import type { SiteSums } from "../src/api/known";
import { csvOf } from "../src/problems/export";
import { counted, inOrder, passing, type Row } from "../src/problems/rows";
import type { Problem } from "../src/problems/types";
import { facts, sentence } from "../src/problems/words";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const SITE = { site_id: 3, code: "tx-1", name: "Midland 1", timezone: "UTC" } as SiteSums;

beforeAll(() => {
  Object.assign(globalThis, { document: { documentElement: { lang: "en", dataset: {} } } });
});

function row(over: Partial<Problem>): Row {
  const evidence = {
    rule_code: "hashrate_degradation",
    description: "hashes less than its own past",
    hashrate_ratio: 0.65,
    threshold: 0.05,
    evaluated_at: "2026-03-01T11:55:00+00:00",
    baseline: { metric: "hashrate_ratio", expected: 1.01, residual: -0.36, sigma: 0.01, z: -36 },
    left_out: [],
  };
  const problem: Problem = {
    id: crypto.randomUUID(),
    site_id: 3,
    miner_no: 7,
    miner_id: "m-7",
    issue_code: "hashrate_degradation",
    severity: "P2",
    status: "open",
    start_ts: "2026-03-01T11:30:00Z",
    last_seen_ts: "2026-03-01T11:55:00Z",
    resolved_ts: null,
    recurrence_count: 0,
    evidence_json: [evidence],
    actions_json: [],
    peer_metrics_json: null,
    ml_json: null,
    health_json: null,
    suppress_until: null,
    suppressed: false,
    maintenance_flag: false,
    incident_id: null,
    symptom: false,
    flapping: false,
    predecessor_id: null,
    assigned_to: null,
    acked_by: null,
    acked_at: null,
    resolved_by: null,
    resolution_cause: null,
    resolution_action: null,
    loss_ths: 36,
    loss_thh: 12,
    p_fail_24h: null,
    zone: "A",
    model: "Antminer S19j Pro",
    firmware: "LuxOS",
    ...over,
  };
  return { ...problem, site: SITE, text: `${problem.miner_id} ${sentence(problem)}`.toLowerCase() };
}

describe("problems", () => {
  it("say what is wrong with their numbers and units", () => {
    expect(sentence(row({}))).toBe("Hashrate at 65% of expected; its own normal is 101%.");
    const hot = { rule_code: "overheat_crit", description: "", temp_max: 91.5, threshold: 85, evaluated_at: "" };
    expect(sentence(row({ issue_code: "overheat_crit", evidence_json: [hot] }))).toBe(
      "Hottest sensor at 91.5 °C, critical from 85.0 °C.",
    );
    expect(sentence(row({ evidence_json: null }))).toBe("Hashrate declines");
  });

  it("tell each number of their evidence with what it was compared with", () => {
    const [first] = row({}).evidence_json ?? [];
    expect(first && facts(first)).toEqual([
      { metric: "hashrate_ratio", value: "65%", against: ["limit 5%", "own normal 101% ± 1%", "z -36.0"] },
    ]);
  });

  it("come worst first: severity, then the chance to fail, then the newest", () => {
    const rows = [
      row({ miner_id: "c", severity: "P2", p_fail_24h: 0.1 }),
      row({ miner_id: "d", severity: "P2", last_seen_ts: "2026-03-01T11:00:00Z" }),
      row({ miner_id: "a", severity: "P0" }),
      row({ miner_id: "b", severity: "P2", p_fail_24h: 0.9 }),
      row({ miner_id: "e", severity: "P2", last_seen_ts: "2026-03-01T10:00:00Z" }),
    ];
    expect(inOrder(rows).map((one) => one.miner_id)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("are narrowed by facets, by words, and by leaving symptoms out; a facet's own choice hides none of its others", () => {
    const rows = [
      row({ miner_id: "one", severity: "P0" }),
      row({ miner_id: "two", severity: "P1", start_ts: "2026-02-20T00:00:00Z" }),
      row({ miner_id: "three", severity: "P1", symptom: true }),
    ];
    const names = (search: object) => passing(rows, search, NOW).map((one) => one.miner_id);
    expect(names({})).toEqual(["one", "two"]);
    expect(names({ symptoms: "all" })).toEqual(["one", "two", "three"]);
    expect(names({ severity: "P1", symptoms: "all" })).toEqual(["two", "three"]);
    expect(names({ age: "older" })).toEqual(["two"]);
    expect(names({ text: "tw" })).toEqual(["two"]);
    expect(counted(passing(rows, { severity: "P1" }, NOW, "severity"), "severity", NOW)).toEqual([
      ["P0", 1],
      ["P1", 1],
    ]);
  });

  it("are exported without a cell that a spreadsheet would run", () => {
    const text = csvOf([row({ miner_id: '=cmd("x")', assigned_to: "a,b" })]);
    expect(text).toContain(`"'=cmd(""x"")"`);
    expect(text).toContain('"a,b"');
    expect(text.split("\r\n")).toHaveLength(3);
  });
});
