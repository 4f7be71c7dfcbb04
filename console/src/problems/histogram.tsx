// How a measure is spread among machines of the same kind at the site now, with this one marked.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Cells, SiteSums } from "../api/known";
import { cellsQuery } from "../api/queries";
import { named, t } from "../i18n";
import { number } from "../i18n/format";
import { Bones } from "../ui/states";
import type { Peer, Problem } from "./types";
import { metricOf, valueOf } from "./words";

const BINS = 28;
const WIDTH = 320;
const HEIGHT = 120;
const FOOT = 16;

export function PeerPanel({ site, problem }: { site: SiteSums; problem: Problem }) {
  const cells = useQuery(cellsQuery(site.site_id));
  const metric = drawable(metricOf(problem));
  const peer = problem.peer_metrics_json?.[metricOf(problem)] ?? null;
  const found = useMemo(() => (cells.data ? spread(cells.data, problem, metric) : null), [cells.data, problem, metric]);
  return (
    <section className="panel" aria-labelledby="peers">
      <header>
        <h2 id="peers">
          {found && found.values.length > 4
            ? t("problem.peers", { n: number(found.values.length), group: problem.model ?? "" })
            : t("col.peers")}
        </h2>
      </header>
      <div className="body stack">
        {!found ? (
          <Bones rows={4} />
        ) : found.values.length > 4 ? (
          <Bars values={found.values} own={found.own} metric={metric} />
        ) : (
          <p className="quiet">{t("problem.peers.none")}</p>
        )}
        {peer ? <Standing peer={peer} metric={metricOf(problem)} /> : null}
      </div>
    </section>
  );
}

function Standing({ peer, metric }: { peer: Peer; metric: string }) {
  const pct = peer.percentile === null ? null : peer.percentile <= 1 ? peer.percentile * 100 : peer.percentile;
  return (
    <>
      <p>
        {t("problem.peers.this", { value: valueOf(metric, peer.value), z: number(peer.robust_z, 1), pct: number(pct) })}
      </p>
      <p className="second">
        {t("problem.peers.band", {
          p25: valueOf(metric, peer.p25),
          p75: valueOf(metric, peer.p75),
          median: valueOf(metric, peer.median),
        })}
      </p>
    </>
  );
}

function drawable(metric: string): string {
  return ["hashrate_ratio", "temp_max", "efficiency"].includes(metric) ? metric : "hashrate_ratio";
}

function spread(cells: Cells, problem: Problem, metric: string): { values: number[]; own: number | null } {
  const { columns, named: words } = cells;
  const model = words.model.words.indexOf(problem.model ?? "");
  const value = (no: number): number | null => {
    if (!columns.online[no]) return null;
    if (metric === "temp_max") return columns.temp_max_c[no] ?? null;
    if (metric === "efficiency") return columns.efficiency_j_th[no] ?? null;
    const expected = columns.expected_ths[no];
    const hash = columns.hashrate_ths[no];
    return expected && hash !== null && hash !== undefined ? hash / expected : null;
  };
  const values: number[] = [];
  let own: number | null = null;
  for (let no = 0; no < cells.machines; no++) {
    if (words.model.index[no] !== model) continue;
    const one = value(no);
    if (columns.miner_no[no] === problem.miner_no) own = one;
    else if (one !== null) values.push(one);
  }
  return { values, own };
}

function Bars({ values, own, metric }: { values: number[]; own: number | null; metric: string }) {
  const all = own === null ? values : [...values, own];
  const low = Math.min(...all);
  const high = Math.max(...all);
  const width = (high - low || 1) / BINS;
  const bins = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.floor((value - low) / width));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const most = Math.max(...bins);
  const step = WIDTH / BINS;
  const tall = HEIGHT - FOOT - 14;
  const x = (value: number) => ((value - low) / (high - low || 1)) * (WIDTH - step) + step / 2;
  const label = t("problem.peers.label", { metric: named("metric", metric), n: number(values.length) });
  return (
    <svg className="histogram" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {bins.map((count, no) => {
        const h = count ? Math.max(1.5, (count / most) * tall) : 0;
        return <rect key={no} x={no * step + 0.5} y={HEIGHT - FOOT - h} width={step - 1} height={h} className="strip-box" />;
      })}
      <line x1="0" x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} className="strip-tail" />
      {own === null ? null : (
        <>
          <line x1={x(own)} x2={x(own)} y1="10" y2={HEIGHT - FOOT} className="own-line" />
          <path d={`M${x(own)} 12l5-9h-10Z`} className="strip-this" />
        </>
      )}
      <text x="0" y={HEIGHT - 3} className="axis">
        {valueOf(metric, low)}
      </text>
      <text x={WIDTH} y={HEIGHT - 3} className="axis" textAnchor="end">
        {valueOf(metric, high)}
      </text>
    </svg>
  );
}
