// History charts of a machine, with its normal band and its commands.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Baseline, Point, SiteTotals } from "../api/types";
import { commandsQuery, historyQuery, type Range } from "../api/queries";
import { Chart } from "../charts/chart";
import { labelOf } from "../charts/label";
import { drawLines, type Mark } from "../charts/lines";
import { wordFor, t, useLanguage, type Key } from "../i18n";
import { number } from "../i18n/format";
import { healthQuery } from "../problems/api";
import { ownRange, type Range as Band } from "../problems/normal_band";
import { Part } from "../ui/states";

const RANGES: Range[] = ["6h", "24h", "7d", "30d"];

type Series = { key: Key; unit: string; digits: number; pick: (point: Point) => number | null; metric?: string };
const SERIES: Series[] = [
  { key: "chart.hashrate", unit: "TH/s", digits: 1, pick: (point) => point.hashrate_ths, metric: "hashrate_ratio" },
  { key: "chart.temperature", unit: "°C", digits: 1, pick: (point) => point.temp_max_c, metric: "temp_max" },
  { key: "chart.power", unit: "W", digits: 0, pick: (point) => point.power_w },
];

/** `expected` is its hashrate while running, in its mode; its baseline is a ratio of `reference`. */
export function History(props: { site: SiteTotals; miner: string; expected: number | null; isExcused: boolean; reference: number | null }) {
  const { site, miner, expected, isExcused, reference } = props;
  const search = useSearch({ from: "/sites/$site/miners/$miner" });
  const navigate = useNavigate({ from: "/sites/$site/miners/$miner" });
  const range = RANGES.includes(search.range as Range) ? (search.range as Range) : "24h";
  const history = useQuery(historyQuery(site.site_id, miner, range));
  const language = useLanguage();
  const commands = useQuery(commandsQuery(site.site_id, miner)).data;
  const baseline = useQuery(healthQuery(site.site_id, miner)).data?.baseline ?? null;
  const marks = useMemo(
    () =>
      (commands ?? [])
        .filter(({ finished_at }) => finished_at !== null)
        .slice(0, 8)
        .map(({ finished_at, command_type }): Mark => ({ at: Date.parse(finished_at ?? ""), text: wordFor("cmdtype", command_type) })),
    [commands, language],
  );
  return (
    <section className="panel" aria-labelledby="history">
      <header>
        <h2 id="history">{t("miner.charts")}</h2>
        <span className="grow" />
        <div className="segments" role="group" aria-label={t("miner.charts")}>
          {RANGES.map((choice) => (
            <button
              key={choice}
              type="button"
              className="button"
              aria-pressed={choice === range}
              onClick={() => void navigate({ search: { range: choice }, replace: true })}
            >
              {t(`miner.range.${choice}`)}
            </button>
          ))}
        </div>
      </header>
      <div className="body stack">
        <Part of={history} rows={6}>
          {(data) =>
            data.points.length ? (
              <>
                {SERIES.map((series) => (
                  <MinerChart
                    key={series.key}
                    series={series}
                    data={data}
                    miner={miner}
                    zone={site.timezone}
                    expected={series.key === "chart.hashrate" ? expected : null}
                    isExcused={isExcused}
                    marks={marks}
                    band={bandOf(baseline, series, reference)}
                  />
                ))}
              </>
            ) : (
              <p className="quiet">{t("miner.chart.empty")}</p>
            )
          }
        </Part>
      </div>
    </section>
  );
}

/** The machine's normal range, for charts of a single metric. */
export function bandOf(baseline: Baseline | null, { metric }: Pick<Series, "metric">, reference: number | null): Band | null {
  return metric ? ownRange(baseline, { metric, scale: metric === "hashrate_ratio" ? (reference ?? 0) : 1 }) : null;
}

type HistoryData = { points: Point[]; start: number; end: number };

function MinerChart(props: {
  series: Series;
  data: HistoryData;
  miner: string;
  zone: string;
  expected: number | null;
  isExcused: boolean;
  marks: Mark[];
  band: Band | null;
}) {
  const { series, data, miner, zone, expected, isExcused, marks, band } = props;
  const [low, high] = [band?.low, band?.high];
  const language = useLanguage();
  const points = useMemo(
    () => data.points.map((point): [number, number | null] => [Date.parse(point.ts), series.pick(point)]),
    [data, series],
  );
  const draw = useMemo(
    () =>
      drawLines({
        name: t(series.key),
        unit: series.unit,
        digits: series.digits,
        points,
        start: data.start,
        end: data.end,
        zone,
        expected: expected === null ? null : { value: expected, name: t(isExcused ? "miner.expected.running" : "miner.expected") },
        marks,
        band: low === undefined || high === undefined ? null : { low, high },
      }),
    [points, data, series, zone, expected, isExcused, marks, low, high, language],
  );
  const label = labelOf({
    what: t(series.key),
    miner,
    values: points.map(([, value]) => value),
    amount: (value) => `${number(value, series.digits)} ${series.unit}`,
    normal: band && { ...band, whose: "own" },
  });
  return (
    <div>
      <div className="second row">
        {t(series.key)} <span className="unit">{series.unit}</span>
        {band ? (
          <span className="row band-name">
            <span className="swatch band-swatch" />
            <span className="quiet">{t("miner.baseline")}</span>
          </span>
        ) : null}
      </div>
      <Chart draw={draw} label={label} height={150} />
    </div>
  );
}
