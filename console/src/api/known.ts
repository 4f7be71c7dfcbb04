// Names for the parts of answers, with what the API always gives taken as given.
import type { Answer } from "./client";

type Sure<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
type Item<T> = T extends readonly (infer I)[] ? I : never;

type RawSite = Item<Answer<"/api/v1/telemetry/sites">["sites"]>;
/** Machines by how each stands, every one counted once. */
export type Conditions = Record<"P0" | "P1" | "P2" | "P3" | "down" | "stopped" | "unknown" | "fine", number>;
/** `conditions` is null for a moment of the past. */
export type SiteSums = Told<
  Sure<
    RawSite,
    "site_id" | "code" | "name" | "timezone" | "machines" | "online" | "unknown" | "power_unknown" | "efficiency_left_out" | "zones"
  >,
  { conditions: Conditions | null }
>;
export type FleetSums = { efficiency_j_th: number | null; efficiency_left_out: number };
type Told<T, F> = Omit<T, keyof F> & F;
type Grant = Told<Item<Answer<"/api/v1/auth/me">["grants"]>, { touches: number[] | null; may: string[] }>;
export type Me = Told<Answer<"/api/v1/auth/me">, { csrf_token: string | null; grants: Grant[] }>;
type Text = string | null;
export type LastReported = { at: string; hashrate_ths: number | null; power_w: number | null; efficiency_j_th: number | null };
type Measured = { value: number | null; unit: Text };
export type LiveMiner = Told<
  Item<Answer<"/api/v1/telemetry/live">["miners"]>,
  {
    power: Measured;
    efficiency: Measured;
    error_message: Text;
    mode: Text;
    expected_state: Text;
    last_reported: LastReported | null; // of a machine that is not online
  }
>;
export type MinerRow = Item<Answer<"/api/admin/v1/miners">["miners"]>;
export type CommandRow = Told<
  Item<Answer<"/api/admin/v1/commands">["commands"]>,
  { finished_at: Text; error_code: Text; error_message: Text; created_reason: Text; wait_reason: Text; problem_id: Text }
>;
export type Made = {
  commands: { command_id: string; miner_id: string; approval_state: string }[];
  refused: { miner_id: string; error_code: string; reason: string }[];
  counts: { created: number; existing: number; refused: number };
};
export type Point = Item<Item<Answer<"/api/v1/telemetry/history">["series"]>["data"]>;
export type Words = { words: string[]; index: number[] };
export type Cells = {
  machines: number;
  columns: {
    miner_no: number[];
    miner_id: string[];
    position: (string | null)[];
    online: boolean[];
    boards_healthy: (number | null)[];
    boards_total: (number | null)[];
    hashrate_ths: (number | null)[];
    expected_ths: (number | null)[];
    temp_max_c: (number | null)[];
    temp_other_c: (number | null)[];
    power_w: (number | null)[];
    efficiency_j_th: (number | null)[];
    age_sec: (number | null)[];
    stopped: number[]; // machines that stand still on purpose, whatever else is wrong with them
  };
  named: Record<
    "zone" | "rack" | "model" | "firmware" | "data_state" | "data_reason" | "overall_health" | "condition" | "inferred_mode" | "expected_state",
    Words
  >;
  _meta: { as_of: string; source: string; site_id: number };
};
export type Frame = {
  machines: number;
  columns: {
    miner_no: number[];
    hashrate_ths: (number | null)[];
    expected_ths: (number | null)[];
    temp_max_c: (number | null)[];
    power_w: (number | null)[];
    efficiency_j_th: (number | null)[];
    online_ratio: (number | null)[];
    stopped: number[]; // machines that stood still on purpose, also those without a sample
  };
  _meta: { as_of: string; bucket: string };
};
export type Trend = {
  series: {
    site_id: number;
    resolution: string;
    ts: string[];
    hashrate_ths: (number | null)[];
    power_w: (number | null)[];
    temp_max_c: (number | null)[];
    online: (number | null)[];
  }[];
  _meta: { as_of: string; start: string; end: string };
};
