// How a measure is spread among machines of the same kind at the site now, with this one marked.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Cells, SiteSums } from "../api/known";
import { cellsQuery } from "../api/queries";
import { named, t } from "../i18n";
import { number, percent } from "../i18n/format";
import { Bones } from "../ui/states";
import type { Peer, Problem } from "./types";
import { metricOf, valueOf } from "./words";

const BINS = 32;
const HEIGHT = 210;
const FOOT = 20;
const HEAD = 32; // for the names of what is marked
const SIDE = 16; // so that the first and the last figure of the axis have room

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
        {peer ? <Standing peer={peer} metric={metricOf(problem)} /> : found ? <Beside {...found} metric={metric} /> : null}
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

/** Where the registry has no figures of its peers: what the picture says, in words. */
function Beside({ values, own, metric }: { values: number[]; own: number | null; metric: string }) {
  if (own === null || values.length <= 4) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => valueOf(metric, sorted[Math.floor(share * (sorted.length - 1))], true);
  const below = values.filter((one) => one < own).length / values.length;
  return (
    <p className="second">
      {t("problem.peers.beside", { p25: at(0.25), p75: at(0.75) })}{" "}
      {t(below >= 0.5 ? "problem.peers.above" : "problem.peers.below", { share: percent(Math.max(below, 1 - below)) })}
    </p>
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
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const bars = useMemo(() => binned(values, own), [values, own]);
  const { low, high, bins, most } = bars;
  const step = (width - 2 * SIDE) / BINS;
  const foot = HEIGHT - FOOT;
  const x = (value: number) => SIDE + ((value - low) / (high - low)) * (width - 2 * SIDE);
  const label = t("problem.peers.label", { metric: named("metric", metric), n: number(values.length) });
  const middle = medianOf(values);
  return (
    <div ref={place}>
      <svg className="histogram" width={width} height={HEIGHT} role="img" aria-label={label}>
        {bins.map((count, no) => {
          const h = count ? Math.max(1.5, (count / most) * (foot - HEAD)) : 0;
          return <rect key={no} x={SIDE + no * step + 0.5} y={foot - h} width={Math.max(1, step - 1)} height={h} className="strip-box" />;
        })}
        <line x1={SIDE} x2={width - SIDE} y1={foot} y2={foot} className="strip-tail" />
        {ticksOf(low, high).map((tick) => (
          <g key={tick}>
            <line x1={x(tick)} x2={x(tick)} y1={foot} y2={foot + 4} className="strip-tail" />
            <text x={x(tick)} y={HEIGHT - 2} className="axis" textAnchor="middle">
              {valueOf(metric, tick, true)}
            </text>
          </g>
        ))}
        <line x1={x(middle)} x2={x(middle)} y1={HEAD} y2={foot} className="strip-middle" />
        <text x={x(middle)} y={HEAD - 4} className="axis" textAnchor={anchor(x(middle), width)}>
          {t("problem.peers.median", { value: valueOf(metric, middle, true) })}
        </text>
        {own === null ? null : (
          <>
            <line x1={x(own)} x2={x(own)} y1={HEAD} y2={foot} className="own-line" />
            <path d={`M${x(own)} ${HEAD + 2}l5-9h-10Z`} className="strip-this" />
            <text x={x(own)} y={11} className="axis own" textAnchor={anchor(x(own), width)}>
              {t("problem.peers.own", { value: valueOf(metric, own, true) })}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}

function anchor(x: number, width: number): "start" | "middle" | "end" {
  return x < 70 ? "start" : x > width - 70 ? "end" : "middle";
}

function medianOf(values: number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function binned(values: number[], own: number | null) {
  let [low, high] = [own ?? Infinity, own ?? -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  // all alike is a picture, too: a tenth to both sides
  if (high - low < Math.abs(high) * 0.02) [low, high] = [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
  const bins = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.floor(((value - low) / (high - low)) * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return { low, high, bins, most: Math.max(...bins, 1) };
}

/** Round numbers, about five. */
export function ticksOf(low: number, high: number): number[] {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999) ?? rough;
  const from = Math.ceil(low / step);
  const count = Math.floor(high / step) - from + 1;
  return Array.from({ length: Math.max(0, count) }, (_, no) => Number(((from + no) * step).toPrecision(12)));
}

function useWidth(place: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(320);
  useEffect(() => {
    if (!place.current) return;
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.max(160, entry.contentRect.width)));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [place]);
  return width;
}
