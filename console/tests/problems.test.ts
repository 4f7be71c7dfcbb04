import { beforeAll, describe, expect, it } from "vitest";
import type { SiteSums } from "../src/api/known";
import { bandOf } from "../src/pages/miner_history";
import { lineOf, pictureOf } from "../src/problems/band";
import { ticksOf } from "../src/problems/histogram";
import { chosenIn, filtersOf, nextOrder, orderOf, written, type Row } from "../src/problems/rows";
import { normalOf } from "../src/problems/normal";
import type { Evidence, Peer, Problem, Story } from "../src/problems/types";
import { facts, sentence } from "../src/problems/words";

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
  return { ...problem, site: SITE };
}

describe("problems", () => {
  it("say what is wrong with their numbers and units", () => {
    expect(sentence(row({}))).toBe("Hashrate at 65% of its reference; its own normal is 101%.");
    const hot = { rule_code: "overheat_crit", description: "", temp_max: 91.5, threshold: 85, evaluated_at: "" };
    expect(sentence(row({ issue_code: "overheat_crit", evidence_json: [hot] }))).toBe(
      "Hottest sensor 91.5\u00a0°C, limit 85\u00a0°C.",
    );
    expect(sentence(row({ evidence_json: null }))).toBe("Hashrate declines");
  });

  it("say at which sensor it is hot, and whose limit it is", () => {
    const hot = { rule_code: "overheat_crit", description: "", metric: "temp_max", way: "limit", temp_max: 91.5, threshold: 85, evaluated_at: "", sensor: "chip" as const };
    const assumed = { ...hot, limit_source: "assumed" as const };
    expect(sentence(row({ issue_code: "overheat_crit", evidence_json: [assumed] }))).toBe(
      "Hottest sensor 91.5\u00a0°C, assumed limit 85\u00a0°C.",
    );
    expect(facts(assumed)).toEqual([
      { metric: "temp_max", value: "91.5\u00a0°C", against: ["at the chip", "limit 85\u00a0°C, assumed: no limit is known for this model"] },
    ]);
    expect(facts({ ...hot, limit_source: "machine" as const })[0]?.against).toEqual(["at the chip", "limit 85\u00a0°C, reported by the machine"]);
  });

  it("say that a board is down by its hashrate or by the board, and when the reference hashrate is inferred", () => {
    const down = {
      ...{ rule_code: "board_lost", description: "", evaluated_at: "", way: "hashrate_down", metric: "hashrate_ratio" },
      ...{ hashrate_ratio: 0.66, threshold: 0.8, boards_ratio: 2 / 3, expected_ths: 104, expectation: "kind" as const },
    };
    const told = (evidence: Evidence) => sentence(row({ issue_code: "board_lost", evidence_json: [evidence] }));
    expect(told(down)).toBe("Only 67% of its hashboards work; hashrate at 66% of 104\u00a0TH/s.");
    expect(facts(down)).toEqual([
      { metric: "hashrate_ratio", value: "66%", against: ["limit 80%"] },
      { metric: "boards_ratio", value: "67%", against: [] },
      { metric: "expected_ths", value: "104\u00a0TH/s", against: ["inferred from machines of its kind"] },
    ]);
    expect(facts({ ...down, expectation: "given" })[2]?.against).toEqual([]);
    const silent = { ...down, way: "board_silent", metric: "board_share_min", board_share_min: 0.01, threshold: 0.05 };
    expect(told(silent)).toBe("Only 67% of its hashboards work; its weakest board does 1% of an even share.");
  });

  it("tell each number of their evidence with what it was compared with", () => {
    const [first] = row({}).evidence_json ?? [];
    expect(first && facts(first)).toEqual([
      { metric: "hashrate_ratio", value: "65%", against: ["limit 5%", "own normal 101% ± 1%", "z -36.0"] },
    ]);
  });

  it("say by which way they were found, and give the limit to the number that passed it alone", () => {
    const boots = {
      ...{ rule_code: "hashrate_degradation", description: "", evaluated_at: "", way: "reboots", ways: ["reboots"] },
      ...{ metric: "boots", hashrate_ratio: 0.99, boots: 4.2, threshold: 3, side: "above", held: false },
    };
    expect(sentence(row({ evidence_json: [boots] }))).toBe("It booted about 4.2 times within six hours; 3 are too many.");
    expect(facts(boots)).toEqual([
      { metric: "boots", value: "4.2", against: ["limit 3"] },
      { metric: "hashrate_ratio", value: "99%", against: [] },
    ]);
    const hidden = {
      ...{ rule_code: "temp_anomaly", description: "", evaluated_at: "", way: "own_past_at_equal_fans", metric: "temp_load" },
      ...{ temp_load: 79.2, temp_max: 62.2, threshold: 78.5, measured: "half_hour_mean" as const },
      baseline: { metric: "temp_load", value: 77.9, expected: 74.5, residual: 3.4, sigma: 0.9, z: 4.5 },
    };
    expect(sentence(row({ issue_code: "temp_anomaly", evidence_json: [hidden] }))).toBe(
      "Its fans hide heat: at equal fan speed it would be at 79.2\u00a0°C; its own normal is 74.5\u00a0°C.",
    );
    expect(facts(hidden)[0]?.against.slice(0, 2)).toEqual(["mean of half an hour", "limit 78.5\u00a0°C"]);
    const fan = { ...hidden, way: "fan_behind_others", metric: "fan_speed_min", fan_speed_min: 2150, threshold: 2900 };
    expect(sentence(row({ issue_code: "temp_anomaly", evidence_json: [{ ...fan, temp_load: null }] }))).toBe(
      "A fan turns too slowly: 2,150\u00a0rpm, beside the others 2,900\u00a0rpm at the least; and it is hotter than it was.",
    );
    const outlier = { ...boots, rule_code: "fleet_outlier", way: "hashrate", metric: "hashrate_ratio", threshold: 0.85 };
    const [only, ...rest] = facts({ ...outlier, boots: null, robust_z: { hashrate_ratio: -9 }, robust_z_threshold: 3, peers: {} });
    expect([only?.against, rest]).toEqual([["limit 85%"], []]);
  });

  it("say what sets a machine apart from its peers", () => {
    const peer = { level: "site", value: 0.65, robust_z: -16.7, percentile: 0, median: 1, mad: 0.02, count: 640 };
    const spread = { p10: 0.96, p25: 0.97, p75: 1.03, p90: 1.04, min: 0.65, max: 1.1 };
    const [found] = facts({
      rule_code: "fleet_outlier",
      description: "",
      threshold: 3,
      evaluated_at: "2026-03-01T11:55:00+00:00",
      robust_z: { hashrate_ratio: -16.7, temp_max: 0.2 },
      peers: { hashrate_ratio: { ...peer, ...spread }, temp_max: { ...peer, ...spread, robust_z: 0.2 }, efficiency: null },
    });
    expect(found).toEqual({ metric: "hashrate_ratio", value: "65%", against: ["half of its 640 peers are between 97% and 103%"] });
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
    const peer = { p10: 0.9, p90: 1.1 } as Peer;
    const told = (samples: number, over: Partial<Problem> = {}) =>
      ({
        problem: row({ peer_metrics_json: { hashrate_ratio: peer }, ...over }),
        baseline: {
          metrics: {
            hashrate_ratio: { expected: 1, sigma: 0.01, samples },
            hw_error_rate: { expected: 40, sigma: 5, samples },
          },
        },
        history: [],
      }) as unknown as Story;
    // hardware errors are not kept over time: the hashrate is drawn, and not with the band of errors x TH/s
    const hardware = pictureOf("hw_error_rate", 100);
    expect(normalOf(told(6), hardware)).toEqual({ whose: "own", course: [], flat: { low: 97, high: 103 } });
    const few = normalOf(told(5), hardware);
    expect([few?.whose, few?.flat?.low.toFixed(0), few?.flat?.high.toFixed(0)]).toEqual(["peers", "90", "110"]);
    expect(normalOf(told(5, { peer_metrics_json: null }), hardware)).toBeNull();
    expect(normalOf(told(6), pictureOf("hashrate_ratio", null))).toBeNull();
    expect([pictureOf("reject_rate", 100).unit, pictureOf("reject_rate", 100).metric]).toEqual(["%", "reject_rate"]);
  });

  it("are drawn with a band by the reference hashrate, and a line at what it should hash now in its mode", () => {
    const machine = { rated_ths: 126, rated_source: "catalogue", reference_ths: 104, expected_ths: 72.8, expected_source: "mode" };
    const baseline = { metrics: { hashrate_ratio: { expected: 0.7, sigma: 0.01, samples: 600 } } };
    const story = { problem: row({ issue_code: "hw_error_rate_high" }), machine, baseline, history: [] } as unknown as Story;
    const picture = pictureOf("hw_error_rate", machine.reference_ths);
    const { low, high } = normalOf(story, picture)?.flat ?? { low: 0, high: 0 };
    expect([low.toFixed(1), high.toFixed(1)]).toEqual(["69.7", "75.9"]);
    expect(lineOf(story, picture)).toEqual({ value: 72.8, name: "expected" });
    expect(bandOf(story.baseline as never, { metric: "hashrate_ratio" }, machine.reference_ths)).toEqual({ low, high });
  });

  it("are compared with peers on an axis of round numbers", () => {
    expect(ticksOf(60, 90)).toEqual([60, 70, 80, 90]);
    expect(ticksOf(0.98, 1.03)).toEqual([0.98, 0.99, 1, 1.01, 1.02, 1.03]);
    for (const tick of ticksOf(0.3, 104.7)) expect(tick % 25).toBe(0);
  });
});
