import { beforeAll, describe, expect, it } from "vitest";
import type { Baseline, SiteTotals, Evidence, PeerPosition, Problem } from "../src/api/types";
import { bandOf } from "../src/pages/miner_history";
import { lineOf, chartFor } from "../src/problems/band_panel";
import { ticksOf } from "../src/problems/peer_panel";
import { chosenIn, filtersOf, nextOrder, orderOf, written, type Row } from "../src/problems/rows";
import { normalBandOf } from "../src/problems/normal_band";
import { facts, summaryOf } from "../src/problems/evidence";

const SITE = { site_id: 3, code: "tx-1", name: "Midland 1", timezone: "UTC" } as SiteTotals;

beforeAll(() => {
  Object.assign(globalThis, { document: { documentElement: { lang: "en", dataset: {} } } });
});

function row(over: Partial<Problem>): Row {
  const evidence = {
    rule_code: "hashrate_degradation" as const,
    description: "hashes less than its own past",
    hashrate_ratio: 0.65,
    threshold: 0.05,
    evaluated_at: "2026-03-01T11:55:00Z",
    baseline: { metric: "hashrate_ratio", expected: 1.01, residual: -0.36, sigma: 0.01, z: -36 },
    left_out: [],
  };
  const problem: Problem = {
    id: crypto.randomUUID(),
    event_no: 1,
    collector_id: null,
    opened_ts: null,
    dedup_key: "",
    escalated: false,
    zone_id: null,
    created_at: "2026-03-01T11:30:00Z",
    updated_at: "2026-03-01T11:55:00Z",
    consecutive_ok: 0,
    consecutive_fail: 2,
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
  return { ...problem, site: SITE };
}

const metric = (expected: number, sigma: number, is_known: boolean) => ({
  ...{ expected, sigma, is_known, samples: is_known ? 600 : 5 },
  ...{ last_value: null, last_residual: null, anchor: null },
});
const baselineOf = (metrics: Baseline["metrics"]) => ({ metrics }) as Baseline;

describe("problems", () => {
  it("say what is wrong with their numbers and units", () => {
    expect(summaryOf(row({}))).toBe("Hashrate 65% of rated; usually 101%.");
    const hot = { rule_code: "overheat_crit" as const, description: "", temp_max: 91.5, threshold: 85, evaluated_at: "" };
    expect(summaryOf(row({ issue_code: "overheat_crit", evidence_json: [hot] }))).toBe(
      "Hottest sensor 91.5\u00a0°C, limit 85\u00a0°C.",
    );
    expect(summaryOf(row({ evidence_json: [] }))).toBe("Hashrate below normal");
  });

  it("say at which sensor it is hot, and whose limit it is", () => {
    const hot = { rule_code: "overheat_crit" as const, description: "", metric: "temp_max", way: "limit", temp_max: 91.5, threshold: 85, evaluated_at: "", sensor: "chip" as const };
    const assumed = { ...hot, limit_source: "assumed" as const };
    expect(summaryOf(row({ issue_code: "overheat_crit", evidence_json: [assumed] }))).toBe(
      "Hottest sensor 91.5\u00a0°C, limit 85\u00a0°C (assumed).",
    );
    expect(facts(assumed)).toEqual([
      { metric: "temp_max", value: "91.5\u00a0°C", against: ["chip sensor", "limit 85\u00a0°C, assumed: none known for this model"] },
    ]);
    expect(facts({ ...hot, limit_source: "machine" as const })[0]?.against).toEqual(["chip sensor", "limit 85\u00a0°C, from the machine"]);
  });

  it("say that a board is down by its hashrate or by the board, and when the reference hashrate is inferred", () => {
    const down = {
      ...{ rule_code: "board_lost" as const, description: "", evaluated_at: "", way: "hashrate_down", metric: "hashrate_ratio" },
      ...{ hashrate_ratio: 0.66, threshold: 0.8, boards_ratio: 2 / 3, expected_ths: 104, expectation: "kind" as const },
    };
    const summary = (evidence: Evidence) => summaryOf(row({ issue_code: "board_lost", evidence_json: [evidence] }));
    expect(summary(down)).toBe("Hashrate 66% of 104\u00a0TH/s; 67% of hashboards working.");
    expect(facts(down)).toEqual([
      { metric: "hashrate_ratio", value: "66%", against: ["limit 80%"] },
      { metric: "boards_ratio", value: "67%", against: [] },
      { metric: "expected_ths", value: "104\u00a0TH/s", against: ["inferred from peers"] },
    ]);
    expect(facts({ ...down, expectation: "given" })[2]?.against).toEqual([]);
    const silent = { ...down, way: "board_silent", metric: "board_share_min", board_share_min: 0.01, threshold: 0.05 };
    expect(summary(silent)).toBe("Weakest board at 1% of its share; 67% of hashboards working.");
  });

  it("tell each number of their evidence with what it was compared with", () => {
    const [first] = row({}).evidence_json ?? [];
    expect(first && facts(first)).toEqual([
      { metric: "hashrate_ratio", value: "65%", against: ["limit 5%", "usually 101% ± 1%", "z -36.0"] },
    ]);
  });

  it("say by which way they were found, and give the limit to the number that passed it alone", () => {
    const boots = {
      ...{ rule_code: "hashrate_degradation" as const, description: "", evaluated_at: "", way: "reboots", ways: ["reboots"] },
      ...{ metric: "boots", hashrate_ratio: 0.99, boots: 4.2, threshold: 3, side: "above" as const, held: false },
    };
    expect(summaryOf(row({ evidence_json: [boots] }))).toBe("About 4 reboots in 6 hours; limit 3.");
    expect(facts(boots)).toEqual([
      { metric: "boots", value: "4", against: ["limit 3"] },
      { metric: "hashrate_ratio", value: "99%", against: [] },
    ]);
    const hidden = {
      ...{ rule_code: "temp_anomaly" as const, description: "", evaluated_at: "", way: "own_past_at_equal_fans", metric: "temp_load" },
      ...{ temp_load: 79.2, temp_max: 62.2, threshold: 78.5, measured: "half_hour_mean" as const },
      baseline: { metric: "temp_load", value: 77.9, expected: 74.5, residual: 3.4, sigma: 0.9, z: 4.5 },
    };
    expect(summaryOf(row({ issue_code: "temp_anomaly", evidence_json: [hidden] }))).toBe(
      "Running hotter, masked by faster fans: would be 79.2\u00a0°C at its usual fan speed; usually 74.5\u00a0°C.",
    );
    expect(facts(hidden)[0]?.against.slice(0, 2)).toEqual(["30-minute mean", "limit 78.5\u00a0°C"]);
    const fan = { ...hidden, way: "fan_behind_others", metric: "fan_speed_min", fan_speed_min: 2150, threshold: 2900 };
    expect(summaryOf(row({ issue_code: "temp_anomaly", evidence_json: [{ ...fan, temp_load: null }] }))).toBe(
      "Slow fan: 2,150\u00a0rpm, other fans suggest at least 2,900\u00a0rpm; temperature is up.",
    );
    const outlier = { ...boots, rule_code: "fleet_outlier" as const, way: "hashrate", metric: "hashrate_ratio", threshold: 0.85 };
    const [only, ...rest] = facts({ ...outlier, boots: null, robust_z: { hashrate_ratio: -9 }, robust_z_threshold: 3, peers: {} });
    expect([only?.against, rest]).toEqual([["limit 85%"], []]);
  });

  it("say what sets a machine apart from its peers", () => {
    const peer = { level: "site" as const, value: 0.65, robust_z: -16.7, percentile: 0, median: 1, mad: 0.02, count: 640 };
    const spread = { p10: 0.96, p25: 0.97, p75: 1.03, p90: 1.04, min: 0.65, max: 1.1 };
    const [found] = facts({
      rule_code: "fleet_outlier" as const,
      description: "",
      threshold: 3,
      evaluated_at: "2026-03-01T11:55:00Z",
      robust_z: { hashrate_ratio: -16.7, temp_max: 0.2 },
      peers: { hashrate_ratio: { ...peer, ...spread }, temp_max: { ...peer, ...spread, robust_z: 0.2 }, efficiency: null },
    });
    expect(found).toEqual({ metric: "hashrate_ratio", value: "65%", against: ["half of 640 peers at 97%–103%"] });
  });

  it("are narrowed by the server, by what the address says", () => {
    expect(filtersOf({})).toEqual({ symptoms: "exclude" });
    expect(filtersOf({ severity: "P0,P1", code: "offline", text: "m-", symptoms: "all", at: "x", sort: "miner_id" })).toEqual({
      severity: ["P0", "P1"],
      issue_code: ["offline"],
      text: "m-",
    });
    expect(orderOf({ sort: "loss_ths", order: "reversed" })).toEqual({ sort: "loss_ths", order: "reversed" });
    expect(orderOf({ sort: "colour" })).toEqual({});
  });

  it("keep a name with a comma whole in the address", () => {
    const chosen = new Set(["LuxOS 1,2", "stock"]);
    const search = { firmware: written(chosen) ?? "" };
    expect(chosenIn(search, "firmware")).toEqual(chosen);
    expect(written(new Set())).toBeUndefined();
  });

  it("are ordered by a column, by it the other way round, and then as usual again", () => {
    const first = nextOrder({}, "loss_ths");
    expect(first).toEqual({ sort: "loss_ths", order: undefined });
    const second = nextOrder({ sort: "loss_ths" }, "loss_ths");
    expect(second).toEqual({ sort: "loss_ths", order: "reversed" });
    expect(nextOrder({ sort: "loss_ths", order: "reversed" }, "loss_ths")).toEqual({ sort: undefined, order: undefined });
    expect(nextOrder({}, "severity")).toEqual({ sort: undefined, order: "reversed" });
  });

  it("are drawn with the normal of what the picture shows, and it says whose", () => {
    const peer = { p10: 0.9, p90: 1.1 } as PeerPosition;
    const details = (isKnown: boolean, over: Partial<Problem> = {}) =>
      ({
        problem: row({ peer_metrics_json: { hashrate_ratio: peer }, ...over }),
        baseline: baselineOf({ hashrate_ratio: metric(1, 0.01, isKnown), hw_error_rate: metric(40, 5, isKnown) }),
        history: [],
      });
    // hardware errors are not kept over time: the hashrate is drawn, and not with the band of errors x TH/s
    const hardware = chartFor("hw_error_rate", 100);
    expect(normalBandOf(details(true), hardware)).toEqual({ whose: "own", history: [], now: { low: 97, high: 103 } });
    const few = normalBandOf(details(false), hardware);
    expect([few?.whose, few?.now?.low.toFixed(0), few?.now?.high.toFixed(0)]).toEqual(["peers", "90", "110"]);
    expect(normalBandOf(details(false, { peer_metrics_json: null }), hardware)).toBeNull();
    expect(normalBandOf(details(true), chartFor("hashrate_ratio", null))).toBeNull();
    expect([chartFor("reject_rate", 100).unit, chartFor("reject_rate", 100).metric]).toEqual(["%", "reject_rate"]);
  });

  it("are drawn with a band by the reference hashrate, and a line at what it should hash now in its mode", () => {
    const machine = { rated_ths: 126, rated_source: "catalogue", reference_ths: 104, expected_ths: 72.8, expected_source: "mode" };
    const baseline = baselineOf({ hashrate_ratio: metric(0.7, 0.01, true) });
    const story = { problem: row({ issue_code: "hw_error_rate_high" }), machine, baseline, history: [] };
    const chart = chartFor("hw_error_rate", machine.reference_ths);
    const { low, high } = normalBandOf(story, chart)?.now ?? { low: 0, high: 0 };
    expect([low.toFixed(1), high.toFixed(1)]).toEqual(["69.7", "75.9"]);
    expect(lineOf(story, chart)).toEqual({ value: 72.8, name: "expected" });
    expect(bandOf(story.baseline, { metric: "hashrate_ratio" }, machine.reference_ths)).toEqual({ low, high });
  });

  it("are compared with peers on an axis of round numbers", () => {
    expect(ticksOf(60, 90)).toEqual([60, 70, 80, 90]);
    expect(ticksOf(0.98, 1.03)).toEqual([0.98, 0.99, 1, 1.01, 1.02, 1.03]);
    for (const tick of ticksOf(0.3, 104.7)) expect(tick % 25).toBe(0);
  });
});
