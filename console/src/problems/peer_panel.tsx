// Histogram of a metric among a machine's peers at the newest scan, with this machine marked.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { SiteName, PeerComparison } from "../api/types";
import { gap, wordFor, t } from "../i18n";
import { number, percent } from "../i18n/format";
import { Part } from "../ui/states";
import { peersQuery } from "./api";
import { levelName, valueOf } from "./evidence";

const HEIGHT = 210;
const FOOT = 20;
const HEAD = 32; // for the names of what is marked
const SIDE = 16; // so that the first and the last figure of the axis have room
const DRAWABLE = ["hashrate_ratio", "temp_max", "efficiency"];

/** With a severity the machine is marked in its colour; without one nothing is wrong, and there is no colour. */
type Wanted = { site: SiteName; miner: string; metric: string; group: string | null; severity?: string; planned?: string | null };

/** `planned`: its planned state, when that is newer than the scan. */
export function PeerPanel({ site, miner, metric: wanted, group, severity = "", planned = null }: Wanted) {
  const peers = useQuery(peersQuery(site.site_id, miner));
  const metric = DRAWABLE.includes(wanted) ? wanted : "hashrate_ratio";
  const state = planned ?? peers.data?.expected_state ?? null;
  const comparison = state === null ? (peers.data?.peers?.[metric] ?? null) : null;
  return (
    <section className="panel" aria-labelledby="peers">
      <header>
        <h2 id="peers">
          {comparison ? t("problem.peers", { n: number(comparison.count), group: levelName(comparison.level, group) }) : t("col.peers")}
        </h2>
        <span className="grow" />
        <span className="quiet">{wordFor("metric", metric)}</span>
      </header>
      <Part of={peers} rows={4}>
        {() => (
          <div className="body stack">
            {comparison ? (
              <>
                <Bars comparison={comparison} metric={metric} severity={severity} />
                <Standing comparison={comparison} metric={metric} />
              </>
            ) : (
              <p className="quiet">{state === null ? t("problem.peers.none") : t("problem.peers.stopped", { state: wordFor("expected", state) })}</p>
            )}
          </div>
        )}
      </Part>
    </section>
  );
}

function Standing({ comparison, metric }: { comparison: PeerComparison; metric: string }) {
  const below = comparison.percentile ?? 0;
  return (
    <p className="second">
      {t("problem.peers.beside", { p25: valueOf(metric, comparison.p25, true), p75: valueOf(metric, comparison.p75, true) })}
      {gap()}
      {t(below >= 0.5 ? "problem.peers.above" : "problem.peers.below", { share: percent(Math.max(below, 1 - below)) })}
    </p>
  );
}

function Bars({ comparison, metric, severity }: { comparison: PeerComparison; metric: string; severity: string }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const { edges, counts } = comparison.spread;
  const [low, high] = roomFor(edges[0] ?? 0, edges.at(-1) ?? 0);
  const most = Math.max(...counts, 1);
  const foot = HEIGHT - FOOT;
  const x = (value: number) => SIDE + ((value - low) / (high - low)) * (width - 2 * SIDE);
  const label = t("problem.peers.label", { metric: wordFor("metric", metric), n: number(comparison.count) });
  const { median: middle, value: own } = comparison;
  return (
    <div ref={place}>
      <svg className="histogram" width={width} height={HEIGHT} role="img" aria-label={label}>
        {counts.map((count, no) => {
          const h = count ? Math.max(1.5, (count / most) * (foot - HEAD)) : 0;
          const [from, to] = [x(edges[no] ?? low), x(edges[no + 1] ?? high)];
          return <rect key={no} x={from + 0.5} y={foot - h} width={Math.max(1, to - from - 1)} height={h} className="strip-box" />;
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
        {middle === null ? null : (
          <>
            <line x1={x(middle)} x2={x(middle)} y1={HEAD} y2={foot} className="strip-middle" />
            <text x={x(middle)} y={HEAD - 4} className="axis" textAnchor={besideOwn(x(middle), own === null ? null : x(own), width)}>
              {t("problem.peers.median", { value: valueOf(metric, middle, true) })}
            </text>
          </>
        )}
        {own === null ? null : (
          <g className={`mark ${severity}`}>
            <line x1={x(own)} x2={x(own)} y1={HEAD} y2={foot} className="own-line" />
            <path d={`M${x(own)} ${HEAD + 2}l5-9h-10Z`} className="strip-this" />
            <text x={x(own)} y={11} className="axis own" textAnchor={anchor(x(own), width)}>
              {t("problem.peers.own", { value: valueOf(metric, own, true) })}
            </text>
          </g>
        )}
      </svg>
    </div>
  );
}

/** All alike is a picture, too: a tenth to both sides. */
function roomFor(low: number, high: number): [number, number] {
  if (high - low >= Math.abs(high) * 0.02) return [low, high];
  return [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
}

/** On the far side of this machine's own mark where both are close. */
function besideOwn(x: number, own: number | null, width: number): "start" | "middle" | "end" {
  return own === null || Math.abs(own - x) > 70 ? anchor(x, width) : own > x ? "end" : "start";
}

function anchor(x: number, width: number): "start" | "middle" | "end" {
  return x < 70 ? "start" : x > width - 70 ? "end" : "middle";
}

/** Round numbers, about five. */
export function ticksOf(low: number, high: number): number[] {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((item) => item * power).find((item) => item >= rough * 0.999) ?? rough;
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
