// A problem as the registry tells it.
export type Baseline = {
  metric: string;
  value?: number | null;
  expected: number | null;
  residual: number | null;
  sigma: number | null;
  z: number | null;
};
export type Evidence = {
  rule_code: string;
  description: string;
  threshold: number | null;
  evaluated_at: string;
  /** By which way it hit, and which key of this is the number that passed its threshold. */
  way?: string;
  metric?: string;
  measured?: "now" | "half_hour_mean";
  /** Of a temperature: where it was read, and whose limit it passed. */
  sensor?: "chip" | "board";
  limit_source?: "machine" | "catalogue" | "settings" | "assumed";
  /** Of a hashrate: where the reference (`expected_ths`) is from; `kind` and `own_past` are inferred. */
  expectation?: "none" | "given" | "kind" | "own_past";
  baseline?: Baseline | null;
  left_out?: string[] | null;
} & Record<string, unknown>;
export type Peer = {
  level: string | null;
  value: number | null;
  robust_z: number | null;
  percentile: number | null;
  median: number | null;
  mad: number | null;
  count: number;
  p10: number | null;
  p25: number | null;
  p75: number | null;
  p90: number | null;
  min: number | null;
  max: number | null;
};
/** Among its peers as of the newest scan, with how they are spread: counts between edges. */
export type Compared = Peer & { spread: { edges: number[]; counts: number[] } };
export type Action = { action?: string; command_type?: string; at?: string; reason?: string } & Record<string, unknown>;
export type Hypothesis = {
  hypothesis_id: string;
  confidence: number | null;
  risk_level?: string | null;
  recommended_actions?: string[];
};
export type Problem = {
  id: string;
  site_id: number;
  miner_no: number | null;
  miner_id: string | null;
  issue_code: string;
  severity: string;
  status: string;
  start_ts: string;
  last_seen_ts: string;
  resolved_ts: string | null;
  recurrence_count: number;
  evidence_json: Evidence[] | null;
  actions_json: Action[] | null;
  peer_metrics_json: Record<string, Peer | null> | null;
  ml_json: { p_fail_24h?: number | null; top_features?: { feature: string; value?: number }[] } | null;
  health_json: { hypotheses?: Hypothesis[]; issues?: { issue_code: string; recommended_actions?: string[] }[] } | null;
  suppress_until: string | null;
  maintenance_flag: boolean;
  incident_id: string | null;
  symptom: boolean;
  flapping: boolean;
  predecessor_id: string | null;
  assigned_to: string | null;
  acked_by: string | null;
  acked_at: string | null;
  resolved_by: string | null;
  resolution_cause: string | null;
  resolution_action: string | null;
  loss_ths: number | null;
  loss_thh: number | null;
  p_fail_24h: number | null;
  suppressed: boolean;
  zone: string | null;
  model: string | null;
  firmware: string | null;
};
export type Happening = {
  id: string;
  at: string;
  kind: string;
  actor_kind: string | null;
  actor_id: string | null;
  message: string | null;
  details: Record<string, unknown> | null;
};

export type Moment = { ts: string; expected: Record<string, number | null> | null } & Record<string, unknown>;
export type Earlier = {
  id: string;
  severity: string;
  status: string;
  start_ts: string;
  resolution_cause: string | null;
  resolution_action: string | null;
};
/** `reference_ths` is what baselines, peers and thresholds are shares of; `expected_ths` what it should hash now, in its mode. */
export type Machine = {
  miner_id: string;
  rated_ths: number | null;
  rated_source: string | null;
  reference_ths: number | null;
  expected_ths: number | null;
  expected_source: string | null;
  zone: string | null;
  rack: string | null;
  position: string | null;
};
export type Story = {
  problem: Problem;
  rule: { code: string; description: string; metric: string; recommended_actions: string[] } | null;
  timeline: Happening[];
  predecessors: Earlier[];
  similar: { resolution_cause: string | null; resolution_action: string | null; times: number; median_sec: number | null }[];
  people: Record<string, string>;
  machine: Machine | null;
  suppressions: { id: string; until_at: string | null; reason: string; maintenance: boolean }[];
  baseline: {
    metrics: Record<string, { expected: number | null; sigma: number | null; samples?: number | null } | null>;
    inferred_mode: string | null;
    mode_changed_at: string | null;
  } | null;
  history: Moment[];
};

/** The newest snapshot of why we think so. */
export function newest(problem: Problem): Evidence | null {
  return problem.evidence_json?.at(-1) ?? null;
}
